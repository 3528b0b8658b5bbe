/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process/confined-pool.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* A process that closed its socket by exiting is a zombie within this time. */
#define END_MS 1000

int confined_pool_start(struct confined_pool *pool, void (*serve)(int fd, void *data), void *data,
			const struct confined_limits *limits, struct fathom_err *err)
{
	struct rlimit own;
	int r;

	*pool = (struct confined_pool){ .current = HELPER_PROCESS_NONE, .limits = *limits };
	if (getrlimit(RLIMIT_DATA, &own) == 0 && own.rlim_cur < limits->memory)
		pool->limits.memory = own.rlim_cur;
	r = confined_start(&pool->current, serve, data, limits, err);
	while (r == 0 && pool->n_spares < CONFINED_SPARES) {
		r = confined_start(&pool->spares[pool->n_spares], serve, data, limits, err);
		pool->n_spares += r == 0;
	}
	if (r < 0)
		confined_pool_kill(pool);
	return r;
}

void confined_pool_done(struct confined_pool *pool)
{
	helper_process_done(&pool->current);
	while (pool->n_spares)
		helper_process_done(&pool->spares[--pool->n_spares]);
}

void confined_pool_kill(struct confined_pool *pool)
{
	helper_process_kill(&pool->current);
	while (pool->n_spares)
		helper_process_kill(&pool->spares[--pool->n_spares]);
}

size_t confined_pool_pids(const struct confined_pool *pool, pid_t pids[CONFINED_FAILURES_MAX])
{
	size_t n = 0;

	if (pool->current.pid)
		pids[n++] = pool->current.pid;
	for (size_t i = 0; i < pool->n_spares; i++)
		pids[n++] = pool->spares[i].pid;
	return n;
}

static void confined_pool_describe(const struct confined_pool *pool, char how[CONFINED_HOW_SIZE])
{
	const struct confined_limits *limits = &pool->limits;
	int status = pool->current.status;

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU && limits->seconds)
		snprintf(how, CONFINED_HOW_SIZE, "exceeded %u s of CPU time", limits->seconds);
	else if (WIFSIGNALED(status))
		snprintf(how, CONFINED_HOW_SIZE, "was killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else /* libdw exits if it cannot get memory */
		snprintf(how, CONFINED_HOW_SIZE,
			 "exited with status %d, probably because it needs more than %" PRIu64
			 " MB of memory",
			 WEXITSTATUS(status), limits->memory >> 20);
}

void confined_pool_fail(struct confined_pool *pool, const char *why, char how[CONFINED_HOW_SIZE])
{
	struct helper_process *process = &pool->current;

	if (!why && helper_process_exits(process, END_MS))
		confined_pool_describe(pool, how);
	else
		snprintf(how, CONFINED_HOW_SIZE, "%s", why ?: "stopped answering");
	helper_process_kill(process);
}

bool confined_pool_replace(struct confined_pool *pool)
{
	if (!pool->n_spares)
		return false;
	pool->current = pool->spares[--pool->n_spares];
	return true;
}
