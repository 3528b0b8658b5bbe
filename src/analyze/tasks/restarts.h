/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What became of system calls that a signal interrupted. The kernel ends such a call with a code that
 * programs never see, ERESTARTSYS and its kin, and decides when the signal is delivered: the call fails
 * with EINTR, or it is restarted, behind the program's back.
 *
 * By signal_deliver this is known at once. Without that event it is concluded from the next call of the
 * task where that leaves no doubt.
 */
#ifndef FATHOM_ANALYZE_TASKS_RESTARTS_H
#define FATHOM_ANALYZE_TASKS_RESTARTS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

enum restart_fate {
	RESTART_UNKNOWN, /* the recording does not tell */
	RESTART_RESTARTED,
	RESTART_EINTR, /* it failed with EINTR */
	RESTART_ENDED, /* its task ended */
};

struct restart {
	int32_t pid;
	int64_t number; /* of the call */
	enum restart_fate fate;
	int32_t signal; /* EINTR: whose handler ran; 0: not known */
};

typedef void restarts_taker(void *data, const struct restart *restart);

struct restart_task;

#define RESTARTS_TAKERS 2

/* Zero-initialised is empty. */
struct restarts {
	struct {
		restarts_taker *take;
		void *data;
	} takers[RESTARTS_TAKERS];
	size_t n_takers;
	struct u64_map pids; /* places in @tasks */
	struct restart_task *tasks;
	size_t n, cap;
	size_t open; /* calls of which it is not known yet */
	uint64_t losses; /* times that events were lost */
	bool has_deliveries; /* signal_deliver is recorded */
	bool has_returns; /* the ends of handlers are */
	bool nomem;
};

/* Is it the result of a call that was interrupted? */
bool restarts_is_interrupted(int64_t result);
/* Is it the call by which a handler ends? It returns to what was interrupted, and has no end of its own. */
bool restarts_is_return(const char *name);

/* @take is called whenever it is known what became of a call. For up to RESTARTS_TAKERS. */
void restarts_listen(struct restarts *restarts, restarts_taker *take, void *data);
/* To be fed with all events, in order of time. */
void restarts_feed(struct restarts *restarts, const struct decoded_event *decoded);
/* Nothing more comes. -ENOMEM when something is missing, else 0. */
int restarts_finish(struct restarts *restarts);
void restarts_done(struct restarts *restarts);

#endif
