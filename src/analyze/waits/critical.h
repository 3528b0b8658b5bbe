/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The critical path of a task: at each instant, the work that delayed its completion. While the
 * task runs, that is the task itself. While it waits, it is its waker, followed recursively through
 * the waker's own waits back to the start of the wait. A wakeup from an interrupt represents a
 * timer or a device; a runnable task waits for whatever occupies the CPU. Before a task was
 * created, the path is that of its parent.
 *
 * Segments cover @from to @to without gaps or overlap. Time that was not recorded, or lost, is a
 * segment of unknown cause.
 *
 * A wait can be explained only when it has ended, and only activity since its start matters. So the
 * activity of tasks is logged while this one waits, and dropped when it continues: memory is
 * bounded by the longest wait, up to a limit (see path-log.h), the number of tasks and the result.
 * Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_WAITS_CRITICAL_H
#define FATHOM_ANALYZE_WAITS_CRITICAL_H

#include "analyze/waits/critical-path.h"
#include "analyze/calls/func-table.h"
#include "analyze/waits/path-log.h"

/* Places in code: the number of a system call, the number of a function in @funcs, or neither. */
#define PLACE_FUNC    ((uint32_t)1 << 30)
#define PLACE_OUTSIDE ((uint32_t)2 << 30) /* in no system call, if all calls were recorded */
#define PLACE_KIND    ((uint32_t)3 << 30)

#define CRITICAL_LEVELS_MAX 32

enum critical_cause {
	CAUSE_SELF, /* the task itself */
	CAUSE_TASK, /* another task */
	CAUSE_CPU, /* no free CPU */
	CAUSE_DEVICE,
	CAUSE_TIMER, /* the task requested to sleep until then */
	CAUSE_INTERRUPT, /* interrupt handlers, and interrupts of unknown cause */
	CAUSE_UNKNOWN,
	CAUSES,
};

struct critical_life {
	bool is_seen; /* its state was seen */
	bool has_acted; /* it was on a CPU before that */
	bool is_second; /* its pid belonged to another task before */
	bool is_born; /* created at @born by @parent */
	uint64_t born;
	uint32_t parent; /* TASK_NONE if unknown */
	uint64_t first, last; /* times of its first and last event */
	uint32_t func; /* outermost open function, or FUNC_NONE */
};

/*
 * Initialize to zero, except for the first members and those noted below, which the caller sets
 * before the first event and keeps alive. Must not move. @followed are task numbers, each created
 * by the one before it: the path is that of the last one; the first one is followed from the
 * beginning or from its creation. Without any, the analysis only determines which tasks exist.
 */
struct critical {
	const uint32_t *followed;
	size_t n_followed;
	bool from_birth; /* the first one is created during the recording */
	uint64_t clip; /* the path starts here; earlier events only show states */

	struct task_states states; /* the caller may set its @known and @followed */
	struct func_table funcs; /* the caller may set its @kallsyms */
	struct wake_sources sources;
	struct path_log log;
	struct critical_path path;
	struct critical_life *lives; /* by task number */
	size_t n_lives, cap_lives;
	struct critical_segment *back; /* result of a walk, latest first */
	size_t n_back, cap_back;
	size_t at; /* index of the task that is followed now */
	uint64_t first, now; /* times of the first and the last event */
	uint64_t from, to; /* range of the path */
	const struct decoded_event *decoded; /* the current event */
	struct waker waker; /* its waker, if it is a wakeup */
	bool has_begun, is_on, is_over;
	bool has_lost; /* events were lost */
	bool has_all_calls; /* all system calls were recorded */
	bool nomem; /* the path is incomplete */
};

/* Call for every event, in chronological order. */
void critical_feed(struct critical *critical, const struct decoded_event *decoded);
/* Returns 0, or -ENOMEM if the path is incomplete. No events may follow. */
int critical_finish(struct critical *critical);
/* The same at @to, which is not before the last event. */
int critical_finish_at(struct critical *critical, uint64_t to);
void critical_done(struct critical *critical);

/*
 * Returns the tasks to follow so that the path of @task covers the whole time: its ancestors that
 * were created during the recording, preceded by the parent of the oldest, and @task itself as the
 * last one. Uses the results of an analysis that followed no task. The caller frees the list.
 * Returns 0 or -ENOMEM.
 */
int critical_lineage(const struct critical *critical, uint32_t task, uint32_t **ret_list,
		     size_t *ret_n);

/* Returns the category of @what on the path of @task. */
enum critical_cause critical_cause_of(const struct critical_what *what, uint32_t task);

#endif
