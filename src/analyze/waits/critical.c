/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/waits/critical.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waits/critical-walk.h"
#include "base/mem.h"
#include "base/str.h"

#define LINEAGE_MAX 4096

enum {
	SOFTIRQ_NET_TX = 2,
	SOFTIRQ_NET_RX = 3,
	SOFTIRQ_BLOCK = 4,
};

enum critical_cause critical_cause_of(const struct critical_what *what, uint32_t task)
{
	switch (what->kind) {
	case CRITICAL_RUN:
		return what->task == task ? CAUSE_SELF : CAUSE_TASK;
	case CRITICAL_QUEUE:
	case CRITICAL_QUEUE_UNKNOWN:
		return CAUSE_CPU;
	case CRITICAL_HANDLER:
		return CAUSE_INTERRUPT;
	case CRITICAL_AWAIT:
		break;
	case CRITICAL_UNKNOWN:
		return CAUSE_UNKNOWN;
	}
	switch (what->source) {
	case SOURCE_TIMER:
		return CAUSE_TIMER;
	case SOURCE_BLOCK:
		return CAUSE_DEVICE;
	case SOURCE_IRQ:
		return what->number == WAKER_NO_NUMBER ? CAUSE_INTERRUPT : CAUSE_DEVICE;
	case SOURCE_SOFTIRQ:
		return what->number == SOFTIRQ_NET_RX || what->number == SOFTIRQ_NET_TX ||
				       what->number == SOFTIRQ_BLOCK ?
			       CAUSE_DEVICE :
			       CAUSE_INTERRUPT;
	default:
		return CAUSE_INTERRUPT;
	}
}

/* Returns the task that is followed, or TASK_NONE before the first and after the last one. */
static uint32_t critical_current(const struct critical *critical)
{
	return critical->is_on ? critical->followed[critical->at] : TASK_NONE;
}

static enum task_state state_of(const struct critical *critical, uint32_t task)
{
	return task < critical->states.n_tasks ? critical->states.tasks[task]->state :
						 TASK_STATE_UNKNOWN;
}

/*
 * Returns whether the activity of the task matters now. While the followed task runs, no other one
 * does.
 */
static bool is_logged(const struct critical *critical, uint32_t task)
{
	uint32_t followed = critical_current(critical);

	return followed != TASK_NONE &&
	       (task == followed || state_of(critical, followed) != TASK_STATE_RUNNING);
}

/* Returns NULL for TASK_NONE, and if memory is exhausted. */
static struct critical_life *find_life(struct critical *critical, uint32_t task)
{
	if (task < critical->n_lives)
		return &critical->lives[task];
	if (task >= TASKS_MAX)
		return NULL;
	if (mem_reserve(&critical->lives, &critical->cap_lives, task + (size_t)1,
			sizeof(*critical->lives)) < 0) {
		critical->nomem = true;
		return NULL;
	}
	for (; critical->n_lives <= task; critical->n_lives++)
		critical->lives[critical->n_lives] = (struct critical_life){
			.parent = TASK_NONE, .func = FUNC_NONE, .first = critical->now
		};
	return &critical->lives[task];
}

static bool is_asked_to_sleep(const struct critical *critical, int64_t syscall)
{
	const char *name = task_states_syscall(&critical->states, syscall);

	return name && (str_eq(name, "nanosleep") || str_eq(name, "clock_nanosleep"));
}

/* Adds a wait that @waker ended. */
static void critical_add_wait(struct critical *critical, uint32_t task, uint64_t start,
			      int64_t syscall, struct waker waker)
{
	struct path_piece piece = { .kind = PIECE_WAIT,
				    .start = start,
				    .end = critical->now,
				    .number = waker.number,
				    .place = critical_place(critical, task, syscall) };
	bool is_now = waker.kind == critical->waker.kind && waker.number == critical->waker.number;
	struct wake_source source;

	if (waker.kind == WAKER_TASK) {
		piece.ended_by = END_TASK;
	} else if (waker.kind == WAKER_IDLE) {
		piece.ended_by = END_IDLE;
	} else if (waker.kind != WAKER_UNKNOWN) {
		piece.ended_by = END_SOURCE;
		source = wake_sources_find(&critical->sources, critical->decoded->event, waker,
					   is_now);
		if (source.kind == SOURCE_IRQ && source.number == WAKER_NO_NUMBER &&
		    is_asked_to_sleep(critical, syscall))
			source.kind = SOURCE_TIMER;
	}
	path_log_add(&critical->log, task, &piece, piece.ended_by == END_SOURCE ? &source : NULL);
}

static void add_span(struct critical *critical, const struct task_span *span, bool is_first)
{
	struct path_piece piece = { .start = span->start,
				    .end = span->end,
				    .place = critical_place(
					    critical, span->task,
					    critical->states.tasks[span->task]->syscall) };

	if (span->quality == SPAN_DOUBTFUL) {
		piece.kind = PIECE_UNKNOWN;
		piece.place = PLACE_NONE;
	} else if (span->quality == SPAN_CUT) {
		/*
		 * It has been running since the beginning: otherwise its switch would have been
		 * seen.
		 */
		piece.kind = is_first && !critical->has_lost ? PIECE_RUN : PIECE_UNKNOWN;
		piece.start = 0;
	} else if (span->state == TASK_STATE_RUNNING) {
		piece.kind = PIECE_RUN;
	} else if (span->state == TASK_STATE_RUNNABLE) {
		piece.kind = PIECE_QUEUED;
		piece.number = span->cpu;
	} else {
		struct waker waker = span->waker;

		if (span->with_queue)
			waker.kind = WAKER_UNKNOWN;
		critical_add_wait(critical, span->task, span->start, span->syscall, waker);
		return;
	}
	path_log_add(&critical->log, span->task, &piece, NULL);
}

static void critical_take(void *data, const struct task_states *states,
			  const struct task_span *span)
{
	struct critical *critical = data;
	struct critical_life *life = find_life(critical, span->task);
	bool is_first = life && !life->is_seen;

	(void)states;
	if (life) {
		life->is_seen = true;
		life->last = critical->now;
	}
	if (span->state == TASK_STATE_RUNNING && span->quality != SPAN_DOUBTFUL &&
	    is_logged(critical, TASK_NONE))
		path_log_add_turn(&critical->log, span->cpu, span->task,
				  span->quality == SPAN_CUT ? 0 : span->start, span->end);
	if (life && is_logged(critical, span->task))
		add_span(critical, span, is_first);
}

/* Returns whether all events of the task were recorded. */
static bool critical_is_recorded(const struct critical *critical, uint32_t task)
{
	return task < critical->states.n_tasks && critical->states.tasks[task]->is_followed;
}

/* Starts a new piece for a task that stays on its CPU, but changes its activity. */
static void critical_cut(struct critical *critical, uint32_t task)
{
	uint32_t cpu = critical->decoded->event->cpu;
	struct wake_source handler = wake_sources_handler(&critical->sources, cpu);
	struct critical_life *life = find_life(critical, task);
	struct path_piece piece = { .kind = PIECE_RUN, .end = critical->now };
	struct task_span span;

	if (!life)
		return;
	life->last = critical->now;
	if (task_states_now(&critical->states, task, critical->now, &span)) {
		if (span.state != TASK_STATE_RUNNING || span.cpu != cpu)
			return;
		piece.start = span.start;
		if (span.quality == SPAN_DOUBTFUL)
			piece.kind = PIECE_UNKNOWN;
	} else if (life->is_seen || life->is_born || critical->has_lost ||
		   !critical_is_recorded(critical, task)) {
		return;
	}
	life->has_acted = true;
	if (!is_logged(critical, task))
		return;
	if (handler.kind && piece.kind == PIECE_RUN)
		piece.kind = PIECE_HANDLER;
	piece.place =
		piece.kind == PIECE_RUN ?
			critical_place(critical, task, critical->states.tasks[task]->syscall) :
			PLACE_NONE;
	path_log_add(&critical->log, task, &piece, piece.kind == PIECE_HANDLER ? &handler : NULL);
}

/*
 * Notes that the task is on a CPU. If no switch to it was seen, it has been there since the
 * beginning.
 */
static void note_acting(struct critical *critical, uint32_t task)
{
	struct critical_life *life = find_life(critical, task);

	if (life && critical_is_recorded(critical, task) && !life->is_seen && !life->is_born &&
	    !life->is_second && !critical->has_lost)
		life->has_acted = true;
}

/* Logs what a CPU is doing, before the event changes the states. */
static void feed_before(struct critical *critical, const struct decoded_event *decoded)
{
	uint32_t task = task_states_find(&critical->states, decoded->event->pid);

	critical->waker = (struct waker){ WAKER_UNKNOWN, WAKER_NO_NUMBER };
	switch (decoded->kind) {
	case DECODED_SYSCALL_ENTRY:
	case DECODED_SYSCALL_EXIT:
		if (decoded->entry && str_eq(decoded->entry->format->system, "raw_syscalls"))
			critical->has_all_calls = true;
		__attribute__((fallthrough));
	case DECODED_IRQ_ENTRY:
	case DECODED_IRQ_EXIT:
	case DECODED_SOFTIRQ_ENTRY:
	case DECODED_SOFTIRQ_EXIT:
		if (task != TASK_NONE)
			critical_cut(critical, task);
		break;
	case DECODED_CALL:
	case DECODED_RETURN:
		if (decoded->call.depth || task == TASK_NONE)
			break;
		critical_cut(critical, task);
		if (task < critical->n_lives)
			critical->lives[task].func =
				decoded->kind == DECODED_RETURN ?
					FUNC_NONE :
					func_table_find(&critical->funcs, decoded->call.func);
		break;
	case DECODED_WAKING:
	case DECODED_WAKEUP:
	case DECODED_WAKEUP_NEW:
		critical->waker = task_states_waker(&critical->states, decoded);
		if (critical->waker.kind == WAKER_TASK)
			note_acting(critical, critical->waker.number);
		break;
	default:
		break;
	}
}

static void critical_begin(struct critical *critical)
{
	critical->is_on = true;
	critical->from = critical->to = critical->now;
	path_log_reset(&critical->log, critical->now);
}

/* Handles the creation of a task. If it is the next one to follow, the path continues with it. */
static void critical_follow(struct critical *critical, uint32_t task)
{
	size_t next = critical->is_on ? critical->at + 1 : 0;

	if (critical->is_over || next >= critical->n_followed || critical->followed[next] != task)
		return;
	if (critical->is_on) {
		if (find_life(critical, critical_current(critical)))
			critical_walk(critical, critical_current(critical));
		critical->at = next;
	} else {
		critical_begin(critical);
	}
}

static void critical_feed_fork(struct critical *critical, const struct decoded_event *decoded)
{
	uint32_t task = task_states_find(&critical->states, decoded->task.pid);
	struct critical_life *life = find_life(critical, task);

	if (!life || life->is_seen || life->is_born)
		return;
	life->is_born = true;
	life->born = critical->now;
	life->parent = critical->states.tasks[task]->parent;
	note_acting(critical, life->parent);
	critical_follow(critical, task);
}

/* Handles the wakeup of a task of unknown state. */
static void feed_first_wake(struct critical *critical, const struct decoded_event *decoded)
{
	uint32_t task = task_states_find(&critical->states, decoded->task.pid);
	struct critical_life *life = find_life(critical, task);

	if (!life || life->is_seen)
		return;
	life->is_seen = true;
	life->last = critical->now;
	if (decoded->kind == DECODED_WAKEUP_NEW && !life->is_born) {
		life->is_born = true;
		life->born = critical->now;
		life->parent = critical->waker.kind == WAKER_TASK ? critical->waker.number :
								    TASK_NONE;
		find_life(critical, life->parent);
		critical_follow(critical, task);
		return;
	}
	if (!is_logged(critical, task) || !critical_is_recorded(critical, task))
		return;
	/* If it had been running since the beginning, its departure would have been seen. */
	if (life->is_born)
		critical_add_wait(critical, task, life->born, SYSCALL_UNKNOWN, critical->waker);
	else if (!life->has_acted && !life->is_second && !critical->has_lost)
		critical_add_wait(critical, task, 0, SYSCALL_UNKNOWN, critical->waker);
}

/* Handles an entry by a task of unknown state: it is on a CPU, and was outside this call before. */
static void feed_first_call(struct critical *critical, const struct decoded_event *decoded)
{
	const struct path_piece piece = { .kind = PIECE_RUN,
					  .end = critical->now,
					  .place = PLACE_NONE };
	uint32_t task = task_states_find(&critical->states, decoded->event->pid);

	note_acting(critical, task);
	if (task < critical->n_lives && critical->lives[task].has_acted &&
	    is_logged(critical, task))
		path_log_add(&critical->log, task, &piece, NULL);
}

/* Examines the change of state. */
static void feed_after(struct critical *critical, uint32_t task, enum task_state before)
{
	enum task_state state = state_of(critical, task);
	bool is_last = critical->at + 1 == critical->n_followed;

	if (!critical->is_on || critical_current(critical) != task)
		return;
	if (state != before || (state == TASK_STATE_RUNNING && !path_log_has_room(&critical->log)))
		critical_walk(critical, task);
	if (state == TASK_STATE_DEAD && is_last) {
		critical->is_on = false;
		critical->is_over = true;
	}
}

static void feed_states(struct critical *critical, const struct decoded_event *decoded)
{
	size_t n_tasks = critical->states.n_tasks;
	uint32_t n_pids = critical->states.pids.n;

	task_states_feed(&critical->states, decoded);
	for (size_t i = n_tasks; i < critical->states.n_tasks; i++) {
		struct critical_life *life = find_life(critical, (uint32_t)i);

		if (life)
			life->is_second = critical->states.pids.n == n_pids;
	}
}

void critical_feed(struct critical *critical, const struct decoded_event *decoded)
{
	enum task_state before;
	uint32_t task, actor;

	critical->decoded = decoded;
	if (decoded->event->time > critical->now)
		critical->now = decoded->event->time;
	if (!critical->has_begun) {
		critical->has_begun = true;
		critical->first = critical->now;
		critical->states.take = critical_take;
		critical->states.data = critical;
		if (critical->n_followed && !critical->from_birth)
			critical_begin(critical);
	}
	if (decoded_has_gap(decoded))
		critical->has_lost = true;
	feed_before(critical, decoded);
	wake_sources_feed(&critical->sources, &critical->states, decoded);
	actor = task_states_find(&critical->states, decoded->event->pid);
	task = critical_current(critical);
	before = state_of(critical, task);
	feed_states(critical, decoded);
	if (actor == TASK_NONE &&
	    (decoded->kind == DECODED_SYSCALL_ENTRY || decoded->kind == DECODED_SYSCALL_EXIT))
		feed_first_call(critical, decoded);
	if (decoded->kind == DECODED_FORK)
		critical_feed_fork(critical, decoded);
	else if (decoded->kind == DECODED_WAKING || decoded->kind == DECODED_WAKEUP ||
		 decoded->kind == DECODED_WAKEUP_NEW)
		feed_first_wake(critical, decoded);
	feed_after(critical, task, before);
}

int critical_finish_at(struct critical *critical, uint64_t to)
{
	if (to > critical->now)
		critical->now = to;
	return critical_finish(critical);
}

int critical_finish(struct critical *critical)
{
	uint32_t task = critical_current(critical);

	/* A task without events has no entry. */
	if (find_life(critical, task))
		critical_walk(critical, task);
	if (critical->from < critical->clip)
		critical->from = critical->clip < critical->to ? critical->clip : critical->to;
	critical->nomem |= critical->states.nomem || critical->sources.nomem ||
			   critical->log.nomem || critical->path.nomem;
	return critical->nomem ? -ENOMEM : 0;
}

int critical_lineage(const struct critical *critical, uint32_t task, uint32_t **ret_list,
		     size_t *ret_n)
{
	uint32_t *list = mem_zalloc(LINEAGE_MAX, sizeof(*list));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	while (task < critical->n_lives && n < LINEAGE_MAX) {
		const struct critical_life *life = &critical->lives[task];

		list[n++] = task;
		task = life->is_born && life->parent != task ? life->parent : TASK_NONE;
	}
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t other = list[i];

		list[i] = list[n - 1 - i];
		list[n - 1 - i] = other;
	}
	*ret_list = list;
	*ret_n = n;
	return 0;
}

void critical_done(struct critical *critical)
{
	task_states_done(&critical->states);
	func_table_done(&critical->funcs);
	wake_sources_done(&critical->sources);
	path_log_done(&critical->log);
	critical_path_done(&critical->path);
	free(critical->lives);
	free(critical->back);
	memset(critical, 0, sizeof(*critical));
}
