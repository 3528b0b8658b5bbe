/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/time-account.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CPUS_MAX 65536

static struct time_task *find_task(struct time_account *account, int32_t pid, uint32_t cpu,
				   uint64_t time)
{
	size_t n = account->n_tasks;
	struct time_task *task = u64_map_element(&account->pids, (uint32_t)pid, &account->tasks,
						 &account->n_tasks, &account->cap_tasks,
						 sizeof(*account->tasks));

	if (!task)
		account->nomem = true;
	else if (account->n_tasks > n)
		*task = (struct time_task){ .pid = pid,
					    .first = time,
					    .last = time,
					    .since = time,
					    .cpu = cpu,
					    .syscall = -1 };
	return task;
}

static uint64_t *find_gaps(struct time_account *account, uint32_t cpu)
{
	if (cpu >= CPUS_MAX || mem_reserve(&account->gaps, &account->cap_gaps, cpu + (size_t)1,
					   sizeof(uint64_t)) < 0) {
		account->nomem = true;
		return NULL;
	}
	for (; account->n_gaps <= cpu; account->n_gaps++)
		account->gaps[account->n_gaps] = 0;
	return &account->gaps[cpu];
}

static enum time_kind kind_of(const struct time_task *task)
{
	if (task->lost)
		return TIME_UNKNOWN;
	if (task->off)
		return task->runnable ? TIME_RUNNABLE : TIME_WAITING;
	if (task->irqs)
		return TIME_STOLEN;
	return task->syscall >= 0 || task->open ? TIME_KERNEL : TIME_USER;
}

static void advance(struct time_task *task, uint64_t time)
{
	if (task->gone) {
		task->since = time;
		return;
	}
	if (time > task->since) {
		task->sums[kind_of(task)] += time - task->since;
		task->since = time;
	}
	task->last = task->since;
}

/* Events were lost where the task was: what it has done since is not known. */
static void forget(struct time_task *task)
{
	task->lost = true;
	task->off = task->runnable = task->fault = false;
	task->syscall = -1;
	task->open = task->irqs = 0;
}

/* An event that tells of a task: all time until now is accounted for. NULL without memory. */
static struct time_task *touch(struct time_account *account, int32_t pid,
			       const struct fathom_event *event)
{
	struct time_task *task = find_task(account, pid, event->cpu, event->time);
	uint64_t *gaps = find_gaps(account, event->cpu);

	if (!task || !gaps)
		return NULL;
	/* Where it was, and where it is now: it may have been there meanwhile. */
	if (account->gaps[task->cpu] > task->last || *gaps > task->last)
		forget(task);
	advance(task, event->time);
	task->lost = false;
	return task;
}

static void begin_wait(struct time_account *account, struct time_task *task, enum task_state state,
		       uint64_t time)
{
	bool disk = state == TASK_STATE_BLOCKED;
	uint64_t key = (uint64_t)(task->syscall + 1) << 2 | (uint64_t)disk << 1 | task->fault;
	struct time_wait *wait = u64_map_element(&account->wait_keys, key, &account->waits,
						 &account->n_waits, &account->cap_waits,
						 sizeof(*account->waits));

	if (!wait) {
		account->nomem = true;
		return;
	}
	wait->syscall = task->syscall;
	wait->disk = disk;
	wait->fault = task->fault;
	task->wait = (uint32_t)(wait - account->waits);
	task->counted = true;
	task->off_since = time;
	task->woken = false;
	task->waits++;
}

static void end_wait(struct time_account *account, struct time_task *task, uint64_t time)
{
	struct time_wait *wait;
	uint64_t length = time - task->off_since;

	task->runnable = true;
	task->runnable_since = time;
	if (!task->counted)
		return;
	wait = &account->waits[task->wait];
	wait->count++;
	wait->total += length;
	if (length >= wait->max) {
		wait->max = length;
		wait->longest_time = task->off_since;
		wait->longest_pid = task->pid;
	}
}

/* It runs at last. */
static void end_runnable(struct time_account *account, const struct time_task *task, uint64_t time)
{
	if (!task->acted || time - task->runnable_since <= account->kept_off.total)
		return;
	account->kept_off.start = task->runnable_since;
	account->kept_off.total = time - task->runnable_since;
	account->kept_off.pid = task->pid;
}

static void count_waker(struct time_account *account, int32_t pid)
{
	struct time_waker *waker = u64_map_element(&account->waker_pids, (uint32_t)pid,
						   &account->wakers, &account->n_wakers,
						   &account->cap_wakers, sizeof(*account->wakers));

	if (!waker) {
		account->nomem = true;
		return;
	}
	waker->pid = pid;
	waker->count++;
}

static void feed_switch(struct time_account *account, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;
	enum task_state state = happening->sched.prev;
	struct time_task *task;

	if (happening->sched.prev_pid) {
		task = touch(account, happening->sched.prev_pid, event);
		if (!task)
			return;
		task->cpu = event->cpu;
		task->off = true;
		task->irqs = 0;
		task->runnable = state == TASK_STATE_RUNNABLE;
		task->runnable_since = event->time;
		task->gone = state == TASK_STATE_DEAD;
		task->counted = false;
		if (task->runnable)
			task->preempted++;
		else if (!task->gone && (task->acted || (task->called && !account->acted)))
			begin_wait(account, task, state, event->time);
	}
	if (happening->sched.next_pid) {
		task = touch(account, happening->sched.next_pid, event);
		if (!task)
			return;
		/* A pid that was used before: this is another task. */
		if (task->gone)
			forget(task);
		task->gone = false;
		if (task->off && task->runnable)
			end_runnable(account, task, event->time);
		else if (task->off)
			end_wait(account, task, event->time);
		if (task->off && task->cpu != event->cpu)
			task->migrations++;
		task->lost = false;
		task->off = false;
		task->cpu = event->cpu;
	}
}

static void feed_waking(struct time_account *account, const struct happening *happening)
{
	uint32_t place = u64_map_get(&account->pids, (uint32_t)happening->task.pid);
	struct time_task *task;

	if (place == U64_MAP_NONE || !account->tasks[place].off || account->tasks[place].gone)
		return;
	task = touch(account, happening->task.pid, happening->event);
	if (!task)
		return;
	if (!task->runnable)
		end_wait(account, task, happening->event->time);
	if (task->counted && !task->woken)
		count_waker(account,
			    happening->task.context != CONTEXT_TASK ? -1 : happening->event->pid);
	task->woken = true;
}

/* So deep inside of the kernel. */
static unsigned in_kernel(const struct happening *happening)
{
	return (unsigned)happening->call.depth - happening->call.users;
}

/* What a task does itself. */
static void feed_act(struct time_account *account, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;
	bool told = event->pid > 0 && (!account->only || event->pid == account->only);
	struct time_task *task = told ? touch(account, event->pid, event) : NULL;

	if (!task)
		return;
	/* The last functions of switching come after the event that tells of it. */
	if (!task->off || task->cpu != event->cpu)
		task->off = task->runnable = false;
	task->cpu = event->cpu;
	switch (happening->kind) {
	case HAPPENING_SYSCALL_ENTRY:
		task->syscall = happening->call_number.number;
		task->fault = false;
		break;
	case HAPPENING_SYSCALL_EXIT:
		task->syscall = -1;
		task->fault = false;
		break;
	case HAPPENING_CALL:
		task->called = true;
		/* A function of a program begins or ends when the kernel is left. */
		task->open = happening->call.is_user ? 0 : in_kernel(happening) + 1;
		return;
	case HAPPENING_RETURN:
		task->open = happening->call.is_user ? 0 : in_kernel(happening);
		if (task->syscall >= 0 && task->open < task->fault_open)
			task->fault = false;
		task->called = true;
		return;
	case HAPPENING_IRQ_ENTRY:
	case HAPPENING_SOFTIRQ_ENTRY:
		task->irqs++;
		return;
	case HAPPENING_IRQ_EXIT:
	case HAPPENING_SOFTIRQ_EXIT:
		task->irqs -= task->irqs > 0;
		return;
	case HAPPENING_FAULT:
		task->fault = true;
		task->fault_open = task->open;
		break;
	default:
		return;
	}
	task->acted = account->acted = true;
}

void time_account_feed(struct time_account *account, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;
	uint64_t *gaps;

	/* What is missing then would be taken for something else. */
	if (account->nomem)
		return;
	gaps = event->missed ? find_gaps(account, event->cpu) : NULL;
	if (gaps)
		*gaps = event->time;
	if (happening->kind == HAPPENING_SWITCH)
		feed_switch(account, happening);
	else if (happening->kind == HAPPENING_WAKING || happening->kind == HAPPENING_WAKEUP ||
		 happening->kind == HAPPENING_WAKEUP_NEW)
		feed_waking(account, happening);
	else if (happening->kind != HAPPENING_OTHER && happening->kind != HAPPENING_USER_STACK)
		feed_act(account, happening);
}

int time_account_finish(struct time_account *account, uint64_t ret_sums[TIME_KINDS])
{
	memset(ret_sums, 0, sizeof(uint64_t) * TIME_KINDS);
	for (size_t i = 0; i < account->n_tasks && !account->acted; i++)
		account->tasks[i].acted = account->tasks[i].called;
	for (size_t i = 0; i < account->n_tasks; i++)
		for (size_t k = 0; k < TIME_KINDS && account->tasks[i].acted; k++)
			ret_sums[k] += account->tasks[i].sums[k];
	return account->nomem ? -ENOMEM : 0;
}

void time_account_done(struct time_account *account)
{
	u64_map_done(&account->pids);
	u64_map_done(&account->wait_keys);
	u64_map_done(&account->waker_pids);
	free(account->tasks);
	free(account->waits);
	free(account->wakers);
	free(account->gaps);
	*account = (struct time_account){ 0 };
}
