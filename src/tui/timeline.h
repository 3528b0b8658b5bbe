/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What CPUs and tasks did, in a range of time that is cut into columns: a cell for each lane and column
 * adds up how long a task ran, waited or slept there, and how many events there were. Memory is that of
 * these cells, and of the tasks, whatever the range.
 *
 * A range with many events is looked at in places first: the start of each column is read and taken for
 * the whole of it. Then all is read, from the left; the columns before @n_exact are what was recorded.
 *
 * Tasks that the recording is not of have events, but no times: see analyze/tasks/task-states.h.
 */
#ifndef FATHOM_TUI_TIMELINE_H
#define FATHOM_TUI_TIMELINE_H

#include <fathom/cursor.h>

#include "analyze/stream/decoded-event.h"
#include "analyze/tasks/task-states.h"
#include "base/u64-map.h"
#include "read/context/followed.h"
#include "read/context/tasks.h"

/* Of 112 bytes. */
#define TIMELINE_CELLS_MAX ((size_t)1 << 17)
#define TIMELINE_LANES_MAX 1000
#define TIMELINE_NO_LANE   UINT32_MAX
/* Who was seen in a place that is looked at. */
#define TIMELINE_SEEN_SEVERAL (-1)
#define TIMELINE_SEEN_NOBODY  (-2)

enum lane_kind {
	LANE_CPU,
	LANE_TASK,
};

/* What a time is added up as. */
enum lane_time {
	LANE_RUNS, /* CPU: any task but the idle one does */
	LANE_READY, /* waits for a CPU */
	LANE_SLEEPS,
	LANE_BLOCKED, /* sleeps, and no signal ends that */
	LANE_IRQ, /* CPU: serves an interrupt */
	LANE_TIMES,
};

struct lane_wake {
	uint64_t time; /* when it was woken */
	uint64_t wait; /* for a CPU, from then on */
	int32_t pid; /* of the task that woke it */
	uint32_t number; /* of the interrupt, if one did */
	enum waker_kind kind;
};

struct lane_cell {
	uint64_t times[LANE_TIMES];
	uint64_t longest; /* time of one run */
	uint64_t first; /* when the first event happened, if there are any */
	struct lane_wake wake; /* the one with the longest wait; @time is 0: none */
	uint32_t events;
	int32_t who; /* of the longest run: the task of a CPU, the CPU of a task */
	uint16_t id; /* of the first event */
	bool lost; /* events were, right before one of these */
};

struct timeline_lane {
	enum lane_kind kind;
	int32_t number; /* the CPU, the pid */
	uint64_t summed; /* what was before this time is added up */
	struct lane_wake waking; /* the last one; its wait is not over */
	uint64_t irq_since;
	unsigned irqs; /* open ones */
	/* What it is doing is added up, too, until more is known; from equal to to: nothing is. */
	enum lane_time held;
	uint64_t held_from, held_to;
	/* In a place that is looked at: who was seen, and when: SEVERAL after a switch, NOBODY before all. */
	int32_t seen;
	uint64_t seen_from, seen_to;
	/* By timeline_order(). */
	uint64_t runs, sum_events;
	bool is_used;
};

struct timeline_options {
	struct fathom_trace *trace;
	struct event_table *events;
	const struct tasks *tasks; /* names */
	const struct fathom_window *
		window; /* its CPUs and pids say which lanes there are; what it refers to is not copied */
	uint64_t first, last; /* times of the first and the last event */
	/* Is the event to be shown? NULL: all are. Only lanes of such are there then. */
	bool (*wanted)(void *data, const struct fathom_event *event);
	void *wanted_data;
	uint64_t try_events; /* so many are read before places are looked at; 0: as many as is good */
};

enum timeline_phase {
	TIMELINE_DONE,
	TIMELINE_BEGIN,
	TIMELINE_TRY, /* perhaps there are few events */
	TIMELINE_SAMPLE,
	TIMELINE_EXACT,
};

/* Spans of tasks on their way into cells. */
struct timeline_pass {
	struct timeline *timeline;
	struct task_states states;
	uint64_t start; /* nothing is known of what was before */
	bool is_sample; /* all goes to column @col */
	unsigned col;
	bool has_waking;
};

struct timeline {
	struct timeline_options options;
	struct fathom_window window;
	struct followed followed; /* tasks that the recording is limited to */
	uint64_t first, last; /* of what can be shown */
	uint64_t from, span; /* of what is shown; @span is at least 1 */
	unsigned cols;
	uint64_t *starts; /* of columns, and behind the last one */
	size_t cap_starts;
	double cols_per_ns;
	struct timeline_lane *lanes;
	size_t n_lanes, cap_lanes;
	struct u64_map numbers; /* of lanes */
	struct lane_cell *cells; /* @cols for each lane */
	size_t cap_cells;
	bool too_many; /* there are more lanes */
	bool nomem; /* something is missing */
	uint32_t *order; /* lanes as they are shown: CPUs, then tasks, those that ran longest first */
	size_t n_order, cap_order;
	uint32_t last_lane; /* a guess */

	enum timeline_phase phase;
	struct event_decoder reader;
	struct fathom_cursor *cursor, *sampler, *finder;
	struct timeline_pass exact, sample;
	unsigned n_clean; /* columns that are not from samples */
	unsigned n_exact; /* columns of which all was read */
	bool sampled; /* the other columns are from samples */
	bool cancelled;
	bool has_switches; /* of tasks */
	uint64_t start; /* of what is read: before @from */
	uint64_t n_before; /* events from there to @from */
	bool is_back; /* the cursor was there */
	uint64_t n_read; /* events */
	uint64_t n_inside; /* of these that are not before the range */
	uint64_t n_behind; /* and behind it */
	int finding; /* 1: the next event of a lane, -1: the one before; 0: none is looked for */
	enum lane_kind find_kind;
	int32_t find_number;
};

/* 0 or a negative errno. */
int timeline_init(struct timeline *timeline, const struct timeline_options *options,
		  struct fathom_err *err);
void timeline_done(struct timeline *timeline);

/* Into so many columns. 0 or -ENOMEM. */
int timeline_resize(struct timeline *timeline, unsigned cols);
/* Shows @span from @from on; both are made to fit. */
void timeline_show(struct timeline *timeline, uint64_t from, uint64_t span);

/* Some of the reading, until @until by the monotonic clock: 1: there is more; 0: no; -ENOMEM. */
int timeline_work(struct timeline *timeline, uint64_t until);
/* Leaves it at what there is. */
void timeline_cancel(struct timeline *timeline);

/* Looks for the next event of a lane behind @time, or the one before. 0 or -ENOMEM. */
int timeline_find(struct timeline *timeline, const struct timeline_lane *lane, uint64_t time,
		  bool up);
/* Some of that: 1: there is more; 0: here it is; -ENOENT: there is none; -ENOMEM. */
int timeline_find_some(struct timeline *timeline, uint64_t until, uint64_t *ret_time);

/* Makes @order. 0 or -ENOMEM. */
int timeline_order(struct timeline *timeline);

/* timeline-cells.c: all that there is. */
uint64_t timeline_whole(const struct timeline *timeline);
/* The column of a time; the first or the last one if it is outside. */
unsigned timeline_col(const struct timeline *timeline, uint64_t time);
/* The number of a lane; TIMELINE_NO_LANE: there is none. */
uint32_t timeline_lane(const struct timeline *timeline, enum lane_kind kind, int32_t number);
const struct lane_cell *timeline_cell(const struct timeline *timeline, uint32_t lane, unsigned col);
/* The lane, made when there is room and it is wanted; NULL: there is none. */
struct timeline_lane *timeline_lane_get(struct timeline *timeline, enum lane_kind kind,
					int32_t number, bool make);
/* Forgets all lanes. */
void timeline_drop_lanes(struct timeline *timeline);

/* timeline-account.c: for timeline.c. */
void timeline_pass_init(struct timeline_pass *pass, struct timeline *timeline, uint64_t start);
void timeline_pass_done(struct timeline_pass *pass);
/* An event, which is in the range if @is_inside. */
void timeline_pass_feed(struct timeline_pass *pass, const struct fathom_event *event,
			bool is_inside);
/* What is going on is added up until @time; to be taken back before the next event. */
void timeline_pass_hold(struct timeline_pass *pass, uint64_t time);
void timeline_pass_let_go(struct timeline_pass *pass);
/* Lanes for tasks that do one thing all the time up to @time, and have no event. */
void timeline_pass_add_lanes(struct timeline_pass *pass, uint64_t time);
/* The sample reached from @from to @to: its column is taken to be like that. */
void timeline_pass_scale(struct timeline_pass *pass, uint64_t from, uint64_t to);

#endif
