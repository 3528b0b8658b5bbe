/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/tasks/processes.h"

#include <signal.h>
#include <stdlib.h>

#include "analyze/tasks/signals.h"
#include "base/mem.h"
#include "base/str.h"

#define IS_THREAD 0x10000 /* CLONE_THREAD */

static struct process *leader_of(struct processes *processes, const struct process *process)
{
	return &processes->list[process->leader];
}

static uint32_t processes_place_of(const struct processes *processes, const struct process *process)
{
	return (uint32_t)(process - processes->list);
}

/* Returns the task that has the pid now, or NULL. */
static struct process *processes_holder(const struct processes *processes, int32_t pid)
{
	uint32_t place = u64_map_get(&processes->pids, (uint32_t)pid);

	return place < processes->n_pids ? &processes->list[processes->latest[place]] : NULL;
}

/* Adds a task, which has the pid from now on. Returns NULL if that fails. */
static struct process *processes_add(struct processes *processes, int32_t pid)
{
	const struct process *before = processes_holder(processes, pid);
	uint32_t *latest, at = (uint32_t)processes->n;
	uint32_t older = before ? processes_place_of(processes, before) : PROCESS_NONE;

	if (processes->n >= PROCESSES_MAX)
		return NULL;
	if (mem_reserve(&processes->list, &processes->cap, processes->n + 1,
			sizeof(*processes->list)) < 0 ||
	    !(latest = u64_map_element(&processes->pids, (uint32_t)pid, &processes->latest,
				       &processes->n_pids, &processes->cap_pids,
				       sizeof(*processes->latest)))) {
		processes->nomem = true;
		return NULL;
	}
	*latest = at;
	processes->list[at] = (struct process){ .pid = pid,
						.leader = at,
						.before = older,
						.maker = PROCESS_NONE,
						.signals = PROCESS_NONE,
						.alive = 1 };
	processes->n++;
	return &processes->list[at];
}

static struct process *processes_get(struct processes *processes, int32_t pid)
{
	return processes_holder(processes, pid) ?: processes_add(processes, pid);
}

static void feed_new_task(struct processes *processes, const struct decoded_event *decoded)
{
	const struct process *parent = processes_get(processes, decoded->event->pid);
	uint32_t maker = parent ? processes_place_of(processes, parent) : PROCESS_NONE;
	struct process *process = parent ? processes_add(processes, decoded->task.pid) : NULL;

	if (!process)
		return;
	process->parent = decoded->event->pid;
	process->maker = maker;
	process->thread = decoded->task.flags & IS_THREAD;
	process->started = decoded->event->time;
	if (process->thread) {
		process->leader = processes->list[maker].leader;
		leader_of(processes, process)->alive++;
	} else {
		process->whole = true;
	}
	processes->list[maker].acted = true;
}

/*
 * The kernel has ended all other threads. A thread other than the first that executes a program
 * takes over the pid of the first one, which has already ended.
 */
static void processes_feed_exec(struct processes *processes, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct process *old = processes_holder(processes, decoded->path.old_pid);
	struct process *process = processes_get(processes, event->pid);

	if (!process)
		return;
	if (decoded->path.old_pid != event->pid && old)
		old->ended = event->time;
	process->acted = true;
	process->ended = 0;
	process->exits = process->leader_exits = process->killed_seen = false;
	process->out_of_memory = false;
	process->fatal = process->reported = 0;
	process->alive = 1;
	process->whole = true;
	if (!decoded->path.len)
		return;
	process->program = arena_strndup(&processes->arena, decoded->path.text, decoded->path.len);
	if (!process->program)
		processes->nomem = true;
}

static void processes_feed_task_exit(struct processes *processes,
				     const struct decoded_event *decoded)
{
	struct process *process = processes_get(processes, decoded->event->pid), *leader;

	if (!process)
		return;
	process->acted = true;
	process->ended = decoded->event->time;
	leader = leader_of(processes, process);
	leader->alive -= leader->alive > 0;
}

static struct process_signal *signal_of(struct processes *processes, uint32_t leader,
					int32_t number)
{
	uint32_t *end = &processes->list[leader].signals;

	while (*end != PROCESS_NONE) {
		if (processes->signals[*end].number == number)
			return &processes->signals[*end];
		end = &processes->signals[*end].next;
	}
	if (processes->n_signals >= PROCESSES_MAX)
		return NULL;
	*end = (uint32_t)processes->n_signals;
	if (mem_reserve(&processes->signals, &processes->cap_signals, processes->n_signals + 1,
			sizeof(*processes->signals)) < 0) {
		processes->nomem = true;
		*end = PROCESS_NONE;
		return NULL;
	}
	processes->signals[processes->n_signals] = (struct process_signal){ .number = number,
									    .process = leader,
									    .next = PROCESS_NONE };
	return &processes->signals[processes->n_signals++];
}

static void note_sender(struct process_signal *signal, int32_t sender)
{
	if (!signal->count++)
		signal->sender = sender;
	else if (signal->sender != sender)
		signal->sender = SENDER_SEVERAL;
}

/*
 * Called when none of the pending signals terminated the process, or when the one that did is
 * known.
 */
static void clear_suspicion(struct processes *processes, struct process *leader)
{
	for (uint32_t at = leader->signals; at != PROCESS_NONE; at = processes->signals[at].next)
		processes->signals[at].may_kill = false;
	leader->suspected = false;
}

/* Determines which signal terminated the process, if there is only one candidate. */
static void find_killer(struct processes *processes, struct process *leader)
{
	struct process_signal *found = NULL;
	size_t n = 0;

	for (uint32_t at = leader->signals; at != PROCESS_NONE; at = processes->signals[at].next)
		if (processes->signals[at].may_kill) {
			found = &processes->signals[at];
			n++;
		}
	if (n != 1)
		return;
	leader->fatal = found->number;
	found->terminated++;
	found->pending -= found->pending > 0;
	clear_suspicion(processes, leader);
}

static void processes_feed_delivery(struct processes *processes,
				    const struct decoded_event *decoded)
{
	struct process *task = processes_get(processes, decoded->event->pid), *leader;
	int32_t number = decoded->signal.number;
	struct process_signal *signal;

	if (!task)
		return;
	task->acted = true;
	leader = leader_of(processes, task);
	if (number == SIGKILL) {
		if (!leader->killed_seen && !leader->exits && !leader->fatal)
			find_killer(processes, leader);
		leader->killed_seen = true;
		return;
	}
	signal = signal_of(processes, task->leader, number);
	if (!signal)
		return;
	if (signal->pending)
		signal->pending--;
	else
		note_sender(signal, decoded->signal.has_code && !signal_is_from_program(decoded) ?
					    SENDER_KERNEL :
					    SENDER_UNKNOWN);
	signal->may_kill &= signal->pending > 0;
	switch (signal_delivered(decoded)) {
	case SIGNAL_HANDLED:
		signal->handled++;
		break;
	case SIGNAL_IGNORED:
		signal->ignored++;
		break;
	case SIGNAL_STOPS:
		signal->stopped++;
		break;
	case SIGNAL_TERMINATES:
	case SIGNAL_DUMPS:
		signal->terminated++;
		if (!leader->exits && !leader->fatal)
			leader->fatal = number;
		break;
	case SIGNAL_ACTION_UNKNOWN:
		break;
	}
}

/* The last act of a process is to report its end to its parent. */
static void feed_child_report(struct processes *processes, const struct decoded_event *decoded,
			      const struct process *target)
{
	struct process *child = processes_holder(processes, decoded->event->pid), *leader;
	const struct process *maker;
	int32_t code = decoded->signal.code;

	if (!child || !child->ended || code < CLD_EXITED || code > CLD_DUMPED)
		return;
	leader = leader_of(processes, child);
	maker = leader->maker == PROCESS_NONE ? NULL : &processes->list[leader->maker];
	/* Before that, it may report its own ended children to their new parent. */
	if (!maker || maker->ended || maker->leader == target->leader)
		leader->reported = code;
}

static void feed_sent(struct processes *processes, const struct decoded_event *decoded)
{
	const struct process *target = processes_get(processes, decoded->signal.pid), *sender;
	struct process *leader = target ? leader_of(processes, target) : NULL;
	int32_t number = decoded->signal.number, from = SENDER_UNKNOWN;
	struct process_signal *signal;

	signal = leader ? signal_of(processes, target->leader, number) : NULL;
	if (!signal)
		return;
	if (number == SIGCHLD)
		feed_child_report(processes, decoded, target);
	sender = processes_holder(processes, decoded->event->pid);
	if (decoded->signal.has_code && !signal_is_from_program(decoded))
		from = SENDER_KERNEL;
	else if (decoded->signal.has_code)
		from = sender ? processes->list[sender->leader].pid : decoded->event->pid;
	note_sender(signal, from);
	switch (decoded->signal.result) {
	case SIGNAL_RESULT_IGNORED:
		signal->ignored++;
		return;
	case SIGNAL_RESULT_PENDING:
		signal->merged++;
		return;
	case SIGNAL_RESULT_FAILED:
		signal->failed++;
		return;
	default:
		signal->pending++;
		break;
	}
	if (signal_default_action(number) != SIGNAL_TERMINATES || leader->exits || leader->fatal)
		return;
	signal->may_kill = true;
	leader->attempts++;
	/* An earlier signal may have terminated it; otherwise SIGKILL does. */
	if (number == SIGKILL && !leader->suspected)
		find_killer(processes, leader);
	else
		leader->suspected = true;
}

static void processes_feed_syscall(struct processes *processes, const struct decoded_event *decoded)
{
	const char *name = decoded_syscall_name(decoded);
	bool exits = name && str_eq(name, "exit_group"), leaves = name && str_eq(name, "exit");
	struct process *task = exits || leaves ? processes_get(processes, decoded->event->pid) :
						 processes_holder(processes, decoded->event->pid);
	int32_t code = (int32_t)(decoded->call_number.first & 0xff);
	struct process *leader;

	if (!task)
		return;
	task->acted = true;
	leader = leader_of(processes, task);
	/*
	 * A task on its way into a system call when a signal arrives handles it on return from that
	 * call. If it enters a second call, the process was not terminated.
	 */
	if (leader->suspected && task->looked == leader->attempts)
		clear_suspicion(processes, leader);
	task->looked = leader->attempts;
	if (exits && !leader->exits && !leader->fatal) {
		leader->exits = true;
		leader->exit_doubtful = leader->suspected;
		leader->code = code;
	}
	if (leaves && task == leader) {
		leader->leader_exits = true;
		leader->leader_code = code;
	}
}

void processes_feed(struct processes *processes, const struct decoded_event *decoded)
{
	struct process *task;

	if (processes->nomem)
		return;
	if (decoded_has_gap(decoded))
		processes->lost = true;
	switch (decoded->kind) {
	case DECODED_NEW_TASK:
		feed_new_task(processes, decoded);
		break;
	case DECODED_EXEC:
		processes_feed_exec(processes, decoded);
		break;
	case DECODED_TASK_EXIT:
		processes_feed_task_exit(processes, decoded);
		break;
	case DECODED_SIGNAL:
		processes_feed_delivery(processes, decoded);
		break;
	case DECODED_SIGNAL_SENT:
		feed_sent(processes, decoded);
		break;
	case DECODED_OOM_KILL:
		task = processes_get(processes, decoded->task.pid);
		if (task)
			leader_of(processes, task)->out_of_memory = true;
		break;
	case DECODED_SYSCALL_ENTRY:
		processes_feed_syscall(processes, decoded);
		break;
	default:
		break;
	}
}

const struct process *processes_find(const struct processes *processes, int32_t pid, uint64_t time)
{
	const struct process *process = processes_holder(processes, pid);

	while (process && process->started > time && process->before != PROCESS_NONE)
		process = &processes->list[process->before];
	return process;
}

static struct process_ending killed_by(const struct process *process)
{
	struct process_ending ending = { .how = PROCESS_KILLED, .signal = process->fatal };

	if (process->reported == CLD_DUMPED)
		ending.dump = PROCESS_DUMPED;
	else if (process->reported == CLD_KILLED ||
		 signal_default_action(process->fatal) == SIGNAL_TERMINATES)
		ending.dump = PROCESS_NOT_DUMPED;
	return ending;
}

struct process_ending process_ending(const struct processes *processes,
				     const struct process *process)
{
	struct process_ending exited = { .how = PROCESS_EXITED,
					 .has_code = process->exits || process->leader_exits,
					 .code = process->exits ? process->code :
								  process->leader_code };

	if (process->leader != processes_place_of(processes, process))
		return (struct process_ending){ 0 };
	if (process->reported)
		return process->reported == CLD_EXITED ? exited : killed_by(process);
	if (process->fatal)
		return killed_by(process);
	if (process->exits ? !process->exit_doubtful :
			     process->leader_exits && process->whole && !process->alive)
		return exited;
	/* Unknown threads, or threads whose events were lost, may have ended it. */
	if (process->killed_seen && !process->exits && process->whole && !processes->lost)
		return killed_by(process);
	return (struct process_ending){ 0 };
}

const struct process_signal *process_signal_find(const struct processes *processes,
						 const struct process *process, int32_t number)
{
	uint32_t at = processes->list[process->leader].signals;

	while (at != PROCESS_NONE && processes->signals[at].number != number)
		at = processes->signals[at].next;
	return at == PROCESS_NONE ? NULL : &processes->signals[at];
}

bool process_signal_is_of_child(const struct process_signal *signal)
{
	return signal->number == SIGCHLD && signal->sender == SENDER_KERNEL;
}

bool process_signal_matters(const struct processes *processes, const struct process_signal *signal)
{
	return !process_signal_is_of_child(signal) ||
	       (processes->list[signal->process].acted && signal->ignored < signal->count);
}

uint64_t processes_count_signals(const struct processes *processes, int32_t pid)
{
	const struct process *process = pid ? processes_holder(processes, pid) : NULL;
	uint64_t sum = 0;

	for (size_t i = 0; i < processes->n_signals; i++)
		if (process_signal_matters(processes, &processes->signals[i]) &&
		    (!pid || (process && process->leader == processes->signals[i].process)))
			sum += processes->signals[i].count;
	return sum;
}

void processes_done(struct processes *processes)
{
	u64_map_done(&processes->pids);
	free(processes->latest);
	free(processes->list);
	free(processes->signals);
	arena_done(&processes->arena);
	*processes = (struct processes){ 0 };
}
