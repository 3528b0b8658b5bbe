/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process of our own for work on bytes of enemies: it has no rights, can open nothing (see sandbox.h), is limited in
 * memory and time, and is asked through a socket. When it ends by a fault of what it reads, nothing else does.
 */
#ifndef FATHOM_PROCESS_CONFINED_H
#define FATHOM_PROCESS_CONFINED_H

#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

struct confined {
	int fd; /* -1: there is none, or it is given up */
	pid_t pid; /* 0: none */
	int status; /* how it ended, as of waitpid(2) */
};

#define CONFINED_NONE    \
	{                \
		.fd = -1 \
	}

struct confined_limits {
	uint64_t memory;
	unsigned seconds; /* of CPU time, all in all; 0: any */
	int buffer; /* bytes that may be under way to it, and from it; 0: what sockets have */
};

/*
 * Starts a process that calls @serve with its end of the socket and @data, and ends when that returns. 0 or a negative
 * errno.
 */
int confined_start(struct confined *confined, void (*serve)(int fd, void *data), void *data,
		   const struct confined_limits *limits, struct fathom_err *err);
/* Lets it end, which it does when it sees that nobody asks any more, and waits. */
void confined_done(struct confined *confined);
/* Ends it at once, and waits. */
void confined_kill(struct confined *confined);

#endif
