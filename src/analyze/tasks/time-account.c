/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/tasks/time-account.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define CPUS_MAX 65536
/* Beyond this number, tasks with the same pid are no longer distinguished. */
#define ROWS_MAX ((size_t)1 << 20)

enum place {
	PLACE_UNKNOWN,
	PLACE_ON, /* on a CPU */
	PLACE_OFF,
};

/* Flags of waits whose system call is still uncertain; HELD_WAITS is the number of combinations. */
enum {
	HELD_DISK = 1,
	HELD_FAULT = 2,
	HELD_WAITS = 4,
};

struct time_cpu {
	bool has_turns; /* a switch was seen */
	int32_t pid; /* task switched to last; 0: the idle task, or events were lost since */
	int32_t prev_pid; /* task that left then */
};

/* The state of the current task of a pid since @since. */
struct time_live {
	struct task_slot slot; /* must be first */
	uint32_t row; /* index in account->tasks */
	uint64_t since; /* time before is accounted for, or held */
	enum place place;
	bool runnable; /* PLACE_OFF */
	bool gone;
	uint32_t cpu;
	unsigned open; /* open kernel functions */
	unsigned irqs;
	bool fault; /* in a page fault, which began in a function at this depth: */
	unsigned fault_open;
	/*
	 * The current system call according to its last event, and the ID of that event. Time on a
	 * CPU is held until the next such event confirms or refutes it.
	 */
	int64_t syscall;
	int64_t last_exit;
	uint16_t id;
	uint64_t held;
	uint64_t held_maybe; /* in the program, or in a page fault of the program */
	bool maybe;
	struct {
		uint64_t count, total, max, longest_time;
		int32_t longest_waker;
	} waits[HELD_WAITS];

	unsigned wait; /* what it waits for: index in @waits */
	bool waits_now, woken; /* the waker of this wait is known */
	uint64_t off_since;
	uint64_t runnable_since; /* when it became runnable */
	uint64_t woken_at; /* PLACE_UNKNOWN: when it was woken; 0: it was not */
	bool took_pid; /* took over the pid of the first thread before the event that shows it */
};

static struct time_cpu *time_account_find_cpu(struct time_account *account, uint32_t cpu)
{
	if (cpu < account->n_cpus)
		return &account->cpus[cpu];
	if (cpu >= CPUS_MAX || mem_reserve(&account->cpus, &account->cap_cpus, cpu + (size_t)1,
					   sizeof(*account->cpus)) < 0) {
		account->nomem = true;
		return NULL;
	}
	for (; account->n_cpus <= cpu; account->n_cpus++)
		account->cpus[account->n_cpus] = (struct time_cpu){ 0 };
	return &account->cpus[cpu];
}

/* Returns whether the waits of the task are counted. */
static bool time_account_counts(const struct time_account *account, const struct time_task *task)
{
	return task->acted || (task->called && !account->acted);
}

static void count_wait(struct time_account *account, struct time_live *live, unsigned i,
		       int64_t syscall)
{
	bool disk = i & HELD_DISK, fault = i & HELD_FAULT;
	uint64_t key = ((uint64_t)syscall + 2) << 2 | (uint64_t)disk << 1 | fault;
	struct time_wait *wait;

	wait = u64_map_element(&account->wait_keys, key, &account->waits, &account->n_waits,
			       &account->cap_waits, sizeof(*account->waits));
	if (!wait) {
		account->nomem = true;
		return;
	}
	wait->syscall = syscall;
	wait->disk = disk;
	wait->fault = fault;
	wait->count += live->waits[i].count;
	wait->total += live->waits[i].total;
	if (live->waits[i].max >= wait->max) {
		wait->max = live->waits[i].max;
		wait->longest_time = live->waits[i].longest_time;
		wait->longest_pid = account->tasks[live->row].pid;
		wait->longest_waker = live->waits[i].longest_waker;
	}
}

/* Settles the held time: it was in this system call, or in none. */
static void time_account_settle(struct time_account *account, struct time_live *live,
				enum time_kind kind, enum time_kind maybe, int64_t syscall)
{
	struct time_task *task = &account->tasks[live->row];

	task->sums[kind] += live->held;
	task->sums[maybe] += live->held_maybe;
	live->held = live->held_maybe = 0;
	for (unsigned i = 0; i < HELD_WAITS; i++)
		if (live->waits[i].count && time_account_counts(account, task))
			count_wait(account, live, i, syscall);
	memset(live->waits, 0, sizeof(live->waits));
}

/* Settles the held time as time in the program. */
static void settle_user(struct time_account *account, struct time_live *live)
{
	time_account_settle(account, live, TIME_USER, TIME_MAYBE_USER, TIME_SYSCALL_NONE);
}

/*
 * No later event can confirm or refute the current state; assume that it is right if the recording
 * has such events at all.
 */
static void settle_last(struct time_account *account, struct time_live *live)
{
	struct time_task *task = &account->tasks[live->row];
	bool recorded = account->has_entries || account->has_exits;

	if (live->syscall >= 0) {
		task->unconfirmed += live->held + live->held_maybe;
		time_account_settle(account, live, TIME_KERNEL, TIME_KERNEL,
				    account->has_exits ? live->syscall : TIME_SYSCALL_UNKNOWN);
	} else if (live->syscall == TIME_SYSCALL_NONE) {
		settle_user(account, live);
	} else if (recorded || !account->has_calls) {
		time_account_settle(account, live, TIME_UNKNOWN, TIME_UNKNOWN,
				    TIME_SYSCALL_UNKNOWN);
	} else {
		time_account_settle(account, live, TIME_MAYBE_USER, TIME_MAYBE_USER,
				    TIME_SYSCALL_UNKNOWN);
	}
}

/* Makes the state of the task unknown from now on. */
static void time_account_forget(struct time_live *live)
{
	live->place = PLACE_UNKNOWN;
	live->runnable = live->fault = live->maybe = live->waits_now = false;
	live->syscall = live->last_exit = TIME_SYSCALL_UNKNOWN;
	live->open = live->irqs = 0;
	live->woken_at = 0;
}

/* Begins another task with the pid. Returns false if there is no room for it. */
static bool begin_task(struct time_account *account, struct time_live *live, int32_t pid,
		       bool renewed, const struct fathom_event *event)
{
	bool full = account->n_tasks >= ROWS_MAX;
	uint32_t row = live->row;
	bool is_shown = true;

	if (renewed) {
		settle_last(account, live);
		is_shown = account->tasks[row].acted || account->tasks[row].called;
	} else if (full) {
		live->slot.used = false;
		return false;
	}
	/* A task that did nothing is not shown; the next one reuses its row. */
	if (is_shown && !full) {
		if (mem_reserve(&account->tasks, &account->cap_tasks, account->n_tasks + 1,
				sizeof(*account->tasks)) < 0) {
			account->nomem = true;
			live->slot.used = renewed;
			return false;
		}
		row = (uint32_t)account->n_tasks++;
	}
	if (!is_shown || !full)
		account->tasks[row] =
			(struct time_task){ .pid = pid, .first = event->time, .last = event->time };
	*live = (struct time_live){
		.slot = live->slot, .row = row, .since = event->time, .cpu = event->cpu
	};
	time_account_forget(live);
	return true;
}

/* Returns the last state stored for the pid, of its current or previous task, or NULL. */
static struct time_live *last_live(struct time_account *account, int32_t pid)
{
	uint32_t place = task_table_find(task_tracker_table(&account->tracker), pid);

	return place < account->n_live && account->live[place].slot.used ? &account->live[place] :
									   NULL;
}

/* Returns the state of the task that has the pid now, or NULL. */
static struct time_live *known_live(struct time_account *account, int32_t pid)
{
	const struct task_table *table = task_tracker_table(&account->tracker);
	struct time_live *live = last_live(account, pid);

	/* The end of the first thread does not make this another task. */
	if (live && live->took_pid)
		live->slot.life = table->list[task_table_find(table, pid)].number;
	return task_table_known(table, pid, account->live, account->n_live, sizeof(*live));
}

/* Returns NULL for the idle task, or if memory is exhausted. */
static struct time_live *find_live(struct time_account *account, int32_t pid,
				   const struct fathom_event *event)
{
	enum task_slot_state state;
	struct time_live *live = task_table_slot(task_tracker_table(&account->tracker), pid,
						 &account->live, &account->n_live,
						 &account->cap_live, sizeof(*live), &state);

	account->nomem |= !live && pid;
	if (live && state != TASK_SLOT_KNOWN && !live->took_pid &&
	    !begin_task(account, live, pid, state == TASK_SLOT_RENEWED, event))
		return NULL;
	return live;
}

/*
 * Gives the thread with @old_pid the @pid of the first thread, which has @old_pid until its end.
 */
static void time_account_take_pid(struct time_account *account, int32_t old_pid, int32_t pid)
{
	struct task_table *table = task_tracker_table(&account->tracker);
	enum task_slot_state state;
	struct time_live *to, *from, first;
	struct task_slot slot;

	if (!task_table_slot(table, pid, &account->live, &account->n_live, &account->cap_live,
			     sizeof(*to), &state)) {
		account->nomem = true;
		return;
	}
	to = last_live(account, pid);
	from = last_live(account, old_pid);
	slot = to->slot;
	first = *to;
	*to = *from;
	to->slot = slot;
	account->tasks[to->row].pid = pid;
	account->tasks[to->row].took_pid = true;
	slot = from->slot;
	*from = first;
	from->slot = slot;
	from->slot.used = state != TASK_SLOT_NEW;
	/* It will have no more events. */
	if (from->slot.used && (from->gone || !account->has_switches)) {
		settle_last(account, from);
		from->slot.used = false;
	}
	if (!from->slot.used)
		*from = (struct time_live){ .slot = from->slot };
}

/* Counts time on a CPU. */
static void add_running(struct time_account *account, struct time_live *live, uint64_t time)
{
	uint64_t *sums = account->tasks[live->row].sums;
	uint64_t length = clip_length(&account->clip, live->since, time);

	if (live->irqs)
		sums[TIME_STOLEN] += length;
	else if (live->open)
		sums[TIME_KERNEL] += length;
	else if (live->maybe && live->syscall == TIME_SYSCALL_NONE)
		live->held_maybe += length;
	else
		live->held += length;
}

static void note_wait(const struct time_account *account, struct time_live *live, unsigned i,
		      uint64_t start, uint64_t end, int32_t waker)
{
	uint64_t length = clip_length(&account->clip, start, end);

	if (!clip_touches(&account->clip, start, end))
		return;
	live->waits[i].count++;
	live->waits[i].total += length;
	if (length >= live->waits[i].max) {
		live->waits[i].max = length;
		live->waits[i].longest_time = start > account->clip.from ? start :
									   account->clip.from;
		live->waits[i].longest_waker = waker;
	}
}

/* Counts time off the CPU that ends when the task is woken or runs. */
static void time_account_add_off(struct time_account *account, struct time_live *live,
				 uint64_t time)
{
	uint64_t *sums = account->tasks[live->row].sums;

	if (live->place == PLACE_OFF) {
		sums[live->runnable ? TIME_RUNNABLE : TIME_WAITING] +=
			clip_length(&account->clip, live->since, time);
	} else if (live->place == PLACE_UNKNOWN && live->woken_at &&
		   live->woken_at >= live->since && live->woken_at <= time) {
		sums[TIME_WAITING] += clip_length(&account->clip, live->since, live->woken_at);
		sums[TIME_RUNNABLE] += clip_length(&account->clip, live->woken_at, time);
		note_wait(account, live, 0, live->since, live->woken_at, TIME_WAKER_UNKNOWN);
	} else {
		sums[TIME_UNKNOWN] += clip_length(&account->clip, live->since, time);
	}
}

/* If a gap may concern the task, its state up to now is unknown. */
static void cross_gap(struct time_account *account, struct time_live *live, uint32_t cpu)
{
	uint64_t gap = gaps_latest(&account->gaps, live->cpu, cpu);

	if (gap <= live->since)
		return;
	settle_last(account, live);
	account->tasks[live->row].sums[TIME_UNKNOWN] +=
		clip_length(&account->clip, live->since, gap);
	account->tasks[live->row].last = live->since = gap;
	time_account_forget(live);
}

/*
 * The task is seen on a CPU, or off: accounts for the time until now, or holds it. Returns NULL if
 * memory is exhausted or the task has ended.
 */
static struct time_live *time_account_touch(struct time_account *account, int32_t pid,
					    const struct fathom_event *event, bool on)
{
	struct time_live *live = find_live(account, pid, event);

	if (!live || live->gone)
		return NULL;
	cross_gap(account, live, event->cpu);
	if (event->time > live->since) {
		/* It already runs elsewhere: the clocks of the two CPUs differ slightly. */
		bool running = on ? live->place != PLACE_OFF :
				    live->place == PLACE_ON && live->cpu != event->cpu;

		if (running)
			add_running(account, live, event->time);
		else if (on)
			account->tasks[live->row].sums[TIME_UNKNOWN] +=
				clip_length(&account->clip, live->since, event->time);
		else
			time_account_add_off(account, live, event->time);
		live->since = event->time;
	}
	account->tasks[live->row].last = live->since;
	return live;
}

static void begin_wait(struct time_account *account, struct time_live *live, enum task_state state,
		       uint64_t time)
{
	live->wait = (state == TASK_STATE_BLOCKED ? HELD_DISK : 0) | (live->fault ? HELD_FAULT : 0);
	live->waits_now = true;
	live->off_since = time;
	live->woken = false;
	account->tasks[live->row].waits += !account->outside;
}

static void time_account_end_wait(const struct time_account *account, struct time_live *live,
				  uint64_t time, int32_t waker)
{
	live->runnable = true;
	live->runnable_since = time;
	if (live->waits_now)
		note_wait(account, live, live->wait, live->off_since, time, waker);
}

/* The end of a wait for a CPU. */
static void end_runnable(struct time_account *account, const struct time_live *live,
			 const struct decoded_event *decoded)
{
	const struct time_task *task = &account->tasks[live->row];
	uint64_t since = live->runnable_since;
	uint64_t length = clip_length(&account->clip, since, decoded->event->time);

	if (!length || !time_account_counts(account, task))
		return;
	cpu_holders_add(&account->holders, decoded, length);
	if (!task->acted || length <= account->kept_off.total)
		return;
	account->kept_off.start = since > account->clip.from ? since : account->clip.from;
	account->kept_off.total = length;
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

static void time_account_go_off(struct time_account *account, int32_t pid,
				const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	enum task_state state = decoded->sched.prev;
	struct time_live *live = find_live(account, pid, event);

	/* It already runs elsewhere. */
	if (live && live->place == PLACE_ON && live->cpu != event->cpu &&
	    state != TASK_STATE_DEAD &&
	    gaps_latest(&account->gaps, live->cpu, event->cpu) <= live->since)
		return;
	live = time_account_touch(account, pid, event, true);
	if (!live)
		return;
	live->cpu = event->cpu;
	live->place = PLACE_OFF;
	live->irqs = 0;
	live->runnable = state == TASK_STATE_RUNNABLE;
	live->runnable_since = event->time;
	live->gone = state == TASK_STATE_DEAD;
	live->took_pid &= !live->gone;
	live->waits_now = false;
	if (live->gone)
		settle_last(account, live);
	else if (live->runnable)
		account->tasks[live->row].preempted += !account->outside;
	else
		begin_wait(account, live, state, event->time);
}

static void time_account_come_on(struct time_account *account, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct time_live *live = time_account_touch(account, decoded->sched.next_pid, event, false);

	if (!live)
		return;
	if (live->place == PLACE_OFF && live->runnable)
		end_runnable(account, live, decoded);
	else if (live->place == PLACE_OFF)
		time_account_end_wait(account, live, event->time, TIME_WAKER_UNKNOWN);
	if (live->place == PLACE_OFF && live->cpu != event->cpu)
		account->tasks[live->row].migrations += !account->outside;
	live->place = PLACE_ON;
	live->woken_at = 0;
	live->cpu = event->cpu;
}

/* Returns whether the exit event of the pid's task was seen. */
static bool time_account_exits(struct time_account *account, int32_t pid)
{
	const struct task_table *table = task_tracker_table(&account->tracker);
	uint32_t place = task_table_find(table, pid);

	return place != TASK_TABLE_NONE && table->list[place].exits;
}

/*
 * Returns the pid, as known here, of the task that leaves the CPU. A thread that executes a program
 * exchanges pids with the first thread before the event that shows this, so it leaves the CPU under
 * another pid than the one that was switched to.
 */
static int32_t who_goes(struct time_account *account, const struct time_cpu *cpu,
			const struct decoded_event *decoded)
{
	int32_t pid = decoded->sched.prev_pid, known = cpu->pid;
	const struct time_live *live = known && pid != known ? known_live(account, known) : NULL;
	const struct time_live *other = live ? last_live(account, pid) : NULL;

	if (!other || account->only || live->place != PLACE_ON || live->cpu != decoded->event->cpu)
		return pid;
	/* The first thread ends with the pid of the other, which runs elsewhere. */
	if (decoded->sched.prev == TASK_STATE_DEAD && other->place == PLACE_ON &&
	    other->cpu != live->cpu && time_account_exits(account, known))
		return known;
	if ((other->gone || (time_account_exits(account, pid) && other->cpu != live->cpu)) &&
	    live->syscall != TIME_SYSCALL_NONE) {
		time_account_take_pid(account, known, pid);
		last_live(account, pid)->took_pid = true;
	}
	return pid;
}

static void time_account_feed_switch(struct time_account *account,
				     const struct decoded_event *decoded)
{
	struct time_cpu *cpu = time_account_find_cpu(account, decoded->event->cpu);

	account->has_switches = true;
	if (!cpu)
		return;
	if (decoded->sched.prev_pid)
		time_account_go_off(account, who_goes(account, cpu, decoded), decoded);
	if (decoded->sched.next_pid)
		time_account_come_on(account, decoded);
	cpu->has_turns = true;
	cpu->pid = decoded->sched.next_pid;
	cpu->prev_pid = decoded->sched.prev_pid;
}

/*
 * If a task acts on a CPU that switched to another pid, it is the same task, after two threads
 * exchanged pids: either the thread that executes a program, under the pid of a first thread that
 * has ended or ends elsewhere, or the first thread, which ends under the pid of the other. The last
 * functions of a switch still belong to the previous task.
 */
static void notice_pid(struct time_account *account, const struct fathom_event *event)
{
	struct time_cpu *cpu = event->cpu < account->n_cpus ? &account->cpus[event->cpu] : NULL;
	const struct time_live *came, *other;

	if (!cpu || !cpu->pid || event->pid <= 0 || event->pid == cpu->pid ||
	    event->pid == cpu->prev_pid || account->only)
		return;
	came = known_live(account, cpu->pid);
	other = last_live(account, event->pid);
	if (!came || came->place != PLACE_ON || came->cpu != event->cpu || !other)
		return;
	if (came->syscall != TIME_SYSCALL_NONE &&
	    (other->gone || time_account_exits(account, event->pid))) {
		time_account_take_pid(account, cpu->pid, event->pid);
		last_live(account, event->pid)->took_pid = true;
	} else if (other->place == PLACE_ON && other->cpu != event->cpu &&
		   other->syscall != TIME_SYSCALL_NONE && time_account_exits(account, cpu->pid)) {
		time_account_take_pid(account, event->pid, cpu->pid);
		last_live(account, cpu->pid)->took_pid = true;
	} else {
		return;
	}
	cpu->pid = event->pid;
}

/* A thread that executed a program has the pid of the first one. */
static void time_account_feed_exec(struct time_account *account,
				   const struct decoded_event *decoded)
{
	int32_t pid = decoded->event->pid, old_pid = decoded_old_pid(decoded);
	struct time_cpu *cpu = time_account_find_cpu(account, decoded->event->cpu);
	struct time_live *live = last_live(account, pid);
	enum task_slot_state state;

	if (!cpu || account->only || pid <= 0)
		return;
	/* This was noticed before. */
	if (live && live->took_pid) {
		live->took_pid = false;
		task_table_slot(task_tracker_table(&account->tracker), pid, &account->live,
				&account->n_live, &account->cap_live, sizeof(*live), &state);
		return;
	}
	live = known_live(account, old_pid);
	if (!live || live->gone || (cpu->has_turns && cpu->pid != old_pid))
		return;
	time_account_take_pid(account, old_pid, pid);
	if (cpu->has_turns)
		cpu->pid = pid;
}

static void time_account_feed_waking(struct time_account *account,
				     const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct time_live *live = known_live(account, decoded->task.pid);
	int32_t waker;

	account->has_wakes = true;
	if (!live || live->gone)
		return;
	cross_gap(account, live, event->cpu);
	/* Its next run shows whether it was asleep. */
	if (live->place == PLACE_UNKNOWN && !live->woken_at)
		live->woken_at = event->time;
	if (live->place != PLACE_OFF)
		return;
	live = time_account_touch(account, decoded->task.pid, event, false);
	if (!live || live->place != PLACE_OFF)
		return;
	waker = decoded->task.context != CONTEXT_TASK ? TIME_WAKER_INTERRUPT : event->pid;
	if (!live->runnable)
		time_account_end_wait(account, live, event->time, waker);
	if (live->waits_now && !live->woken && !account->outside &&
	    time_account_counts(account, &account->tasks[live->row]))
		count_waker(account, waker);
	live->woken = true;
}

static void time_account_feed_entry(struct time_account *account, struct time_live *live,
				    const struct decoded_event *decoded)
{
	int64_t number = decoded->call_number.number;
	const char *name = decoded_syscall_name(decoded);

	account->has_entries = true;
	/* The second of two events for the same entry, which follows immediately. */
	if (live->syscall == number && live->id != decoded->event->id)
		return;
	if (live->syscall >= 0)
		time_account_settle(account, live, TIME_UNKNOWN, TIME_UNKNOWN,
				    TIME_SYSCALL_UNKNOWN);
	else
		settle_user(account, live);
	/* It returns to the program without an exit event. */
	live->syscall = name && str_eq(name, "rt_sigreturn") ? TIME_SYSCALL_NONE :
			number < 0			     ? TIME_SYSCALL_UNKNOWN :
							       number;
	live->last_exit = TIME_SYSCALL_UNKNOWN;
	live->id = decoded->event->id;
	live->fault = live->maybe = false;
}

static void time_account_feed_exit(struct time_account *account, struct time_live *live,
				   const struct decoded_event *decoded)
{
	int64_t number = decoded->call_number.number;

	account->has_exits = true;
	if (live->syscall == TIME_SYSCALL_NONE &&
	    (number < 0 || (live->last_exit == number && live->id != decoded->event->id)))
		return;
	if (live->syscall == TIME_SYSCALL_UNKNOWN || live->syscall == number || number < 0)
		time_account_settle(account, live, TIME_KERNEL, TIME_KERNEL,
				    number < 0 ? live->syscall : number);
	else
		time_account_settle(account, live, TIME_UNKNOWN, TIME_UNKNOWN,
				    TIME_SYSCALL_UNKNOWN);
	live->syscall = TIME_SYSCALL_NONE;
	live->last_exit = number;
	live->id = decoded->event->id;
	live->fault = live->maybe = false;
}

/* Handles an event that shows that the task is in its program. */
static void show_user(struct time_account *account, struct time_live *live)
{
	if (live->syscall >= 0)
		time_account_settle(account, live, TIME_UNKNOWN, TIME_UNKNOWN,
				    TIME_SYSCALL_UNKNOWN);
	else if (live->syscall == TIME_SYSCALL_UNKNOWN)
		settle_user(account, live);
	live->syscall = TIME_SYSCALL_NONE;
}

static void feed_fault(struct time_account *account, struct time_live *live,
		       const struct decoded_event *decoded)
{
	account->has_faults = true;
	live->fault = true;
	live->fault_open = live->open;
	if (!decoded_is_fault_of_program(decoded))
		return;
	show_user(account, live);
	live->maybe = true;
}

/* Returns the depth of kernel functions. */
static unsigned time_account_in_kernel(const struct decoded_event *decoded)
{
	return (unsigned)decoded->call.depth - decoded->call.users;
}

static void time_account_feed_call(struct time_account *account, struct time_live *live,
				   const struct decoded_event *decoded)
{
	account->tasks[live->row].called = true;
	/* User functions begin and end on return to user mode. */
	if (decoded->call.is_user) {
		if (live->place == PLACE_ON)
			show_user(account, live);
		live->open = 0;
		return;
	}
	account->has_calls = true;
	if (decoded->kind == DECODED_RETURN) {
		live->open = time_account_in_kernel(decoded);
		if (live->syscall >= 0 && live->open < live->fault_open)
			live->fault = false;
		return;
	}
	live->open = time_account_in_kernel(decoded) + 1;
	/* The functions that handle a page fault follow its event. */
	if (live->maybe && !live->irqs && (account->has_entries || account->has_exits)) {
		account->tasks[live->row].sums[TIME_KERNEL] += live->held_maybe;
		live->held_maybe = 0;
		live->maybe = false;
	}
}

/* Handles events in the context of a task. */
static void feed_act(struct time_account *account, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	enum decoded_kind kind = decoded->kind;
	bool is_call = kind == DECODED_CALL || kind == DECODED_RETURN;
	bool is_irq = kind == DECODED_IRQ_ENTRY || kind == DECODED_IRQ_EXIT ||
		      kind == DECODED_SOFTIRQ_ENTRY || kind == DECODED_SOFTIRQ_EXIT;
	struct time_live *live = NULL;

	if (event->pid > 0 && (!account->only || event->pid == account->only))
		live = find_live(account, event->pid, event);
	account->has_irqs |= is_irq;
	if (!live)
		return;
	/* The last functions of a switch follow its event. */
	if ((is_call || is_irq) && live->place == PLACE_OFF && live->cpu == event->cpu &&
	    gaps_at(&account->gaps, event->cpu).last <= live->since) {
		if (is_call && !live->gone)
			time_account_feed_call(account, live, decoded);
		return;
	}
	live = time_account_touch(account, event->pid, event, true);
	if (!live)
		return;
	live->place = PLACE_ON;
	live->runnable = false;
	live->woken_at = 0;
	live->cpu = event->cpu;
	if (kind == DECODED_SYSCALL_ENTRY || kind == DECODED_SYSCALL_EXIT || kind == DECODED_FAULT)
		account->tasks[live->row].acted = account->acted = true;
	switch (kind) {
	case DECODED_SYSCALL_ENTRY:
		time_account_feed_entry(account, live, decoded);
		break;
	case DECODED_SYSCALL_EXIT:
		time_account_feed_exit(account, live, decoded);
		break;
	case DECODED_CALL:
	case DECODED_RETURN:
		time_account_feed_call(account, live, decoded);
		break;
	case DECODED_IRQ_ENTRY:
	case DECODED_SOFTIRQ_ENTRY:
		live->irqs++;
		break;
	case DECODED_IRQ_EXIT:
	case DECODED_SOFTIRQ_EXIT:
		live->irqs -= live->irqs > 0;
		break;
	case DECODED_FAULT:
		feed_fault(account, live, decoded);
		break;
	default:
		break;
	}
}

int time_account_follow(struct time_account *account, int32_t pid)
{
	if (mem_reserve(&account->followed, &account->cap_followed, account->n_followed + 1,
			sizeof(*account->followed)) < 0)
		return -ENOMEM;
	account->followed[account->n_followed++] = pid;
	return 0;
}

static void begin_followed(struct time_account *account, const struct fathom_event *event)
{
	for (size_t i = 0; i < account->n_followed; i++) {
		const struct time_live *live = find_live(account, account->followed[i], event);

		if (live)
			account->tasks[live->row].acted = account->acted = true;
	}
}

/* Extends the last state of the task to @time. */
static void end_at(struct time_account *account, int32_t pid, uint64_t time)
{
	struct time_live *live = known_live(account, pid);
	const struct fathom_event event = { .time = time, .cpu = live ? live->cpu : 0 };

	if (live)
		live = time_account_touch(account, pid, &event, live->place == PLACE_ON);
	if (live && live->place == PLACE_OFF && !live->runnable)
		time_account_end_wait(account, live, time, TIME_WAKER_UNKNOWN);
}

static void end_open(struct time_account *account)
{
	const struct task_table *table = task_tracker_table(&account->tracker);

	for (size_t i = 0; i < account->n_followed && !account->nomem; i++)
		end_at(account, account->followed[i], account->last);
	for (size_t i = 0; i < account->n_live && account->goes_on && !account->nomem; i++)
		if (account->live[i].slot.used)
			end_at(account, table->list[i].pid, account->clip.to);
}

void time_account_feed(struct time_account *account, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct time_cpu *cpu;

	/* Incomplete data would be misread. */
	if (account->nomem)
		return;
	gaps_note(&account->gaps, decoded);
	cpu = decoded_has_gap(decoded) ? time_account_find_cpu(account, event->cpu) : NULL;
	if (cpu)
		cpu->pid = 0;
	task_tracker_feed(&account->tracker, decoded, NULL, NULL);
	account->last = event->time;
	account->outside = decoded_is_outside(decoded);
	if (!account->begun)
		begin_followed(account, event);
	account->begun = true;
	if (decoded_old_pid(decoded))
		time_account_feed_exec(account, decoded);
	if (decoded->kind == DECODED_SWITCH)
		time_account_feed_switch(account, decoded);
	else if (decoded->kind == DECODED_WAKING || decoded->kind == DECODED_WAKEUP ||
		 decoded->kind == DECODED_WAKEUP_NEW)
		time_account_feed_waking(account, decoded);
	else if (decoded->kind != DECODED_OTHER && decoded->kind != DECODED_USER_STACK) {
		if (decoded->kind != DECODED_EXEC)
			notice_pid(account, event);
		feed_act(account, decoded);
	}
}

static void move_time(struct time_task *task, enum time_kind from, enum time_kind to,
		      uint64_t length)
{
	task->sums[from] -= length;
	task->sums[to] += length;
}

/* Withdraws conclusions that only unrecorded events could have refuted. */
static void finish_task(const struct time_account *account, struct time_task *task)
{
	task->acted |= !account->acted && task->called;
	if (!account->has_exits)
		move_time(task, TIME_KERNEL, TIME_UNKNOWN, task->unconfirmed);
	task->unconfirmed = 0;
	if (!account->has_entries)
		move_time(task, TIME_USER, account->has_exits ? TIME_UNKNOWN : TIME_MAYBE_USER,
			  task->sums[TIME_USER]);
	/* A task may have left its CPU at any time. */
	if (!account->has_switches) {
		move_time(task, TIME_USER, TIME_MAYBE_USER, task->sums[TIME_USER]);
		move_time(task, TIME_KERNEL, TIME_MAYBE_KERNEL, task->sums[TIME_KERNEL]);
	}
}

/* Drops tasks that end before the window or begin after it. */
static void clip_tasks(struct time_account *account)
{
	const struct clip *clip = &account->clip;
	size_t kept = 0;

	for (size_t i = 0; i < account->n_tasks; i++) {
		struct time_task task = account->tasks[i];
		uint64_t length;

		if (!clip_touches(clip, task.first, task.last))
			continue;
		length = clip_length(clip, task.first, task.last);
		task.clipped = length < task.last - task.first;
		if (task.first < clip->from)
			task.first = clip->from;
		task.last = task.first + length;
		account->tasks[kept++] = task;
	}
	account->n_tasks = kept;
}

int time_account_finish(struct time_account *account, uint64_t ret_sums[TIME_KINDS])
{
	memset(ret_sums, 0, sizeof(uint64_t) * TIME_KINDS);
	end_open(account);
	for (size_t i = 0; i < account->n_live && !account->nomem; i++)
		if (account->live[i].slot.used)
			settle_last(account, &account->live[i]);
	clip_tasks(account);
	for (size_t i = 0; i < account->n_tasks; i++) {
		finish_task(account, &account->tasks[i]);
		for (size_t k = 0; k < TIME_KINDS && account->tasks[i].acted; k++)
			ret_sums[k] += account->tasks[i].sums[k];
	}
	return task_tracker_finish(&account->tracker) < 0 ||
			       cpu_holders_finish(&account->holders) < 0 || account->nomem ||
			       account->gaps.nomem ?
		       -ENOMEM :
		       0;
}

unsigned time_account_doubts(const struct time_account *account)
{
	return (account->has_calls ? 0 : TIME_DOUBT_FAULTS) |
	       (account->has_switches ? 0 : TIME_DOUBT_SWITCHES) |
	       (account->has_entries || account->has_exits ? 0 : TIME_DOUBT_SYSCALLS);
}

uint64_t time_account_end(const struct time_account *account, const struct time_task *task,
			  bool *ret_clipped)
{
	uint64_t end = task->last;

	*ret_clipped = task->clipped;
	for (size_t i = 0; i < account->n_tasks; i++) {
		const struct time_task *heir = &account->tasks[i];

		if (heir->pid != task->pid || !heir->took_pid || heir->first < task->first ||
		    heir->first > end || heir->last <= end)
			continue;
		end = heir->last;
		*ret_clipped |= heir->clipped;
	}
	return end;
}

void time_account_done(struct time_account *account)
{
	task_tracker_done(&account->tracker);
	cpu_holders_done(&account->holders);
	u64_map_done(&account->wait_keys);
	u64_map_done(&account->waker_pids);
	free(account->live);
	free(account->tasks);
	free(account->waits);
	free(account->wakers);
	free(account->cpus);
	gaps_done(&account->gaps);
	free(account->followed);
	*account = (struct time_account){ 0 };
}
