/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolves system calls that were interrupted by signals. Such a call ends with ERESTARTSYS or a
 * similar error, which programs never see; when the signal is delivered, the kernel decides whether
 * the call fails with EINTR or is transparently restarted.
 *
 * signal_deliver events show the decision. Without them, it is inferred from the next system call
 * of the task, where that is unambiguous.
 *
 * Uses memory per interrupted task. If it is exhausted, @nomem is set, and some calls are missing.
 * Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_TASKS_RESTARTS_H
#define FATHOM_ANALYZE_TASKS_RESTARTS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

enum restart_fate {
	RESTART_UNKNOWN, /* not recorded */
	RESTART_RESTARTED,
	RESTART_EINTR, /* the program got EINTR */
	RESTART_ENDED, /* the task ended */
};

struct restart {
	int32_t pid;
	int64_t number; /* of the system call */
	enum restart_fate fate;
	int32_t signal; /* EINTR: the signal that was handled; 0 if unknown */
};

typedef void restarts_taker(void *data, const struct restart *restart);

struct restart_task;

#define RESTARTS_TAKERS 2

/* Empty when zero-initialized. */
struct restarts {
	struct {
		restarts_taker *take;
		void *data;
	} takers[RESTARTS_TAKERS];
	size_t n_takers;
	struct u64_map pids; /* pid -> index in @tasks */
	struct restart_task *tasks;
	size_t n, cap;
	size_t open; /* number of undecided calls */
	uint64_t losses; /* number of gaps */
	bool has_deliveries; /* signal_deliver was recorded */
	bool has_returns; /* rt_sigreturn was recorded */
	bool nomem;
};

/* Returns whether the result is that of an interrupted call. */
bool restarts_is_interrupted(int64_t result);
/*
 * Returns whether the call is the one that ends a signal handler. It returns to the interrupted
 * code, and has no exit event.
 */
bool restarts_is_return(const char *name);

/*
 * Registers @take, to be called when the outcome of a call is known. There can be up to
 * RESTARTS_TAKERS; one more sets @nomem.
 */
void restarts_listen(struct restarts *restarts, restarts_taker *take, void *data);
/* Call for every event, in chronological order. */
void restarts_feed(struct restarts *restarts, const struct decoded_event *decoded);
/* Passes on the undecided calls. Returns 0, or -ENOMEM if any are missing. */
int restarts_finish(struct restarts *restarts);
void restarts_done(struct restarts *restarts);

#endif
