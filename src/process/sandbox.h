/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Giving up what a reader of hostile bytes does not need. After sandbox_enter()
 * the process, with all its threads, computes, reads and writes the
 * files that it has open, and nothing else: it can open no file, make no connection,
 * start no program or thread, signal nobody, and is no longer root.
 */
#ifndef FATHOM_PROCESS_SANDBOX_H
#define FATHOM_PROCESS_SANDBOX_H

#include <stdint.h>

#include <fathom/err.h>

/* What of it the running kernel gave us, as bits. */
enum {
	SANDBOX_UNPRIVILEGED = 1 << 0, /* no capabilities, no way to regain them */
	SANDBOX_SECCOMP = 1 << 1, /* only the system calls of a reader */
	SANDBOX_LANDLOCK = 1 << 2, /* no path can be opened, whatever the call */
};

/*
 * Enters the sandbox. Returns what was reached as bits of the above, or a
 * negative errno when privilege could not be given up; a kernel without seccomp
 * or Landlock is not an error. In a build with a sanitizer, whose run time needs to
 * open files, only privilege is given up.
 */
int sandbox_enter(struct fathom_err *err);
/*
 * The same for one who asks another process for files (see broker.h): messages can be sent and received,
 * with files in them, on sockets that are open.
 */
int sandbox_enter_asking(struct fathom_err *err);
/* The same for one who draws on a terminal that is open: its settings and its size are there. */
int sandbox_enter_terminal(struct fathom_err *err);
/* The same for one who finishes recordings in place: files that are open for writing can be cut, and holes made in them. */
int sandbox_enter_finishing(struct fathom_err *err);
/*
 * Lets the process take no more than @bytes of memory of its own, so that a hostile file which makes a
 * library ask for more gets an error. Does nothing with a sanitizer, which needs far more.
 */
void sandbox_limit_memory(uint64_t bytes);
/* Only gives up capabilities, and the way to regain them; the user stays. 0 or a negative errno. */
int sandbox_drop_capabilities(struct fathom_err *err);
/* The same but for those in @kept, a bit for each of linux/capability.h. */
int sandbox_keep_capabilities(uint64_t kept, struct fathom_err *err);

#endif
