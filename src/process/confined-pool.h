/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A confined process (confined.h) that is replaced if it fails. The replacements are started in
 * advance and wait, because the owner has threads later, or is in a sandbox in which it cannot
 * start a process, and because a recorder must know which processes to exclude from the trace. If
 * none is left, the remaining work is skipped.
 */
#ifndef FATHOM_PROCESS_CONFINED_POOL_H
#define FATHOM_PROCESS_CONFINED_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "process/confined.h"

#define CONFINED_SPARES 4
/* How often the process of a pool can fail. */
#define CONFINED_FAILURES_MAX (CONFINED_SPARES + 1)
#define CONFINED_HOW_SIZE     128

struct confined_pool {
	struct helper_process current; /* its fd is -1 if there is none */
	struct helper_process spares[CONFINED_SPARES];
	size_t n_spares;
	struct confined_limits limits; /* name of the processes, for messages */
};

#define CONFINED_POOL_NONE                     \
	{                                      \
		.current = HELPER_PROCESS_NONE \
	}

/* Like confined_start(). */
int confined_pool_start(struct confined_pool *pool, void (*serve)(int fd, void *data), void *data,
			const struct confined_limits *limits, struct fathom_err *err);
/* Like helper_process_done() and helper_process_kill(), for all processes. */
void confined_pool_done(struct confined_pool *pool);
void confined_pool_kill(struct confined_pool *pool);
/* Writes the process IDs of all processes. Returns their number. */
size_t confined_pool_pids(const struct confined_pool *pool, pid_t pids[CONFINED_FAILURES_MAX]);
/*
 * Gives up the current process, which has exited or, if @why is not NULL, misbehaves; kills it if
 * permitted. Writes what happened, as in "the unwinder ...": @why, or how it ended.
 */
void confined_pool_fail(struct confined_pool *pool, const char *why, char how[CONFINED_HOW_SIZE]);
/* Makes a spare the current process. Returns false if none is left. */
bool confined_pool_replace(struct confined_pool *pool);

#endif
