/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* What a task does during a call. */
enum doing {
	DOING_WORK,
	DOING_SLEEP,
	DOING_QUEUE, /* runnable, waiting for a CPU */
};

#define MEDIAN 500
#define P99    990

struct syscalls_task {
	struct task_slot slot; /* must be first */
	int64_t number; /* current call; -1: none */
	int64_t last_exit; /* call that returned last; -1: none */
	uint64_t start, asleep, runnable;
	double cost; /* of tracing, in ns */
	enum doing doing;
	uint64_t doing_since;
	uint64_t ended; /* when the task ended, as far as known; 0: it has not */
	struct gaps_mark mark;
	uint16_t id; /* of the first event of the last entry or exit */
	bool doubtful; /* events were lost during the call */
	bool interrupted; /* the last call was interrupted by a signal; its result is not known yet */
	bool seen; /* an event of a call was seen */
};

static struct syscall_sums *syscalls_find_sums(struct syscalls *syscalls, int64_t number)
{
	uint32_t place = u64_map_put(&syscalls->numbers, (uint64_t)number);

	if (place == U64_MAP_NONE || mem_reserve(&syscalls->list, &syscalls->cap, place + (size_t)1,
						 sizeof(*syscalls->list)) < 0) {
		syscalls->nomem = true;
		return NULL;
	}
	for (; syscalls->n <= place; syscalls->n++)
		syscalls->list[syscalls->n] = (struct syscall_sums){ .number = number };
	return &syscalls->list[place];
}

/* The event "sys_enter_openat" has a name of a call, "sys_enter" does not. */
static void syscalls_learn_name(struct syscalls *syscalls, struct syscall_sums *sums,
				const struct decoded_event *decoded)
{
	const char *name = decoded_syscall_name(decoded);

	if (sums->name || !name)
		return;
	sums->name = arena_strdup(&syscalls->arena, name);
	if (!sums->name)
		syscalls->nomem = true;
}

bool syscall_sums_never_returns(const struct syscall_sums *sums)
{
	return sums->name && str_has_word("exit exit_group", " ", sums->name);
}

/* Changes the state of a task during its call. */
static void change_doing(const struct syscalls *syscalls, struct syscalls_task *task,
			 enum doing doing, uint64_t time)
{
	uint64_t length = clip_length(&syscalls->clip, task->doing_since, time);

	if (task->doing == DOING_SLEEP)
		task->asleep += length;
	else if (task->doing == DOING_QUEUE)
		task->runnable += length;
	task->doing = doing;
	task->doing_since = time;
}

static void syscalls_add_off(struct syscalls *syscalls, struct syscall_sums *sums,
			     const struct syscalls_task *task)
{
	sums->asleep += task->asleep;
	sums->runnable += task->runnable;
	sums->knows_sleep = syscalls->has_switches;
}

/* Counts a call that is partly outside the window. */
static void syscalls_add_part(struct syscalls *syscalls, struct syscall_sums *sums, uint64_t start,
			      uint64_t end, bool is_open)
{
	bool before = start < syscalls->clip.from;
	bool after = is_open || !clip_has(&syscalls->clip, end);

	sums->cut++;
	sums->throughout += before && after;
	sums->begun_before += before && !after;
	sums->open_at_end += after && !before;
	sums->cut_total += clip_length(&syscalls->clip, start, end);
}

/* Counts the current call, if any, which has no further events. */
static void syscalls_cut(struct syscalls *syscalls, struct syscalls_task *task)
{
	struct syscall_sums *sums = task->number >= 0 ? syscalls_find_sums(syscalls, task->number) :
							NULL;
	bool begins = clip_has(&syscalls->clip, task->start);

	if (sums && restarts_is_return(sums->name)) {
		sums->no_exit += begins;
	} else if (sums && task->ended && !task->doubtful) {
		if (clip_touches(&syscalls->clip, task->start, task->ended)) {
			sums->ended_in++;
			sums->ended_total += clip_length(&syscalls->clip, task->start, task->ended);
			syscalls_add_off(syscalls, sums, task);
		}
	} else if (sums && syscall_sums_never_returns(sums)) {
		sums->ended_in += begins;
	} else if (sums) {
		sums->cut += begins;
	}
	task->number = -1;
	task->ended = 0;
}

/* The task is in its call at the end of the recording. */
static void cut_at_end(struct syscalls *syscalls, struct syscalls_task *task)
{
	struct syscall_sums *sums = NULL;

	if (task->number >= 0 && !task->ended && !task->doubtful)
		sums = syscalls_find_sums(syscalls, task->number);
	if (!sums || syscall_sums_never_returns(sums) || restarts_is_return(sums->name)) {
		syscalls_cut(syscalls, task);
		return;
	}
	change_doing(syscalls, task, task->doing, syscalls->last);
	if (clip_touches(&syscalls->clip, task->start, syscalls->last)) {
		syscalls_add_part(syscalls, sums, task->start, syscalls->last, true);
		syscalls_add_off(syscalls, sums, task);
	}
	task->number = -1;
}

/* Returns the task that has the pid now, or NULL if nothing is known about it. */
static struct syscalls_task *syscalls_known_task(struct syscalls *syscalls, int32_t pid)
{
	return task_table_known(task_tracker_table(&syscalls->tracker), pid, syscalls->tasks,
				syscalls->n_tasks, sizeof(*syscalls->tasks));
}

static struct syscalls_task *syscalls_find_task(struct syscalls *syscalls, int32_t pid)
{
	enum task_slot_state state;
	struct syscalls_task *task = task_table_slot(task_tracker_table(&syscalls->tracker), pid,
						     &syscalls->tasks, &syscalls->n_tasks,
						     &syscalls->cap_tasks, sizeof(*task), &state);

	syscalls->nomem |= !task && pid;
	if (!task || state == TASK_SLOT_KNOWN)
		return task;
	if (state == TASK_SLOT_RENEWED)
		syscalls_cut(syscalls, task);
	*task = (struct syscalls_task){ .slot = task->slot, .number = -1, .last_exit = -1 };
	return task;
}

/*
 * Moves the task to the event's CPU. Its call becomes doubtful if events were lost since it was
 * last seen.
 */
static void syscalls_move_task(struct syscalls *syscalls, struct syscalls_task *task,
			       const struct fathom_event *event)
{
	if (gaps_crossed(&syscalls->gaps, &task->mark, event->cpu, event->time) &&
	    task->number >= 0)
		task->doubtful = true;
}

/* The task ends in its call; its last events follow. */
static void syscalls_end_task(struct syscalls *syscalls, struct syscalls_task *task,
			      const struct fathom_event *event)
{
	if (!task || task->number < 0)
		return;
	syscalls_move_task(syscalls, task, event);
	task->ended = event->time;
}

static void syscalls_feed_entry(struct syscalls *syscalls, const struct decoded_event *decoded)
{
	int64_t number = decoded->call_number.number;
	struct syscalls_task *task = syscalls_find_task(syscalls, decoded->event->pid);
	struct syscall_sums *sums = number >= 0 ? syscalls_find_sums(syscalls, number) : NULL;

	if (!task || !sums)
		return;
	syscalls_learn_name(syscalls, sums, decoded);
	syscalls_move_task(syscalls, task, decoded->event);
	/* The second of two events for the same entry, which follows immediately. */
	if (task->number == number && task->id != decoded->event->id && !task->doubtful &&
	    !task->ended)
		return;
	syscalls_cut(syscalls, task);
	task->number = number;
	task->last_exit = -1;
	task->seen = true;
	task->id = decoded->event->id;
	task->start = task->doing_since = decoded->event->time;
	task->doing = DOING_WORK;
	task->asleep = task->runnable = 0;
	task->cost = syscalls->cost.prices.syscall_ns;
	task->doubtful = false;
}

static bool syscalls_was_lost(const struct syscalls *syscalls)
{
	return syscalls->gaps.n || syscalls->gaps.nomem;
}

/* Counts a call that had begun before the first event. */
static void end_first(struct syscalls *syscalls, const struct syscalls_task *task,
		      struct syscall_sums *sums, const struct decoded_event *decoded)
{
	uint32_t place = (uint32_t)(task - syscalls->tasks);
	bool is_child = task_tracker_table(&syscalls->tracker)->list[place].births, ends;
	uint64_t time = decoded->event->time, start = syscalls->first;

	/* A new task returns from the call in which its parent created it. */
	if (decoded->call_number.result == 0 &&
	    (is_child || (sums->name && str_has_word("clone clone3 fork vfork", " ", sums->name))))
		return;
	if (is_child || syscalls_was_lost(syscalls)) {
		sums->cut += clip_has(&syscalls->clip, time);
		return;
	}
	/* Without a name, it may still be a new task. */
	if (!sums->name && decoded->call_number.result == 0)
		start = time;
	if (!clip_touches(&syscalls->clip, start, time))
		return;
	sums->cut++;
	ends = clip_has(&syscalls->clip, time);
	sums->begun_before += ends;
	sums->throughout += !ends;
	sums->cut_total += clip_length(&syscalls->clip, start, time);
}

/* Counts the exit of a call whose entry is unknown. */
static void syscalls_end_unknown(struct syscalls *syscalls, struct syscalls_task *task,
				 struct syscall_sums *sums, const struct decoded_event *decoded)
{
	int64_t number = decoded->call_number.number;
	bool counts = clip_has(&syscalls->clip, decoded->event->time);

	if (task->number == number) {
		syscalls_cut(syscalls, task); /* and this is its exit, or that of another call */
	} else if (!task->seen) {
		end_first(syscalls, task, sums, decoded);
	} else if (task->number >= 0) {
		syscalls_cut(syscalls, task);
		sums->cut += counts;
	} else if (task->last_exit != number || task->id == decoded->event->id) {
		sums->cut += counts;
	}
	task->doubtful = false;
}

static void add_untraced(struct syscalls *syscalls, const struct syscalls_task *task,
			 struct syscall_sums *sums, uint64_t total)
{
	struct syscall_untraced *untraced = &sums->untraced;
	bool is_first = !sums->count, is_below;

	if (!syscalls->cost.known)
		return;
	total = syscall_cost_take_off(total, task->asleep + task->runnable, task->cost, &is_below);
	untraced->total += total;
	untraced->below += is_below;
	if (is_first || total < untraced->min)
		untraced->min = total;
	if (is_first || total > untraced->max)
		untraced->max = total;
	if (spread_add(&untraced->spread, total) < 0)
		syscalls->nomem = true;
}

/* Counts a call that is completely inside the window. */
static void add_whole(struct syscalls *syscalls, const struct syscalls_task *task,
		      struct syscall_sums *sums, const struct fathom_event *event)
{
	uint64_t total = event->time > task->start ? event->time - task->start : 0;

	add_untraced(syscalls, task, sums, total);
	if (!sums->count || total < sums->min)
		sums->min = total;
	if (!sums->count || total > sums->max) {
		sums->max = total;
		sums->slowest_time = task->start;
		sums->slowest_pid = event->pid;
	}
	if (!sums->count || task->start < sums->first_time)
		sums->first_time = task->start;
	if (task->start > sums->last_time)
		sums->last_time = task->start;
	sums->count++;
	sums->total += total;
	if (total > task->asleep + task->runnable)
		sums->own += total - task->asleep - task->runnable;
	if (spread_add(&sums->spread, total) < 0 ||
	    (syscalls->with_notes &&
	     time_blocks_add(&sums->blocks, event->time,
			     total > task->runnable ? total - task->runnable : 0) < 0))
		syscalls->nomem = true;
	if (syscalls->ended) {
		const struct instance instance = { .start = task->start,
						   .duration = total,
						   .pid = event->pid,
						   .cpu = event->cpu };

		syscalls->ended(syscalls->ended_data, sums, &instance);
	}
}

static void syscalls_end_known(struct syscalls *syscalls, struct syscalls_task *task,
			       struct syscall_sums *sums, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	int64_t result = decoded->call_number.result;
	bool ends = clip_has(&syscalls->clip, event->time);

	if (!clip_touches(&syscalls->clip, task->start, event->time))
		return;
	syscalls_add_off(syscalls, sums, task);
	if (ends && clip_has(&syscalls->clip, task->start))
		add_whole(syscalls, task, sums, event);
	else
		syscalls_add_part(syscalls, sums, task->start, event->time, false);
	if (ends && restarts_is_interrupted(result)) {
		task->interrupted = true;
	} else if (ends && error_code(result)) {
		sums->failed++;
		error_counts_add(&sums->errors, error_code(result), 1);
	}
}

/* A thread that executes a program takes over the pid of the first thread: the call ends there. */
static void syscalls_take_pid(struct syscalls *syscalls, int32_t old_pid, int32_t pid)
{
	struct syscalls_task *to = syscalls_find_task(syscalls, pid);
	struct syscalls_task *from = to ? syscalls_find_task(syscalls, old_pid) : NULL;
	struct task_slot slot;

	if (!from || from->number < 0)
		return;
	to = syscalls_find_task(syscalls, pid);
	syscalls_cut(syscalls, to);
	slot = to->slot;
	*to = *from;
	to->slot = slot;
	from->number = -1;
}

static void syscalls_feed_exit(struct syscalls *syscalls, const struct decoded_event *decoded)
{
	int64_t number = decoded->call_number.number;
	struct syscall_sums *sums = number >= 0 ? syscalls_find_sums(syscalls, number) : NULL;
	struct syscalls_task *task = syscalls_find_task(syscalls, decoded->event->pid);

	/* The return of a handler restores the registers, and with them another call number. */
	if (task && number < 0 && task->number >= 0 && !task->doubtful &&
	    (sums = syscalls_find_sums(syscalls, task->number)) &&
	    (!sums->name || restarts_is_return(sums->name))) {
		sums->no_exit += clip_has(&syscalls->clip, task->start);
		task->number = -1;
	}
	if (!task || !sums || number < 0)
		return;
	syscalls_learn_name(syscalls, sums, decoded);
	syscalls_move_task(syscalls, task, decoded->event);
	if (task->number != number || task->doubtful)
		syscalls_end_unknown(syscalls, task, sums, decoded);
	else
		syscalls_end_known(syscalls, task, sums, decoded);
	task->number = -1;
	task->last_exit = number;
	task->seen = true;
	task->id = decoded->event->id;
}

/* Handles an interrupted call whose outcome is known. */
static void syscalls_take_restart(void *data, const struct restart *restart)
{
	struct syscalls *syscalls = data;
	struct syscalls_task *task = syscalls_known_task(syscalls, restart->pid);
	struct syscall_sums *sums = NULL;

	if (task && task->interrupted)
		sums = syscalls_find_sums(syscalls, restart->number);
	if (!sums)
		return;
	task->interrupted = false;
	sums->restarted += restart->fate == RESTART_RESTARTED;
	sums->interrupted += restart->fate == RESTART_UNKNOWN;
	if (restart->fate == RESTART_EINTR) {
		sums->failed++;
		error_counts_add(&sums->errors, EINTR, 1);
	}
}

static void syscalls_feed_switch(struct syscalls *syscalls, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	enum task_state state = decoded->sched.prev;
	struct syscalls_task *task = syscalls_known_task(syscalls, decoded->sched.prev_pid);

	syscalls->has_switches = true;
	if (task) {
		syscalls_move_task(syscalls, task, event);
		change_doing(syscalls, task,
			     state == TASK_STATE_RUNNABLE ? DOING_QUEUE : DOING_SLEEP, event->time);
		if (state == TASK_STATE_DEAD || task->ended)
			syscalls_end_task(syscalls, task, event);
	}
	task = syscalls_known_task(syscalls, decoded->sched.next_pid);
	if (task) {
		syscalls_move_task(syscalls, task, event);
		change_doing(syscalls, task, DOING_WORK, event->time);
	}
}

/* It was asleep until now. */
static void syscalls_feed_waking(struct syscalls *syscalls, const struct decoded_event *decoded)
{
	struct syscalls_task *task = syscalls_known_task(syscalls, decoded->task.pid);

	if (task && task->doing == DOING_SLEEP)
		change_doing(syscalls, task, DOING_QUEUE, decoded->event->time);
}

/* The event prolongs the current call of its task. */
static void feed_cost(struct syscalls *syscalls, const struct decoded_event *decoded)
{
	double ns = syscall_cost_of(&syscalls->cost, decoded);
	struct syscalls_task *task = ns > 0 ? syscalls_known_task(syscalls, decoded->event->pid) :
					      NULL;

	if (task && task->number >= 0)
		task->cost += ns;
}

void syscalls_clip(struct syscalls *syscalls, struct feed *feed)
{
	feed_look_around(feed);
	syscalls->clip = clip_of(feed->window);
}

void syscalls_feed(struct syscalls *syscalls, const struct decoded_event *decoded)
{
	if (!syscalls->begun)
		syscalls->first = decoded->event->time;
	syscalls->begun = true;
	syscalls->last = decoded->event->time;
	gaps_note(&syscalls->gaps, decoded);
	task_tracker_feed(&syscalls->tracker, decoded, syscalls_take_restart, syscalls);
	if (decoded_old_pid(decoded))
		syscalls_take_pid(syscalls, decoded_old_pid(decoded), decoded->event->pid);
	feed_cost(syscalls, decoded);
	switch (decoded->kind) {
	case DECODED_SYSCALL_ENTRY:
		syscalls_feed_entry(syscalls, decoded);
		break;
	case DECODED_SYSCALL_EXIT:
		syscalls_feed_exit(syscalls, decoded);
		break;
	case DECODED_SWITCH:
		syscalls_feed_switch(syscalls, decoded);
		break;
	case DECODED_WAKING:
	case DECODED_WAKEUP:
		syscalls_feed_waking(syscalls, decoded);
		break;
	case DECODED_TASK_EXIT:
		syscalls_end_task(syscalls, syscalls_known_task(syscalls, decoded->task.pid),
				  decoded->event);
		break;
	default:
		break;
	}
}

static struct syscall_times times_of(const struct spread *spread, uint64_t min, uint64_t max)
{
	return (struct syscall_times){ .min = min,
				       .median = spread_quantile_within(spread, MEDIAN, min, max),
				       .p99 = spread_quantile_within(spread, P99, min, max),
				       .max = max };
}

struct syscall_times syscall_sums_measured(const struct syscall_sums *sums)
{
	struct syscall_times times = times_of(&sums->spread, sums->min, sums->max);

	times.seen = syscall_sums_seen(sums);
	return times;
}

struct syscall_times syscall_sums_untraced(const struct syscall_sums *sums)
{
	const struct syscall_untraced *untraced = &sums->untraced;
	struct syscall_times times = times_of(&untraced->spread, untraced->min, untraced->max);

	times.seen = syscall_sums_seen(sums) - sums->total + untraced->total;
	times.median_below = untraced->below > sums->count / 2;
	times.max_below = sums->count && untraced->below == sums->count;
	return times;
}

void syscall_sums_done(struct syscall_sums *sums)
{
	spread_done(&sums->spread);
	spread_done(&sums->untraced.spread);
	time_blocks_done(&sums->blocks);
}

int syscalls_finish(struct syscalls *syscalls)
{
	size_t kept = 0;

	if (syscalls->goes_on && syscalls->clip.to > syscalls->last)
		syscalls->last = syscalls->clip.to;
	for (size_t i = 0; i < syscalls->n_tasks; i++)
		if (syscalls->tasks[i].slot.used)
			cut_at_end(syscalls, &syscalls->tasks[i]);
	if (task_tracker_finish(&syscalls->tracker) < 0)
		syscalls->nomem = true;
	/* Drops sums with only the returns of new tasks. */
	for (size_t i = 0; i < syscalls->n; i++) {
		struct syscall_sums sums = syscalls->list[i];

		sums.knows_sleep = syscalls->has_switches;
		sums.knows_untraced = syscalls->cost.known;
		sums.shows_untraced = syscalls->cost.known && !syscalls->raw;
		if (syscall_sums_calls(&sums))
			syscalls->list[kept++] = sums;
		else
			syscall_sums_done(&sums);
	}
	syscalls->n = kept;
	return syscalls->nomem || syscalls->gaps.nomem ? -ENOMEM : 0;
}

void syscalls_done(struct syscalls *syscalls)
{
	for (size_t i = 0; i < syscalls->n; i++)
		syscall_sums_done(&syscalls->list[i]);
	u64_map_done(&syscalls->numbers);
	task_tracker_done(&syscalls->tracker);
	arena_done(&syscalls->arena);
	free(syscalls->list);
	free(syscalls->tasks);
	gaps_done(&syscalls->gaps);
	memset(syscalls, 0, sizeof(*syscalls));
}
