/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The activity of CPUs and tasks in a time range, divided into columns. Each lane has a cell per
 * column, with the time that a task ran, waited or slept, and the number of events. Memory is
 * needed for these cells and the tasks, regardless of the range. Times are in nanoseconds, unless
 * the trace has another clock. Not thread-safe.
 *
 * If a range has many events, samples are shown first: the start of each column is read and taken
 * as representative. Then everything is read, from left to right; columns before @n_exact are
 * exact.
 *
 * Tasks that the recording is not limited to have events but no times: see
 * analyze/tasks/task-states.h.
 */
#ifndef FATHOM_TUI_TIMELINE_H
#define FATHOM_TUI_TIMELINE_H

#include <fathom/cursor.h>

#include "analyze/stream/decoded-event.h"
#include "analyze/tasks/task-states.h"
#include "base/u64-map.h"
#include "read/context/followed.h"
#include "read/context/tasks.h"

/* A cell has 112 bytes. */
#define TIMELINE_CELLS_MAX ((size_t)1 << 17)
#define TIMELINE_LANES_MAX 1000
#define TIMELINE_NO_LANE   UINT32_MAX
/* For struct timeline_lane.seen: several tasks, or none, were seen in a sample. */
#define TIMELINE_SEEN_SEVERAL (-1)
#define TIMELINE_SEEN_NOBODY  (-2)

enum lane_kind {
	LANE_CPU,
	LANE_TASK,
};

/* The kinds of time that are added up. */
enum lane_time {
	LANE_RUNS, /* of a CPU: any task but the idle one */
	LANE_READY, /* waits for a CPU */
	LANE_SLEEPS,
	LANE_BLOCKED, /* uninterruptible */
	LANE_IRQ, /* of a CPU: interrupts */
	LANE_TIMES,
};

struct lane_wake {
	uint64_t time; /* of the wakeup */
	uint64_t wait; /* for a CPU, since then */
	int32_t pid; /* of the waker */
	uint32_t number; /* of the interrupt that woke it */
	enum waker_kind kind;
};

struct lane_cell {
	uint64_t times[LANE_TIMES];
	uint64_t longest; /* of a single run */
	uint64_t first; /* time of the first event, if there are events */
	struct lane_wake wake; /* the one with the longest wait; @time is 0 if there is none */
	uint32_t events;
	int32_t who; /* of the longest run: the task of a CPU, or the CPU of a task */
	uint16_t id; /* of the first event */
	bool lost; /* events were lost before one of these */
};

struct timeline_lane {
	enum lane_kind kind;
	int32_t number; /* the CPU or the pid */
	uint64_t summed; /* everything before this time is in the cells */
	struct lane_wake waking; /* the last one; the task still waits for a CPU */
	uint64_t irq_since;
	unsigned irqs; /* nesting depth */
	/*
	 * The current activity, added to the cells until more is known; none if held_from equals
	 * held_to.
	 */
	enum lane_time held;
	uint64_t held_from, held_to;
	/*
	 * In a sample: the task that was seen, and when; _SEVERAL after a switch, _NOBODY
	 * initially.
	 */
	int32_t seen;
	uint64_t seen_from, seen_to;
	/* Set by timeline_order(). */
	uint64_t runs, sum_events;
	bool is_used;
};

struct timeline_options {
	struct fathom_trace *trace;
	struct event_table *events;
	const struct tasks *tasks; /* for their names */
	const struct fathom_window
		*window; /* its CPUs and pids limit the lanes; copied, but not the objects that it
			  * refers to */
	uint64_t first, last; /* times of the first and the last event */
	/*
	 * Returns whether to show an event; NULL: show all. Only lanes with such events are shown.
	 */
	bool (*wanted)(void *data, const struct fathom_event *event);
	void *wanted_data;
	uint64_t try_events; /* events to read before sampling; 0: a default */
};

enum timeline_phase {
	TIMELINE_DONE,
	TIMELINE_BEGIN,
	TIMELINE_TRY, /* there may be few events */
	TIMELINE_SAMPLE,
	TIMELINE_EXACT,
};

/* Turns task states into cells, in one pass over events. */
struct timeline_pass {
	struct timeline *timeline;
	struct task_states states;
	uint64_t start; /* earlier states are unknown */
	bool is_sample; /* everything goes to column @col */
	unsigned col;
	bool has_waking;
};

struct timeline {
	struct timeline_options options;
	struct fathom_window window;
	struct followed followed; /* tasks that the recording is limited to */
	uint64_t first, last; /* limits of the visible range */
	uint64_t from, span; /* visible range; @span is at least 1 */
	unsigned cols;
	uint64_t *starts; /* of columns, and the end of the last one */
	size_t cap_starts;
	double cols_per_ns;
	struct timeline_lane *lanes;
	size_t n_lanes, cap_lanes;
	struct u64_map numbers; /* indices of @lanes */
	struct lane_cell *cells; /* @cols for each lane */
	size_t cap_cells;
	bool too_many; /* there are more lanes than TIMELINE_LANES_MAX */
	bool nomem; /* something is missing */
	uint32_t *order; /* indices of @lanes: CPUs first, then the tasks that ran longest */
	size_t n_order, cap_order;
	uint32_t last_lane; /* a cache */

	enum timeline_phase phase;
	struct event_decoder reader;
	struct fathom_cursor *cursor, *sampler, *finder;
	struct timeline_pass exact, sample;
	unsigned n_clean; /* columns without values from samples */
	unsigned n_exact; /* columns that were read completely */
	bool sampled; /* the other columns are from samples */
	bool cancelled;
	bool has_switches; /* of tasks */
	uint64_t start; /* where reading starts, before @from */
	uint64_t n_before; /* events between @start and @from */
	bool is_back; /* the cursor has been moved to @start */
	uint64_t n_read; /* events */
	uint64_t n_inside; /* of these, those not before the range */
	uint64_t n_behind; /* of these, those after the range */
	int finding; /* search for an event of a lane: 1: the next, -1: the previous one; 0: none */
	enum lane_kind find_kind;
	int32_t find_number;
};

/*
 * The trace, and objects that the options refer to, must outlive the timeline. Returns 0 or a
 * negative errno, in which case there is nothing to release.
 */
int timeline_init(struct timeline *timeline, const struct timeline_options *options,
		  struct fathom_err *err);
void timeline_done(struct timeline *timeline);

/* Sets the number of columns. Returns 0 or -ENOMEM. */
int timeline_resize(struct timeline *timeline, unsigned cols);
/* Shows @span ns from @from on; both are adjusted to the limits. */
void timeline_show(struct timeline *timeline, uint64_t from, uint64_t span);

/* Reads until @until (CLOCK_MONOTONIC, in ns). Returns 1 if there is more, 0 if not, or -ENOMEM. */
int timeline_work(struct timeline *timeline, uint64_t until);
/* Stops reading; results so far remain. */
void timeline_cancel(struct timeline *timeline);

/*
 * Starts a search for the next event of a lane after @time, or the previous one. Returns 0 or
 * -ENOMEM.
 */
int timeline_find(struct timeline *timeline, const struct timeline_lane *lane, uint64_t time,
		  bool up);
/*
 * Continues the search until @until. Returns 1 if there is more, 0 with the time of the event,
 * -ENOENT if there is none, or -ENOMEM.
 */
int timeline_find_some(struct timeline *timeline, uint64_t until, uint64_t *ret_time);

/* Computes @order. Returns 0 or -ENOMEM. */
int timeline_order(struct timeline *timeline);

/* Returns the span of everything that can be shown. In timeline-cells.c, as are the next five. */
uint64_t timeline_whole(const struct timeline *timeline);
/* Returns the column of a time, or the nearest one if it is outside. */
unsigned timeline_col(const struct timeline *timeline, uint64_t time);
/* Returns the index of a lane, or TIMELINE_NO_LANE. */
uint32_t timeline_lane(const struct timeline *timeline, enum lane_kind kind, int32_t number);
const struct lane_cell *timeline_cell(const struct timeline *timeline, uint32_t lane, unsigned col);
/*
 * Returns the lane. If it is missing and @make is set, adds it, if it is wanted and there is space.
 * Otherwise returns NULL. Valid until the next lane is added.
 */
struct timeline_lane *timeline_lane_get(struct timeline *timeline, enum lane_kind kind,
					int32_t number, bool make);
/* Removes all lanes. */
void timeline_drop_lanes(struct timeline *timeline);

/* Private to timeline.c; in timeline-account.c. */
void timeline_pass_init(struct timeline_pass *pass, struct timeline *timeline, uint64_t start);
void timeline_pass_done(struct timeline_pass *pass);
/* Takes an event. @is_inside: it is in the range. */
void timeline_pass_feed(struct timeline_pass *pass, const struct fathom_event *event,
			bool is_inside);
/* Adds current activities up to @time; timeline_pass_let_go() undoes that before the next event. */
void timeline_pass_hold(struct timeline_pass *pass, uint64_t time);
void timeline_pass_let_go(struct timeline_pass *pass);
/* Adds lanes for tasks that do the same thing all the time up to @time, without an event. */
void timeline_pass_add_lanes(struct timeline_pass *pass, uint64_t time);
/* Extrapolates from the sample, which covers @from to @to, to its whole column. */
void timeline_pass_scale(struct timeline_pass *pass, uint64_t from, uint64_t to);

#endif
