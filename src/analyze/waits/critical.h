/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The critical path of a task: for each moment of its life what it was that, had it been
 * faster, would have let the task be done earlier. While the task is on a CPU that is itself;
 * while it waits, that is what the task that ended the wait did since it began, and when that one
 * waited meanwhile, the same for it, and so on; an interrupt that ends a wait stands for a
 * timer or a device; a task that could run but did not waits for who had the CPU. A task that was made meanwhile
 * has its maker's path before.
 *
 * The segments of the path tile the time from @from to @to: none is missing, none counts twice.
 * What was not recorded, or lost, is a segment as well, an unknown one.
 *
 * A wait can only be looked into when it is over, and then only what others did since it began
 * matters. So what tasks did is kept while this one waits, and forgotten when it goes on: memory is
 * that of the longest wait, up to a limit (see path-log.h), of the tasks, and of the result.
 */
#ifndef FATHOM_ANALYZE_WAITS_CRITICAL_H
#define FATHOM_ANALYZE_WAITS_CRITICAL_H

#include "analyze/waits/critical-path.h"
#include "analyze/calls/func-table.h"
#include "analyze/waits/path-log.h"

/* Places in code: a system call by number, a function of the table, or neither of them. */
#define PLACE_FUNC    ((uint32_t)1 << 30)
#define PLACE_OUTSIDE ((uint32_t)2 << 30) /* in no system call, where all of them were recorded */
#define PLACE_KIND    ((uint32_t)3 << 30)

#define CRITICAL_LEVELS_MAX 32

enum critical_cause {
	CAUSE_SELF, /* the task itself, on a CPU */
	CAUSE_TASK, /* another one */
	CAUSE_CPU, /* there was no free CPU */
	CAUSE_DEVICE,
	CAUSE_TIMER, /* it was asked to wait until then */
	CAUSE_INTERRUPT, /* handlers; and interrupts of which nothing else is known */
	CAUSE_UNKNOWN,
	CAUSES,
};

struct critical_life {
	bool is_seen; /* something is known of its state */
	bool has_acted; /* it was on a CPU before that */
	bool is_second; /* another one had its pid before */
	bool is_born; /* it was made at @born by @parent */
	uint64_t born;
	uint32_t parent; /* TASK_NONE: not known */
	uint64_t first, last; /* when there was something to tell of it */
	uint32_t func; /* the outermost one that it is in; FUNC_NONE */
};

/*
 * Zero-initialised, with @n_followed and @followed set, is empty; must stay where it is. Those who are
 * followed are numbers of tasks, each made by the one before it: the path is that of the last one, the first is followed
 * from the begin or from when it is made on. Without any, it is only found out who is there.
 */
struct critical {
	const uint32_t *followed;
	size_t n_followed;
	bool from_birth; /* the first of them is made meanwhile */
	uint64_t clip; /* the path starts there; what comes before only says what was going on then */

	struct task_states states; /* its members @known and @followed may be set before */
	struct func_table funcs; /* its member @kallsyms may be set before */
	struct wake_sources sources;
	struct path_log log;
	struct critical_path path;
	struct critical_life *lives; /* by task */
	size_t n_lives, cap_lives;
	struct critical_segment *back; /* what was found, the latest first */
	size_t n_back, cap_back;
	size_t at; /* who is followed now */
	uint64_t first, now; /* times of the first event, and of the last */
	uint64_t from, to; /* what the path is of */
	const struct decoded_event *decoded; /* that is fed */
	struct waker waker; /* who does it, if it is a wake-up */
	bool has_begun, is_on, is_over;
	bool has_lost; /* events were lost before now */
	bool has_all_calls; /* system calls of all kinds were recorded */
	bool nomem; /* something is missing */
};

/* To be fed with all events, in order of time. */
void critical_feed(struct critical *critical, const struct decoded_event *decoded);
/* -ENOMEM when something is missing, else 0. */
int critical_finish(struct critical *critical);
/* The same at @to, which is not before the last event. */
int critical_finish_at(struct critical *critical, uint64_t to);
void critical_done(struct critical *critical);

/*
 * The makers of @task that were made meanwhile, and the one before them, the first one first, and then itself: whom to
 * follow to have all of the time. Takes what an analysis without any has found out. 0 or -ENOMEM.
 */
int critical_lineage(const struct critical *critical, uint32_t task, uint32_t **ret_list,
		     size_t *ret_n);

/* Why the time of @what was spent, on the path of @task. */
enum critical_cause critical_cause_of(const struct critical_what *what, uint32_t task);

#endif
