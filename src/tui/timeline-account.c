/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns events into the contents of cells. */
#include "tui/timeline.h"

static struct lane_cell *cell_of(struct timeline *timeline, const struct timeline_lane *lane,
				 unsigned col)
{
	return &timeline->cells[(size_t)(lane - timeline->lanes) * timeline->cols + col];
}

static void timeline_account_add(struct timeline *timeline, const struct timeline_lane *lane,
				 unsigned col, enum lane_time what, uint64_t ns, int32_t who)
{
	struct lane_cell *cell = cell_of(timeline, lane, col);

	cell->times[what] += ns;
	if (what == LANE_RUNS && ns >= cell->longest) {
		cell->longest = ns;
		cell->who = who;
	}
}

/* Limits a range to the visible one. Returns false if nothing is left. */
static bool timeline_account_clip(const struct timeline_pass *pass, uint64_t *from, uint64_t *to)
{
	const struct timeline *timeline = pass->timeline;
	uint64_t start = pass->is_sample ? pass->start : timeline->from;
	uint64_t end = timeline->starts[pass->is_sample ? pass->col + 1 : timeline->cols];

	*from = *from < start ? start : *from;
	*to = *to > end ? end : *to;
	return *from < *to;
}

/* Adds a time to the cells of the lane. */
static void credit(struct timeline_pass *pass, struct timeline_lane *lane, enum lane_time what,
		   uint64_t from, uint64_t to, int32_t who)
{
	struct timeline *timeline = pass->timeline;

	if (!timeline_account_clip(pass, &from, &to))
		return;
	if (pass->is_sample) {
		timeline_account_add(timeline, lane, pass->col, what, to - from, who);
		return;
	}
	for (unsigned col = timeline_col(timeline, from);
	     col < timeline->cols && timeline->starts[col] < to; col++) {
		uint64_t a = timeline->starts[col], b = timeline->starts[col + 1];

		a = a < from ? from : a;
		b = b > to ? to : b;
		if (a < b)
			timeline_account_add(timeline, lane, col, what, b - a, who);
	}
}

/* Subtracts it again; not used for samples. */
static void timeline_account_take_back(struct timeline_pass *pass, struct timeline_lane *lane)
{
	struct timeline *timeline = pass->timeline;
	uint64_t from = lane->held_from, to = lane->held_to;

	lane->held_from = lane->held_to = 0;
	if (from >= to || !timeline_account_clip(pass, &from, &to))
		return;
	for (unsigned col = timeline_col(timeline, from);
	     col < timeline->cols && timeline->starts[col] < to; col++) {
		uint64_t a = timeline->starts[col], b = timeline->starts[col + 1];

		a = a < from ? from : a;
		b = b > to ? to : b;
		if (a < b)
			cell_of(timeline, lane, col)->times[lane->held] -= b - a;
	}
}

/* The same for the current activity of a task, which continues the previous one. */
static void timeline_account_go_on(struct timeline_pass *pass, struct timeline_lane *lane,
				   enum lane_time what, uint64_t from, uint64_t to, int32_t who)
{
	credit(pass, lane, what, from < lane->summed ? lane->summed : from, to, who);
	lane->summed = to > lane->summed ? to : lane->summed;
}

static bool timeline_account_time_of(enum task_state state, enum lane_time *ret)
{
	switch (state) {
	case TASK_STATE_RUNNING:
		*ret = LANE_RUNS;
		return true;
	case TASK_STATE_RUNNABLE:
		*ret = LANE_READY;
		return true;
	case TASK_STATE_BLOCKED:
		*ret = LANE_BLOCKED;
		return true;
	case TASK_STATE_SLEEPING:
	case TASK_STATE_IDLE:
	case TASK_STATE_STOPPED:
		*ret = LANE_SLEEPS;
		return true;
	default:
		return false;
	}
}

/* Adds a span, or the part of it that has passed. */
static void put_span(struct timeline_pass *pass, const struct task_span *span, int32_t pid,
		     uint64_t start, uint64_t end)
{
	struct timeline *timeline = pass->timeline;
	bool make = !timeline->options.wanted && start < timeline->starts[timeline->cols] &&
		    end > timeline->from;
	struct timeline_lane *cpu, *lane;
	enum lane_time what;

	if (!timeline_account_time_of(span->state, &what))
		return;
	lane = pid ? timeline_lane_get(timeline, LANE_TASK, pid, make) : NULL;
	if (lane && span->quality != SPAN_DOUBTFUL)
		timeline_account_go_on(pass, lane, what, start, end, (int32_t)span->cpu);
	else if (lane && end > lane->summed)
		lane->summed = end;
	if (what != LANE_RUNS)
		return;
	cpu = timeline_lane_get(timeline, LANE_CPU, (int32_t)span->cpu, false);
	if (cpu && pid && span->quality != SPAN_DOUBTFUL)
		timeline_account_go_on(pass, cpu, what, start, end, pid);
	else if (cpu && end > cpu->summed)
		cpu->summed = end;
}

/* A wait for a CPU has ended: keeps the longest one of the column. */
static void end_wake(struct timeline_pass *pass, struct timeline_lane *lane,
		     const struct task_span *span)
{
	struct timeline *timeline = pass->timeline;
	struct lane_cell *cell;

	if (span->start != lane->waking.time || span->quality != SPAN_WHOLE ||
	    span->start < timeline->from || span->start >= timeline->starts[timeline->cols])
		return;
	cell = cell_of(timeline, lane,
		       pass->is_sample ? pass->col : timeline_col(timeline, span->start));
	lane->waking.wait = span->end - span->start;
	if (!cell->wake.time || lane->waking.wait > cell->wake.wait)
		cell->wake = lane->waking;
	lane->waking.time = 0;
}

static void timeline_account_take(void *data, const struct task_states *states,
				  const struct task_span *span)
{
	struct timeline_pass *pass = data;
	int32_t pid = span->task == TASK_NONE ? 0 : states->tasks[span->task]->pid;
	struct timeline_lane *lane;

	put_span(pass, span, pid, span->quality == SPAN_CUT ? pass->start : span->start, span->end);
	if (span->state != TASK_STATE_RUNNABLE || span->was_preempted)
		return;
	lane = timeline_lane_get(pass->timeline, LANE_TASK, pid, false);
	if (lane && lane->waking.time)
		end_wake(pass, lane, span);
}

void timeline_pass_init(struct timeline_pass *pass, struct timeline *timeline, uint64_t start)
{
	*pass = (struct timeline_pass){
		.timeline = timeline,
		.start = start,
		.states = { .take = timeline_account_take,
			    .data = pass,
			    .known = timeline->options.tasks,
			    .followed = &timeline->followed },
	};
	for (size_t i = 0; i < timeline->n_lanes; i++) {
		struct timeline_lane *lane = &timeline->lanes[i];

		lane->summed = start;
		lane->waking.time = 0;
		lane->irqs = 0;
		lane->held_from = lane->held_to = 0;
		lane->seen = TIMELINE_SEEN_NOBODY;
	}
}

void timeline_pass_done(struct timeline_pass *pass)
{
	task_states_done(&pass->states);
	pass->timeline = NULL;
}

/* A task is woken. */
static void timeline_account_feed_wake(struct timeline_pass *pass,
				       const struct decoded_event *decoded)
{
	struct timeline_lane *lane = timeline_lane_get(
		pass->timeline, LANE_TASK, decoded->task.pid,
		!pass->timeline->options.wanted && decoded->task.pid &&
			decoded->event->time >= pass->timeline->from &&
			decoded->event->time < pass->timeline->starts[pass->timeline->cols]);
	struct waker waker;

	pass->has_waking |= decoded->kind == DECODED_WAKING;
	/*
	 * If sched_waking is also recorded, this event may come from an interrupt on another CPU.
	 */
	if (!lane || (decoded->kind == DECODED_WAKEUP && pass->has_waking))
		return;
	waker = task_states_waker(&pass->states, decoded);
	lane->waking = (struct lane_wake){ .time = decoded->event->time,
					   .pid = decoded->event->pid,
					   .number = waker.number,
					   .kind = waker.kind };
}

static void timeline_account_feed_irq(struct timeline_pass *pass,
				      const struct decoded_event *decoded)
{
	struct timeline_lane *cpu =
		timeline_lane_get(pass->timeline, LANE_CPU, (int32_t)decoded->event->cpu, false);

	if (!cpu)
		return;
	if (decoded->kind == DECODED_IRQ_ENTRY || decoded->kind == DECODED_SOFTIRQ_ENTRY) {
		if (!cpu->irqs++)
			cpu->irq_since = decoded->event->time;
	} else if (cpu->irqs && !--cpu->irqs) {
		credit(pass, cpu, LANE_IRQ, cpu->irq_since, decoded->event->time, 0);
	}
}

/* A switch says which task ran; without one, those with events did. */
static void feed_seen(struct timeline_pass *pass, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct timeline_lane *cpu =
		timeline_lane_get(pass->timeline, LANE_CPU, (int32_t)event->cpu, false);

	/* The waker need not be a task that the recording is limited to. */
	if (!cpu || (task_states_is_limited(&pass->states) &&
		     (decoded->kind == DECODED_WAKING || decoded->kind == DECODED_WAKEUP ||
		      decoded->kind == DECODED_WAKEUP_NEW)))
		return;
	if (cpu->seen == TIMELINE_SEEN_NOBODY) {
		cpu->seen = event->pid;
		cpu->seen_from = event->time;
	}
	if (decoded->kind == DECODED_SWITCH || cpu->seen != event->pid)
		cpu->seen = TIMELINE_SEEN_SEVERAL;
	cpu->seen_to = event->time;
}

static void timeline_account_count(struct timeline_pass *pass, const struct fathom_event *event,
				   struct timeline_lane *lane)
{
	struct timeline *timeline = pass->timeline;
	struct lane_cell *cell = cell_of(
		timeline, lane, pass->is_sample ? pass->col : timeline_col(timeline, event->time));

	if (!cell->events) {
		cell->first = event->time;
		cell->id = event->id;
	}
	cell->events += cell->events < UINT32_MAX;
	cell->lost |= event->missed != 0;
}

static void feed_count(struct timeline_pass *pass, const struct fathom_event *event)
{
	struct timeline *timeline = pass->timeline;
	struct timeline_lane *lane;

	if (!event->data || (timeline->options.wanted &&
			     !timeline->options.wanted(timeline->options.wanted_data, event)))
		return;
	lane = timeline_lane_get(timeline, LANE_CPU, (int32_t)event->cpu, true);
	if (lane)
		timeline_account_count(pass, event, lane);
	lane = event->pid > 0 ? timeline_lane_get(timeline, LANE_TASK, event->pid, true) : NULL;
	if (lane)
		timeline_account_count(pass, event, lane);
}

void timeline_pass_feed(struct timeline_pass *pass, const struct fathom_event *event,
			bool is_inside)
{
	struct timeline *timeline = pass->timeline;
	struct decoded_event decoded;

	if (is_inside)
		feed_count(pass, event);
	if (event->missed) {
		struct timeline_lane *cpu =
			timeline_lane_get(timeline, LANE_CPU, (int32_t)event->cpu, false);

		if (cpu)
			cpu->irqs = 0;
	}
	event_decoder_read(&timeline->reader, event, &decoded);
	if (pass->is_sample)
		feed_seen(pass, &decoded);
	switch (decoded.kind) {
	case DECODED_WAKING:
	case DECODED_WAKEUP:
	case DECODED_WAKEUP_NEW:
		timeline_account_feed_wake(pass, &decoded);
		break;
	case DECODED_IRQ_ENTRY:
	case DECODED_IRQ_EXIT:
	case DECODED_SOFTIRQ_ENTRY:
	case DECODED_SOFTIRQ_EXIT:
		timeline_account_feed_irq(pass, &decoded);
		break;
	case DECODED_SWITCH:
		timeline->has_switches = true;
		break;
	default:
		break;
	}
	task_states_feed(&pass->states, &decoded);
}

/* Adds the current activity of the lane up to now. */
static void timeline_account_hold(struct timeline_pass *pass, struct timeline_lane *lane,
				  enum lane_time what, uint64_t from, uint64_t to, int32_t who)
{
	lane->held = what;
	lane->held_from = from < lane->summed ? lane->summed : from;
	lane->held_to = to;
	if (lane->held_from < to)
		credit(pass, lane, what, lane->held_from, to, who);
}

void timeline_pass_hold(struct timeline_pass *pass, uint64_t time)
{
	struct timeline *timeline = pass->timeline;
	struct task_span span;

	for (size_t i = 0; i < timeline->n_lanes; i++) {
		struct timeline_lane *lane = &timeline->lanes[i], *cpu;
		uint32_t task = lane->kind == LANE_TASK ?
					task_states_find(&pass->states, lane->number) :
					TASK_NONE;
		enum lane_time what;

		if (task == TASK_NONE || !task_states_now(&pass->states, task, time, &span) ||
		    span.quality == SPAN_DOUBTFUL || !timeline_account_time_of(span.state, &what))
			continue;
		timeline_account_hold(pass, lane, what, span.start, time, (int32_t)span.cpu);
		cpu = what == LANE_RUNS ?
			      timeline_lane_get(timeline, LANE_CPU, (int32_t)span.cpu, false) :
			      NULL;
		if (cpu)
			timeline_account_hold(pass, cpu, what, span.start, time, lane->number);
	}
}

void timeline_pass_add_lanes(struct timeline_pass *pass, uint64_t time)
{
	const struct task_states *states = &pass->states;
	struct task_span span;

	for (uint32_t i = 0; i < states->n_tasks && !pass->timeline->options.wanted; i++) {
		int32_t pid = states->tasks[i]->pid;

		if (task_states_find(states, pid) == i && task_states_now(states, i, time, &span) &&
		    span.quality != SPAN_DOUBTFUL && span.start < time)
			(void)timeline_lane_get(pass->timeline, LANE_TASK, pid, true);
	}
}

void timeline_pass_let_go(struct timeline_pass *pass)
{
	struct timeline *timeline = pass->timeline;

	for (size_t i = 0; i < timeline->n_lanes; i++)
		timeline_account_take_back(pass, &timeline->lanes[i]);
}

/* Without a switch in the sample, the task with events is taken to have run all the time. */
static void put_seen(struct timeline_pass *pass, size_t number)
{
	struct timeline *timeline = pass->timeline;
	struct timeline_lane *cpu = &timeline->lanes[number], *lane;

	if (cpu->kind != LANE_CPU || cpu->seen <= 0 || !timeline->has_switches)
		return;
	credit(pass, cpu, LANE_RUNS, cpu->seen_from, cpu->seen_to, cpu->seen);
	lane = timeline_lane_get(timeline, LANE_TASK, cpu->seen, false);
	if (lane)
		credit(pass, lane, LANE_RUNS, cpu->seen_from, cpu->seen_to, cpu->number);
}

void timeline_pass_scale(struct timeline_pass *pass, uint64_t from, uint64_t to)
{
	struct timeline *timeline = pass->timeline;
	uint64_t width = timeline->starts[pass->col + 1] - timeline->starts[pass->col];
	double factor = to > from ? (double)width / (double)(to - from) : 1;

	for (size_t i = 0; i < timeline->n_lanes; i++)
		put_seen(pass, i);
	if (factor <= 1)
		return;
	for (size_t i = 0; i < timeline->n_lanes; i++) {
		struct lane_cell *cell = &timeline->cells[i * timeline->cols + pass->col];
		double events = (double)cell->events * factor;

		for (unsigned k = 0; k < LANE_TIMES; k++)
			cell->times[k] = (uint64_t)((double)cell->times[k] * factor);
		cell->events = events < 4e9 ? (uint32_t)events : UINT32_MAX;
	}
}
