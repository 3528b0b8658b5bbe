/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drops the privileges that a reader of untrusted input does not need. After sandbox_enter() the
 * process, with all its threads, can compute, and read and write files that are open, and nothing
 * else: it cannot open files or connections, start programs or threads, or signal other processes,
 * and is no longer root.
 */
#ifndef FATHOM_PROCESS_SANDBOX_H
#define FATHOM_PROCESS_SANDBOX_H

#include <stdint.h>

#include <fathom/err.h>

/* The confinement that was achieved, as bits. */
enum {
	SANDBOX_UNPRIVILEGED = 1 << 0, /* no capabilities, and no way to regain them */
	SANDBOX_SECCOMP = 1 << 1, /* only the system calls of a reader */
	SANDBOX_LANDLOCK = 1 << 2, /* no path can be opened by any system call */
};

/*
 * Enters the sandbox. Returns what was achieved, as the bits above, or a negative errno if
 * privileges could not be dropped; a kernel without seccomp or Landlock is not an error. In a build
 * with sanitizers, whose runtime opens files, only privileges are dropped.
 */
int sandbox_enter(struct fathom_err *err);
/*
 * Likewise, for a process that asks another one for files (see broker.h): messages with files can
 * be sent and received on open sockets.
 */
int sandbox_enter_asking(struct fathom_err *err);
/*
 * Likewise, for a process that draws on an open terminal: its settings and its size are accessible.
 */
int sandbox_enter_terminal(struct fathom_err *err);
/*
 * Likewise, for a process that finishes recordings in place: files that are open for writing can be
 * truncated, and holes punched in them.
 */
int sandbox_enter_finishing(struct fathom_err *err);
/*
 * Limits the process to @bytes of memory of its own, so that a malicious file that makes a library
 * allocate more gets an error. Does nothing with sanitizers, which need far more.
 */
void sandbox_limit_memory(uint64_t bytes);
/*
 * Drops all capabilities, and the ways to regain them; keeps the user. Returns 0 or a negative
 * errno.
 */
int sandbox_drop_capabilities(struct fathom_err *err);
/* Likewise, except for those in @kept, with a bit for each of linux/capability.h. */
int sandbox_keep_capabilities(uint64_t kept, struct fathom_err *err);

#endif
