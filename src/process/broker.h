/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process that opens files for another one that may not: the reader of hostile bytes enters the sandbox
 * (see sandbox.h) and asks the broker, through a socket, for files by name. The broker reads
 * nothing but these names. Which files it hands out is decided by a function that it was started with, and
 * which the reader, whatever has become of it, cannot change. The files come open for reading.
 */
#ifndef FATHOM_PROCESS_BROKER_H
#define FATHOM_PROCESS_BROKER_H

#include <sys/types.h>

#include <fathom/err.h>

/* Longer names are -ENAMETOOLONG. */
#define BROKER_NAME_MAX 4096

struct broker {
	int fd; /* -1: there is none */
	pid_t pid;
};

/* What a variable starts as. */
#define BROKER_NONE      \
	{                \
		.fd = -1 \
	}

/* Opens what is called @name: a file descriptor or a negative errno. Runs in the broker. */
typedef int broker_policy(const char *name);

/*
 * Starts a broker; it has no capabilities, so that what it opens is what the user owns or may read.
 * It ends when the last one who can ask is gone. 0 or a negative errno.
 */
int broker_start(struct broker *broker, broker_policy *policy, struct fathom_err *err);
/* A file descriptor to be closed by the caller, or a negative errno. Not for several threads. */
int broker_open(const struct broker *broker, const char *name);
/* Ends it and waits. */
void broker_done(struct broker *broker);

/*
 * A plain file with contents, whose links are followed; no device is opened on the way, and nothing of
 * /proc and /sys, where reading can have effects. A file descriptor or a negative errno.
 */
int broker_open_plain(const char *path);

#endif
