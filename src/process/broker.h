/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process that opens files on behalf of one that cannot. A reader of untrusted input enters the
 * sandbox (see sandbox.h) and asks the broker for files by name, over a socket. The broker parses
 * nothing but these names. A policy function, fixed when the broker is started, decides which files
 * are handed out; a compromised reader cannot change it. Files are opened read-only.
 */
#ifndef FATHOM_PROCESS_BROKER_H
#define FATHOM_PROCESS_BROKER_H

#include <fathom/err.h>

#include "process/helper-process.h"

/* Longer names fail with -ENAMETOOLONG. */
#define BROKER_NAME_MAX 4096

struct broker {
	struct helper_process process;
};

/* The initial value of a broker. */
#define BROKER_NONE                            \
	{                                      \
		.process = HELPER_PROCESS_NONE \
	}

/* Opens the file @name in the broker. Returns a descriptor or a negative errno. */
typedef int broker_policy(const char *name);

/*
 * Starts a broker without capabilities: it can open files that the user owns or may read. It exits
 * when the last process that can ask it has exited. Returns 0 or a negative errno.
 */
int broker_start(struct broker *broker, broker_policy *policy, struct fathom_err *err);
/*
 * Asks for a file. Returns a descriptor, to be closed by the caller, or a negative errno. Not
 * thread-safe.
 */
int broker_open(const struct broker *broker, const char *name);
/* Terminates the broker and reaps it. */
void broker_done(struct broker *broker);

/*
 * A policy that opens regular files and follows links, but neither opens devices nor files in /proc
 * and /sys, where reading can have side effects. Returns a descriptor or a negative errno.
 */
int broker_open_plain(const char *path);

#endif
