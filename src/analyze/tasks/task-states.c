/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/tasks/task-states.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"

#define CPUS_MAX 65536
#define CPU_NONE UINT32_MAX

struct task_states_cpu {
	uint64_t gaps; /* number of gaps */
	bool known; /* a switch was seen */
	int32_t pid; /* the task that runs */
	uint32_t task; /* its number; TASK_NONE: the idle task */
	uint64_t since;
	uint64_t since_gaps; /* @gaps then */
	uint32_t irq, vector, softirq; /* being served; WAKER_NO_NUMBER: none, or unknown */
};

bool task_state_waits(enum task_state state)
{
	return state == TASK_STATE_SLEEPING || state == TASK_STATE_BLOCKED ||
	       state == TASK_STATE_IDLE || state == TASK_STATE_STOPPED;
}

static struct task_states_cpu *task_states_find_cpu(struct task_states *states, uint32_t cpu)
{
	if (cpu < states->n_cpus)
		return &states->cpus[cpu];
	if (cpu >= CPUS_MAX || mem_reserve(&states->cpus, &states->cap_cpus, cpu + (size_t)1,
					   sizeof(*states->cpus)) < 0) {
		states->nomem = true;
		return NULL;
	}
	for (; states->n_cpus <= cpu; states->n_cpus++)
		states->cpus[states->n_cpus] =
			(struct task_states_cpu){ .irq = WAKER_NO_NUMBER,
						  .vector = WAKER_NO_NUMBER,
						  .softirq = WAKER_NO_NUMBER };
	return &states->cpus[cpu];
}

static void task_states_learn_name(struct task_states_task *task, struct decoded_name name)
{
	size_t len = name.len < TASK_NAME_SIZE - 1 ? name.len : TASK_NAME_SIZE - 1;

	if (!name.s)
		return;
	memcpy(task->name, name.s, len);
	task->name[len] = '\0';
}

/*
 * Returns the flag that says whether the task with the pid is recorded, or NULL if memory is
 * exhausted.
 */
static bool *find_is_followed(struct task_states *states, int32_t pid)
{
	bool *is_followed = u64_map_element(&states->followed_pids, (uint32_t)pid,
					    &states->is_followed, &states->n_followed,
					    &states->cap_followed, sizeof(*states->is_followed));

	if (!is_followed)
		states->nomem = true;
	return is_followed;
}

static void task_states_follow(struct task_states *states, int32_t pid)
{
	bool *is_followed = find_is_followed(states, pid);

	if (is_followed)
		*is_followed = true;
}

/* The kernel removes ended tasks from its list only if it adds forked ones. */
static void stop_following(struct task_states *states, int32_t pid)
{
	bool *is_followed;

	if (!task_states_is_limited(states) || !states->followed->children)
		return;
	is_followed = find_is_followed(states, pid);
	if (is_followed)
		*is_followed = false;
}

static bool is_untraced(const struct task_states *states, int32_t pid)
{
	return states->followed && followed_leaves_out(states->followed, pid);
}

/* Returns whether the task is recorded: listed in a limited recording, or not left out. */
static bool is_followed(struct task_states *states, int32_t pid)
{
	bool *known;

	if (!task_states_is_limited(states))
		return !is_untraced(states, pid);
	if (!states->n_followed)
		for (size_t i = 0; i < states->followed->n; i++)
			task_states_follow(states, states->followed->pids[i]);
	known = find_is_followed(states, pid);
	return known && *known;
}

/* Adds a task that has the pid from now on, and stores its number in *@current. */
static struct task_states_task *task_states_new_task(struct task_states *states, uint32_t *current,
						     int32_t pid)
{
	struct task_states_task *task;

	if (states->n_tasks >= TASKS_MAX || mem_reserve(&states->tasks, &states->cap_tasks,
							states->n_tasks + 1, sizeof(void *)) < 0) {
		states->nomem = true;
		return NULL;
	}
	task = arena_zalloc(&states->arena, 1, sizeof(*task));
	if (!task) {
		states->nomem = true;
		return NULL;
	}
	task->pid = pid;
	task->is_followed = is_followed(states, pid);
	task->parent = TASK_NONE;
	task->cpu = CPU_NONE;
	task->syscall = SYSCALL_UNKNOWN;
	*current = (uint32_t)states->n_tasks;
	states->tasks[states->n_tasks++] = task;
	return task;
}

/*
 * Returns the number of the task that has the pid, adding it if necessary. TASK_NONE if memory is
 * exhausted.
 */
static uint32_t task_states_find_task(struct task_states *states, int32_t pid, bool renew)
{
	size_t n = states->n_current;
	uint32_t *current = u64_map_element(&states->pids, (uint32_t)pid, &states->current,
					    &states->n_current, &states->cap_current,
					    sizeof(*states->current));
	struct task_states_task *task;

	if (!current) {
		states->nomem = true;
		return TASK_NONE;
	}
	if (states->n_current > n)
		*current = TASK_NONE;
	if (*current != TASK_NONE && !renew)
		return *current;
	task = task_states_new_task(states, current, pid);
	if (task && !renew && states->known && tasks_know(states->known, pid))
		task_states_learn_name(
			task, (struct decoded_name){ tasks_find(states->known, pid)->comm,
						     tasks_find(states->known, pid)->len });
	return task ? *current : TASK_NONE;
}

/* Called when the task was seen on @cpu: discards states that a gap has made doubtful. */
static void task_states_touch(struct task_states *states, struct task_states_task *task,
			      uint32_t cpu)
{
	bool lost;

	if (task->state == TASK_STATE_RUNNING && task->cpu == cpu)
		lost = states->cpus[cpu].gaps != task->cpu_gaps;
	else
		lost = states->gaps != task->gaps;
	if (lost)
		task->syscall = SYSCALL_UNKNOWN;
	task->cpu_gaps = states->cpus[cpu].gaps;
	task->gaps = states->gaps;
}

/* Passes on the part of the span that is in the window. */
static void task_states_hand_out(struct task_states *states, struct task_span span)
{
	if (span.task == TASK_NONE ? task_states_is_limited(states) :
				     !states->tasks[span.task]->is_followed)
		return;
	/* A task off its CPU may be on one that was not recorded. */
	if (span.state != TASK_STATE_RUNNING && states->followed && states->followed->some_cpus)
		return;
	if (span.end < states->from || (span.end == states->from && span.start < span.end))
		return;
	if (task_span_has_time(&span) && span.start < states->from) {
		span.start = states->from;
		span.migrated = span.was_ready = false;
		if (span.quality == SPAN_WHOLE)
			span.quality = SPAN_CLIPPED;
	}
	states->take(states->data, states, &span);
}

/* Ends the state of a task that is off the CPU: passes on a span, completed from @more. */
static void end_off(struct task_states *states, uint32_t number, uint64_t time, bool contradicted,
		    struct task_span more)
{
	struct task_states_task *task = states->tasks[number];

	if (task->state != TASK_STATE_RUNNABLE && !task_state_waits(task->state))
		return;
	/* It was running when it was woken, and has not left its CPU since. */
	if (contradicted && task->may_run)
		return;
	more.task = number;
	more.state = task->state;
	more.start = task->since;
	more.end = time;
	more.was_preempted = task->was_preempted;
	more.was_ready = task->was_ready;
	more.syscall = task->syscall;
	if (contradicted || states->gaps != task->gaps || time < task->since)
		more.quality = SPAN_DOUBTFUL;
	task_states_hand_out(states, more);
}

/* @from was on a CPU, but @to leaves it. Events of an exited task may not be recorded. */
static void note_missing(struct task_states *states, uint32_t from, uint32_t to)
{
	states->missing++;
	if (from == TASK_NONE)
		states->idle_vanished = true;
	else if (!states->tasks[from]->exits)
		states->tasks[from]->has_vanished = true;
	if (to != TASK_NONE)
		states->tasks[to]->has_appeared = true;
}

/*
 * Ends the run of the task @number, which according to the event was on the CPU. Passes on its
 * span, and returns whether it is the expected task.
 */
static bool end_turn(struct task_states *states, struct task_states_cpu *cpu, uint32_t number,
		     const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct task_span span = { .task = number,
				  .state = TASK_STATE_RUNNING,
				  .start = cpu->since,
				  .end = event->time,
				  .cpu = event->cpu,
				  .unwanted = decoded->unwanted,
				  .next = decoded->sched.prev_pid ? decoded->sched.prev :
								    TASK_STATE_RUNNABLE };
	bool expected = cpu->known && cpu->pid == decoded->sched.prev_pid && cpu->task == number;

	if (!cpu->known)
		span.quality = cpu->gaps ? SPAN_DOUBTFUL : SPAN_CUT;
	else if (!expected || cpu->since_gaps != cpu->gaps || event->time < cpu->since)
		span.quality = SPAN_DOUBTFUL;
	if (number != TASK_NONE && expected && states->tasks[number]->cpu == event->cpu)
		span.migrated = states->tasks[number]->migrated;
	task_states_hand_out(states, span);
	/* Switches are missing without a gap. Tasks that are not recorded may have run unseen. */
	if (cpu->known && !expected && cpu->since_gaps == cpu->gaps &&
	    !task_states_is_limited(states) &&
	    (cpu->task == TASK_NONE || states->tasks[cpu->task]->is_followed))
		note_missing(states, cpu->task, number);
	if (cpu->known && !expected && cpu->task != TASK_NONE) {
		struct task_states_task *other = states->tasks[cpu->task];

		/* It left the CPU at an unknown time. */
		if (other->state == TASK_STATE_RUNNING && other->cpu == event->cpu) {
			span.task = cpu->task;
			span.migrated = other->migrated;
			span.next = other->state = TASK_STATE_UNKNOWN;
			task_states_hand_out(states, span);
		}
	}
	return expected;
}

static void task_states_go_off(struct task_states *states, uint32_t number, bool expected,
			       const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct task_states_task *task = states->tasks[number];

	/* It already runs elsewhere: the clocks of the two CPUs differ slightly. */
	if (expected && task->state == TASK_STATE_RUNNING && task->cpu != event->cpu)
		return;
	end_off(states, number, event->time, true,
		(struct task_span){ .cpu = event->cpu, .unwanted = decoded->unwanted });
	task->has_early_waker |= task->may_run;
	task->may_run = false;
	task_states_touch(states, task, event->cpu);
	task->state = decoded->sched.prev;
	task->was_ready = false;
	task->may_sleep = task->state == TASK_STATE_RUNNABLE && !decoded->sched.is_preempted;
	task->was_preempted = task->state == TASK_STATE_RUNNABLE;
	task->since = event->time;
	task->cpu = event->cpu;
}

static void task_states_come_on(struct task_states *states, uint32_t number,
				const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct task_states_task *task = states->tasks[number];

	end_off(states, number, event->time, false,
		(struct task_span){
			.cpu = event->cpu, .unwanted = decoded->unwanted, .with_queue = true });
	task_states_touch(states, task, event->cpu);
	task->migrated = task->cpu != CPU_NONE && task->cpu != event->cpu;
	task->state = TASK_STATE_RUNNING;
	task->cpu = event->cpu;
	task->has_early_waker = task->may_run = task->may_sleep = false;
}

/* Changes the pid of a task: continues it as a new task in the same state. */
static void change_pid(struct task_states *states, uint32_t old, int32_t pid,
		       const struct decoded_event *decoded)
{
	struct task_states_task *task = states->tasks[old], *new;
	struct task_states_cpu *cpu = task->cpu < states->n_cpus ? &states->cpus[task->cpu] : NULL;
	bool runs = task->state == TASK_STATE_RUNNING && cpu && cpu->known && cpu->task == old;
	struct task_span span = { .cpu = task->cpu, .unwanted = decoded->unwanted };
	uint32_t number;

	if (task->is_followed && task_states_is_limited(states))
		task_states_follow(states, pid);
	number = task_states_find_task(states, pid, true);
	if (number == TASK_NONE)
		return;
	if (runs) {
		span.task = old;
		span.state = TASK_STATE_RUNNING;
		span.quality = cpu->since_gaps == cpu->gaps ? SPAN_WHOLE : SPAN_DOUBTFUL;
		span.start = cpu->since;
		span.end = decoded->event->time;
		span.migrated = task->migrated;
		task_states_hand_out(states, span);
		cpu->task = number;
		cpu->pid = pid;
		cpu->since = decoded->event->time;
		cpu->since_gaps = cpu->gaps;
	} else {
		end_off(states, old, decoded->event->time, false, span);
	}
	new = states->tasks[number];
	*new = *task;
	new->pid = pid;
	new->since = decoded->event->time;
	new->migrated = false;
	task->state = TASK_STATE_DEAD;
}

/*
 * A thread that executes a program exchanges pids with the first thread, which has ended or is
 * about to. No event reports this immediately: it becomes visible when either of them leaves its
 * CPU, or at sched_process_exec. The task on @cpu has @pid now.
 */
static void exchange_pids(struct task_states *states, const struct task_states_cpu *cpu,
			  int32_t pid, const struct decoded_event *decoded)
{
	int32_t old_pid = cpu->pid;
	uint32_t other = task_states_find(states, pid);

	change_pid(states, cpu->task, pid, decoded);
	if (other != TASK_NONE && states->tasks[other]->state != TASK_STATE_DEAD &&
	    states->tasks[other]->state != TASK_STATE_UNKNOWN)
		change_pid(states, other, old_pid, decoded);
	else
		stop_following(states, old_pid);
}

/*
 * Returns whether the CPU is known to run a recorded task. Then no other task can have run there.
 */
static bool is_sure(const struct task_states *states, const struct task_states_cpu *cpu)
{
	return cpu->known && cpu->since_gaps == cpu->gaps && cpu->task != TASK_NONE &&
	       states->tasks[cpu->task]->is_followed &&
	       states->tasks[cpu->task]->state == TASK_STATE_RUNNING;
}

/*
 * Returns whether the switch shows that the task on the CPU has exchanged pids. It is either the
 * executing thread, under the pid of the first thread, which has ended, or the first thread, which
 * ends under the pid of the other, which runs elsewhere.
 */
static bool has_exchanged(const struct task_states *states, const struct task_states_cpu *cpu,
			  uint32_t prev, const struct decoded_event *decoded)
{
	if (cpu->pid == decoded->sched.prev_pid || !is_sure(states, cpu))
		return false;
	return states->tasks[prev]->state == TASK_STATE_DEAD ||
	       (states->tasks[prev]->state == TASK_STATE_RUNNING &&
		decoded->sched.prev == TASK_STATE_DEAD && states->tasks[cpu->task]->exits);
}

static void task_states_feed_exec(struct task_states *states, const struct decoded_event *decoded)
{
	int32_t pid = decoded->event->pid, old_pid = decoded->path.old_pid;
	struct task_states_cpu *cpu = task_states_find_cpu(states, decoded->event->cpu);

	if (cpu && pid > 0 && old_pid > 0 && old_pid != pid && cpu->pid == old_pid &&
	    is_sure(states, cpu))
		exchange_pids(states, cpu, pid, decoded);
}

static void task_states_feed_switch(struct task_states *states, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct task_states_cpu *cpu = task_states_find_cpu(states, event->cpu);
	int32_t prev_pid = decoded->sched.prev_pid, next_pid = decoded->sched.next_pid;
	uint32_t prev = prev_pid ? task_states_find_task(states, prev_pid, false) : TASK_NONE;
	uint32_t next = next_pid ? task_states_find_task(states, next_pid, false) : TASK_NONE;
	bool expected;

	if (!cpu || (prev_pid && prev == TASK_NONE) || (next_pid && next == TASK_NONE))
		return;
	if (prev_pid && has_exchanged(states, cpu, prev, decoded)) {
		exchange_pids(states, cpu, prev_pid, decoded);
		prev = task_states_find(states, prev_pid);
	}
	/* A dead task that runs is another one with the same pid. */
	if (prev != TASK_NONE && states->tasks[prev]->state == TASK_STATE_DEAD)
		prev = task_states_find_task(states, prev_pid, true);
	if (prev != TASK_NONE)
		task_states_learn_name(states->tasks[prev], decoded->sched.prev_name);
	expected = end_turn(states, cpu, prev, decoded);
	if (prev != TASK_NONE) {
		states->tasks[prev]->goes = true;
		states->tasks[prev]->is_recorded |= !next_pid;
		task_states_go_off(states, prev, expected, decoded);
	}
	if (prev != TASK_NONE && decoded->sched.prev == TASK_STATE_DEAD)
		stop_following(states, prev_pid);
	if (next != TASK_NONE && states->tasks[next]->state == TASK_STATE_DEAD)
		next = task_states_find_task(states, next_pid, true);
	if (next != TASK_NONE) {
		task_states_learn_name(states->tasks[next], decoded->sched.next_name);
		states->tasks[next]->is_recorded |= !prev_pid;
		task_states_come_on(states, next, decoded);
	}
	cpu->known = !next_pid || next != TASK_NONE;
	cpu->pid = next_pid;
	cpu->task = next;
	cpu->since = event->time;
	cpu->since_gaps = cpu->gaps;
}

struct waker task_states_waker(struct task_states *states, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	const struct task_states_cpu *cpu = task_states_find_cpu(states, event->cpu);
	struct waker waker = { WAKER_UNKNOWN, WAKER_NO_NUMBER };

	if (decoded->task.context == CONTEXT_HARDIRQ) {
		bool is_vector = cpu && cpu->irq == WAKER_NO_NUMBER &&
				 cpu->vector != WAKER_NO_NUMBER;

		waker.kind = is_vector ? WAKER_VECTOR : WAKER_HARDIRQ;
		if (cpu)
			waker.number = is_vector ? cpu->vector : cpu->irq;
	} else if (decoded->task.context == CONTEXT_SOFTIRQ) {
		waker.kind = WAKER_SOFTIRQ;
		waker.number = cpu ? cpu->softirq : WAKER_NO_NUMBER;
	} else if (event->pid == 0) {
		waker.kind = WAKER_IDLE;
	} else if (event->pid > 0) {
		waker.number = task_states_find_task(states, event->pid, false);
		waker.kind = waker.number == TASK_NONE ? WAKER_UNKNOWN : WAKER_TASK;
	}
	return waker;
}

static void task_states_wake(struct task_states *states, uint32_t number,
			     const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct task_states_task *task = states->tasks[number];
	struct waker waker = task_states_waker(states, decoded);

	/*
	 * A runnable task is not woken. Before Linux 5.18, the switch event reports a slightly
	 * later state: if another CPU has begun to wake the task by then, it is reported as
	 * runnable. Whether its sleep was interruptible is unknown.
	 */
	task->was_ready = task->state == TASK_STATE_RUNNABLE && task->may_sleep;
	if (task->was_ready)
		task->state = TASK_STATE_SLEEPING;
	task->may_sleep = false;
	if (task->state == TASK_STATE_RUNNABLE)
		return;
	if (task->state == TASK_STATE_RUNNING) {
		/* It is about to sleep. If it still does, it is woken immediately. */
		task->has_early_waker = decoded->kind == DECODED_WAKING;
		task->early_waker = waker;
		return;
	}
	if (decoded->kind == DECODED_WAKEUP && task->has_early_waker)
		waker = task->early_waker;
	end_off(states, number, event->time, false,
		(struct task_span){
			.cpu = task->cpu, .unwanted = decoded->unwanted, .waker = waker });
	if (states->gaps != task->gaps)
		task->syscall = SYSCALL_UNKNOWN;
	task->gaps = states->gaps;
	task->may_run = task->state == TASK_STATE_UNKNOWN && decoded->kind == DECODED_WAKING;
	task->early_waker = waker;
	task->state = TASK_STATE_RUNNABLE;
	task->was_preempted = task->was_ready = false;
	task->since = event->time;
	task->has_early_waker = false;
}

static void task_states_feed_wake(struct task_states *states, const struct decoded_event *decoded)
{
	int32_t pid = decoded->task.pid;
	uint32_t number = pid ? task_states_find_task(states, pid, false) : TASK_NONE;
	struct task_states_task *task;

	if (number == TASK_NONE)
		return;
	task = states->tasks[number];
	if (task->state == TASK_STATE_DEAD ||
	    (decoded->kind == DECODED_WAKEUP_NEW && !task->is_new)) {
		number = task_states_find_task(states, pid, true);
		if (number == TASK_NONE)
			return;
		task = states->tasks[number];
	}
	states->has_wakes = true;
	task->is_new = false;
	task_states_learn_name(task, decoded->task.name);
	task_states_wake(states, number, decoded);
}

/*
 * Only events in the context of a task show that it is recorded: a switch or a wakeup may have been
 * recorded because of the other task.
 */
static void feed_own(struct task_states *states, const struct decoded_event *decoded)
{
	int32_t pid = decoded->event->pid;
	uint32_t number;

	if (!task_states_is_limited(states) || !states->followed->children || pid <= 0 ||
	    is_followed(states, pid))
		return;
	task_states_follow(states, pid);
	number = task_states_find_task(states, pid, false);
	if (number != TASK_NONE)
		states->tasks[number]->is_followed = true;
}

static void task_states_feed_fork(struct task_states *states, const struct decoded_event *decoded)
{
	int32_t pid = decoded->task.pid, parent = decoded->event->pid;
	uint32_t number;

	feed_own(states, decoded);
	if (task_states_is_limited(states) && states->followed->children && pid)
		task_states_follow(states, pid);
	number = pid ? task_states_find_task(states, pid, true) : TASK_NONE;
	if (number == TASK_NONE)
		return;
	states->tasks[number]->is_new = true;
	task_states_learn_name(states->tasks[number], decoded->task.name);
	if (parent > 0)
		states->tasks[number]->parent = task_states_find_task(states, parent, false);
}

static void task_states_feed_task_exit(struct task_states *states,
				       const struct decoded_event *decoded)
{
	int32_t pid = decoded->task.pid;
	uint32_t number = pid ? task_states_find_task(states, pid, false) : TASK_NONE;

	if (number == TASK_NONE)
		return;
	states->tasks[number]->exits = true;
	if (states->tasks[number]->state == TASK_STATE_RUNNING)
		return;
	/* A task that ends is running, so its switch was lost. */
	end_off(states, number, decoded->event->time, true,
		(struct task_span){ .cpu = decoded->event->cpu });
	states->tasks[number]->state = TASK_STATE_UNKNOWN;
}

const char *task_states_syscall(const struct task_states *states, int64_t number)
{
	return syscall_names_find(&states->names, number);
}

static void task_states_feed_syscall(struct task_states *states,
				     const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	uint32_t number = event->pid > 0 ? task_states_find_task(states, event->pid, false) :
					   TASK_NONE;

	if (number == TASK_NONE || !task_states_find_cpu(states, event->cpu))
		return;
	feed_own(states, decoded);
	states->has_syscalls = states->tasks[number]->is_recorded = true;
	syscall_names_learn(&states->names, decoded);
	states->nomem |= states->names.nomem;
	task_states_touch(states, states->tasks[number], event->cpu);
	states->tasks[number]->syscall = decoded->kind == DECODED_SYSCALL_ENTRY &&
							 decoded->call_number.number >= 0 ?
						 decoded->call_number.number :
						 SYSCALL_NONE;
}

static void task_states_feed_irq(struct task_states *states, const struct decoded_event *decoded)
{
	struct task_states_cpu *cpu = task_states_find_cpu(states, decoded->event->cpu);
	uint32_t number = (uint32_t)decoded->call_number.number;

	if (!cpu)
		return;
	if (decoded->kind == DECODED_IRQ_EXIT || decoded->kind == DECODED_SOFTIRQ_EXIT)
		number = WAKER_NO_NUMBER;
	if (decoded->kind == DECODED_SOFTIRQ_ENTRY || decoded->kind == DECODED_SOFTIRQ_EXIT)
		cpu->softirq = number;
	else if (str_eq(decoded->entry->format->system, "irq_vectors"))
		cpu->vector = number;
	else
		cpu->irq = number;
}

static void task_states_feed_gap(struct task_states *states, const struct fathom_event *event)
{
	struct task_states_cpu *cpu;
	bool used = false;

	for (size_t i = 0; i < sizeof(states->buffers) / sizeof(states->buffers[0]); i++)
		used |= states->buffers[i] == event->buffer + 1U;
	cpu = used ? task_states_find_cpu(states, event->cpu) : NULL;
	if (!cpu)
		return;
	cpu->gaps++;
	cpu->irq = cpu->vector = cpu->softirq = WAKER_NO_NUMBER;
	states->gaps++;
}

/* Returns whether the event is from the buffer that counts for its kind. */
static bool task_states_takes(struct task_states *states, const struct decoded_event *decoded)
{
	uint32_t *buffer = &states->buffers[decoded->kind];

	if (!*buffer)
		*buffer = decoded->event->buffer + 1U;
	return *buffer == decoded->event->buffer + 1U;
}

uint32_t task_states_find(const struct task_states *states, int32_t pid)
{
	uint32_t place = pid ? u64_map_get(&states->pids, (uint32_t)pid) : U64_MAP_NONE;

	return place < states->n_current ? states->current[place] : TASK_NONE;
}

static bool is_undecided(const struct task_states_task *task)
{
	return task->state == TASK_STATE_RUNNABLE && (task->may_run || task->may_sleep);
}

static void task_states_decide(struct task_states *states, int32_t pid, bool has_waited)
{
	uint32_t number = task_states_find(states, pid);

	if (number == TASK_NONE || !is_undecided(states->tasks[number]))
		return;
	if (states->tasks[number]->may_run && !has_waited)
		states->tasks[number]->state = TASK_STATE_UNKNOWN;
	states->tasks[number]->may_run = states->tasks[number]->may_sleep = false;
	states->n_undecided--;
}

/* Its wakeup shows that it sleeps; see task_states_wake(). */
static void decide_sleep(struct task_states *states, int32_t pid)
{
	uint32_t number = task_states_find(states, pid);

	if (number == TASK_NONE || !is_undecided(states->tasks[number]) ||
	    !states->tasks[number]->may_sleep)
		return;
	states->tasks[number]->state = TASK_STATE_SLEEPING;
	states->tasks[number]->was_ready = true;
	states->tasks[number]->may_sleep = false;
	states->n_undecided--;
}

/*
 * Handles events after the window. A woken task that enters or leaves a CPU shows whether it had
 * been running all the time; a wakeup shows that an apparently runnable task sleeps.
 */
static void feed_late(struct task_states *states, const struct decoded_event *decoded)
{
	if (!states->is_late) {
		states->is_late = true;
		for (uint32_t i = 0; i < states->n_tasks; i++)
			states->n_undecided += is_undecided(states->tasks[i]);
	}
	if (decoded_has_gap(decoded))
		states->n_undecided = 0;
	if (!states->n_undecided || !(TASK_STATES_FILTERED >> decoded->kind & 1) ||
	    !task_states_takes(states, decoded))
		return;
	if (decoded->kind != DECODED_SWITCH) {
		decide_sleep(states, decoded->task.pid);
		return;
	}
	task_states_decide(states, decoded->sched.prev_pid, false);
	task_states_decide(states, decoded->sched.next_pid, true);
}

void task_states_feed(struct task_states *states, const struct decoded_event *decoded)
{
	_Static_assert(DECODED_TASK_EXIT < sizeof(states->buffers) / sizeof(states->buffers[0]),
		       "the last kind needs a place");

	if (decoded->late) {
		feed_late(states, decoded);
		return;
	}
	states->last = decoded->event->time;
	if (decoded->event->missed)
		task_states_feed_gap(states, decoded->event);
	switch (decoded->kind) {
	case DECODED_SWITCH:
		if (task_states_takes(states, decoded))
			task_states_feed_switch(states, decoded);
		break;
	case DECODED_WAKING:
	case DECODED_WAKEUP:
	case DECODED_WAKEUP_NEW:
		if (task_states_takes(states, decoded))
			task_states_feed_wake(states, decoded);
		break;
	case DECODED_FORK:
		if (task_states_takes(states, decoded))
			task_states_feed_fork(states, decoded);
		break;
	case DECODED_TASK_EXIT:
		if (task_states_takes(states, decoded))
			task_states_feed_task_exit(states, decoded);
		break;
	case DECODED_EXEC:
		if (task_states_takes(states, decoded))
			task_states_feed_exec(states, decoded);
		break;
	case DECODED_SYSCALL_ENTRY:
	case DECODED_SYSCALL_EXIT:
		if (task_states_takes(states, decoded))
			task_states_feed_syscall(states, decoded);
		break;
	case DECODED_IRQ_ENTRY:
	case DECODED_IRQ_EXIT:
	case DECODED_SOFTIRQ_ENTRY:
	case DECODED_SOFTIRQ_EXIT:
		if (task_states_takes(states, decoded))
			task_states_feed_irq(states, decoded);
		break;
	default:
		break;
	}
}

bool task_states_now(const struct task_states *states, uint32_t number, uint64_t time,
		     struct task_span *ret)
{
	const struct task_states_task *task;
	const struct task_states_cpu *cpu;
	bool runs, lost;

	/* Memory was exhausted. */
	if (number >= states->n_tasks)
		return false;
	task = states->tasks[number];
	if (!task->is_followed)
		return false;
	cpu = task->cpu < states->n_cpus ? &states->cpus[task->cpu] : NULL;
	runs = task->state == TASK_STATE_RUNNING;
	if (!runs && states->followed && states->followed->some_cpus)
		return false;
	if (!runs && task->state != TASK_STATE_RUNNABLE && !task_state_waits(task->state))
		return false;
	if (runs && (!cpu || !cpu->known || cpu->task != number))
		return false;
	lost = runs ? cpu->since_gaps != cpu->gaps : states->gaps != task->gaps;
	*ret = (struct task_span){ .task = number,
				   .state = task->state,
				   .quality = lost ? SPAN_DOUBTFUL : SPAN_WHOLE,
				   .start = runs ? cpu->since : task->since,
				   .end = time,
				   .cpu = task->cpu,
				   .was_preempted = task->was_preempted,
				   .syscall = task->syscall };
	return true;
}

int task_states_finish_at(struct task_states *states, uint64_t to)
{
	if (to > states->last)
		states->last = to;
	return task_states_finish(states);
}

int task_states_finish(struct task_states *states)
{
	for (uint32_t i = 0; i < states->n_cpus; i++) {
		const struct task_states_cpu *cpu = &states->cpus[i];
		struct task_span span = { .task = cpu->task,
					  .state = TASK_STATE_RUNNING,
					  .quality = SPAN_CUT,
					  .start = cpu->since,
					  .end = states->last,
					  .cpu = i,
					  .at_end = true };

		if (!cpu->known)
			continue;
		if (cpu->since_gaps != cpu->gaps || states->last < cpu->since)
			span.quality = SPAN_DOUBTFUL;
		if (cpu->task != TASK_NONE && states->tasks[cpu->task]->cpu == i)
			span.migrated = states->tasks[cpu->task]->migrated;
		task_states_hand_out(states, span);
	}
	for (uint32_t i = 0; i < states->n_tasks; i++)
		end_off(states, i, states->last, false,
			(struct task_span){ .quality = SPAN_CUT,
					    .cpu = states->tasks[i]->cpu,
					    .at_end = true,
					    .undecided = states->tasks[i]->may_run });
	return states->nomem ? -ENOMEM : 0;
}

static bool task_states_is_partial(const struct task_states_task *task)
{
	return task->has_vanished || task->has_appeared;
}

/*
 * Returns whether switches are missing as if only some tasks, and switches next to them, were
 * recorded. Excluded tasks are never seen to leave a CPU. If a task is partially recorded, the
 * recording is limited in some other way.
 */
static bool is_by_tasks(const struct task_states *states)
{
	bool is = states->idle_vanished;

	for (size_t i = 0; i < states->n_tasks; i++) {
		const struct task_states_task *task = states->tasks[i];

		if (task->is_recorded && task_states_is_partial(task))
			return false;
		is |= task->has_vanished && task->goes;
	}
	return is;
}

int task_states_find_followed(const struct task_states *states, struct followed *followed)
{
	_cleanup_free_ bool *left =
		NULL; /* by index of the pid: exclude it, or it was added before */
	size_t cap = 0;

	if (!is_by_tasks(states))
		return 0;
	left = mem_zalloc(states->n_current + 1, sizeof(*left));
	if (!left)
		return -ENOMEM;
	for (size_t i = 0; i < states->n_tasks; i++) {
		const struct task_states_task *task = states->tasks[i];

		if (task_states_is_partial(task))
			left[u64_map_get(&states->pids, (uint32_t)task->pid)] = true;
	}
	for (size_t i = 0; i < states->n_tasks; i++) {
		const struct task_states_task *task = states->tasks[i];
		bool *is_left = &left[u64_map_get(&states->pids, (uint32_t)task->pid)];

		if (*is_left || !task->is_recorded)
			continue;
		if (mem_reserve(&followed->pids, &cap, followed->n + 1, sizeof(int32_t)) < 0)
			return -ENOMEM;
		followed->pids[followed->n++] = task->pid;
		*is_left = true;
	}
	followed->missing = states->missing;
	return 0;
}

void task_states_done(struct task_states *states)
{
	u64_map_done(&states->followed_pids);
	u64_map_done(&states->pids);
	arena_done(&states->arena);
	free(states->is_followed);
	free(states->current);
	free(states->tasks);
	free(states->cpus);
	syscall_names_done(&states->names);
	memset(states, 0, sizeof(*states));
}
