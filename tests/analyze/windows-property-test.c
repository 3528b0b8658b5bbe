/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window is split at random places: the sums of the parts must equal those of the whole, for each
 * task, CPU, interrupt and device. Once with the events of a simulated machine on which nothing is
 * lost, and once with recordings.
 */
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <fathom/fathom.h>

#include "analyze/stream/feed.h"
#include "analyze/devices/io.h"
#include "analyze/devices/irqs.h"
#include "analyze/waits/sched.h"
#include "analyze/syscalls/syscalls.h"
#include "analyze/tasks/time-account.h"
#include "analyze/waits/waits.h"
#include "base/cleanup.h"

#define SUMS_MAX  4000
#define PARTS_MAX 8
/* Fewer with sanitizers: memory errors show up early. */
#define MACHINES (ADDRESS_SANITIZED ? 30 : 200)
#define WINDOWS	 (ADDRESS_SANITIZED ? 4 : 20) /* of each recording */

/* Sums of times, by owner. */
struct sums {
	struct sum {
		char name[64];
		uint64_t ns;
	} list[SUMS_MAX];
	size_t n;
};

static void sums_add(struct sums *sums, uint64_t ns, const char *name)
{
	size_t i = 0;

	if (!ns)
		return;
	while (i < sums->n && strcmp(sums->list[i].name, name) != 0)
		i++;
	assert_true(i < SUMS_MAX);
	if (i == sums->n) {
		snprintf(sums->list[i].name, sizeof(sums->list[i].name), "%s", name);
		sums->list[i].ns = 0;
		sums->n++;
	}
	sums->list[i].ns += ns;
}

#define SUMS_ADD(sums, ns, ...)                              \
	do {                                                 \
		char name_[64];                              \
                                                             \
		snprintf(name_, sizeof(name_), __VA_ARGS__); \
		sums_add(sums, ns, name_);                   \
	} while (0)

static uint64_t sums_find(const struct sums *sums, const char *name)
{
	for (size_t i = 0; i < sums->n; i++)
		if (strcmp(sums->list[i].name, name) == 0)
			return sums->list[i].ns;
	return 0;
}

/* All analyses that support time ranges and sum up times. */
struct analyses {
	struct task_states states;
	struct waits waits;
	struct sched sched;
	struct irqs irqs;
	struct io io;
	struct time_account account;
	struct syscalls syscalls;
};

static void take_span(void *data, const struct task_states *states, const struct task_span *span)
{
	struct analyses *all = data;

	waits_take(&all->waits, states, span);
	sched_take(&all->sched, states, span);
}

static void begin(struct analyses *all, uint64_t from, uint64_t to)
{
	memset(all, 0, sizeof(*all));
	all->states = (struct task_states){ .take = take_span, .data = all, .from = from };
	all->io.from = from;
	all->io.to = to;
	all->irqs = (struct irqs){ .by_cpu = true, .from = from };
	all->account.clip = all->syscalls.clip = (struct clip){ from, to };
}

static void take(void *data, const struct decoded_event *decoded)
{
	struct analyses *all = data;

	task_states_feed(&all->states, decoded);
	if (!decoded->late)
		irqs_feed(&all->irqs, decoded);
	io_feed(&all->io, decoded);
	time_account_feed(&all->account, decoded);
	syscalls_feed(&all->syscalls, decoded);
}

static void add_states(const struct analyses *all, struct sums *sums)
{
	const struct task_states *states = &all->states;

	for (size_t i = 0; i < all->waits.n; i++) {
		const struct wait_sums *wait = &all->waits.list[i];

		SUMS_ADD(sums, tally_time(&wait->tally), "wait of %d in state %d and call %d",
			 states->tasks[wait->task]->pid, wait->state, (int)wait->syscall);
	}
	for (size_t i = 0; i < all->sched.n_tasks; i++) {
		const struct sched_task *task = &all->sched.tasks[i];
		int pid = states->tasks[i]->pid;

		SUMS_ADD(sums, tally_time(&task->run), "run of %d", pid);
		SUMS_ADD(sums, tally_time(&task->latency), "delay of %d", pid);
		for (int state = 0; state < TASK_STATES; state++)
			SUMS_ADD(sums, task->asleep[state], "%d in state %d", pid, state);
	}
	for (size_t i = 0; i < all->sched.n_cpus; i++) {
		SUMS_ADD(sums, all->sched.cpus[i].busy, "CPU %zu busy", i);
		SUMS_ADD(sums, all->sched.cpus[i].idle, "CPU %zu idle", i);
		SUMS_ADD(sums, tally_time(&all->sched.cpus[i].run), "CPU %zu run", i);
	}
}

static void add_irqs(const struct irqs *irqs, struct sums *sums)
{
	for (size_t i = 0; i < irqs->n; i++) {
		const struct irq_row *row = &irqs->list[i];

		SUMS_ADD(sums, row->took.total + row->took_partial, "run of %d %d %s on %d",
			 row->kind, (int)row->number, row->name, (int)row->cpu);
		SUMS_ADD(sums, row->waited.total + row->waited_partial, "wait of %d %d on %d",
			 row->kind, (int)row->number, (int)row->cpu);
	}
}

static void add_account(const struct time_account *account, const uint64_t *kinds,
			struct sums *sums)
{
	for (int kind = 0; kind < TIME_KINDS; kind++)
		SUMS_ADD(sums, kinds[kind], "kind %d of all", kind);
	for (size_t i = 0; i < account->n_tasks; i++) {
		const struct time_task *task = &account->tasks[i];
		uint64_t life = 0;

		for (int kind = 0; kind < TIME_KINDS; kind++) {
			life += task->sums[kind];
			if (task->acted)
				SUMS_ADD(sums, task->sums[kind], "kind %d of %d", kind, task->pid);
		}
		assert_int_equal(life, task->last - task->first);
	}
	for (size_t i = 0; i < account->n_waits; i++) {
		const struct time_wait *wait = &account->waits[i];

		SUMS_ADD(sums, wait->total, "account's wait in %d, %d %d", (int)wait->syscall,
			 wait->disk, wait->fault);
	}
	for (size_t i = 0; i < account->holders.n; i++)
		SUMS_ADD(sums, account->holders.list[i].time, "CPU from %d",
			 account->holders.list[i].pid);
}

static void add_syscalls(const struct syscalls *syscalls, struct sums *sums)
{
	for (size_t i = 0; i < syscalls->n; i++) {
		const struct syscall_sums *call = &syscalls->list[i];
		int number = (int)call->number;

		SUMS_ADD(sums, syscall_sums_seen(call), "call %d", number);
		SUMS_ADD(sums, call->asleep, "asleep in call %d", number);
		SUMS_ADD(sums, call->runnable, "runnable in call %d", number);
		assert_true(call->cut >= call->begun_before + call->open_at_end + call->throughout);
	}
}

static void end_command(struct analyses *all, struct sums *sums)
{
	uint64_t kinds[TIME_KINDS];

	assert_int_equal(time_account_finish(&all->account, kinds), 0);
	add_account(&all->account, kinds, sums);
	time_account_done(&all->account);
	assert_int_equal(syscalls_finish(&all->syscalls), 0);
	add_syscalls(&all->syscalls, sums);
	syscalls_done(&all->syscalls);
}

static void end(struct analyses *all, uint64_t to, struct sums *sums)
{
	end_command(all, sums);
	assert_int_equal(task_states_finish_at(&all->states, to), 0);
	assert_false(all->waits.nomem || all->sched.nomem);
	add_states(all, sums);
	assert_int_equal(irqs_finish(&all->irqs, to), 0);
	add_irqs(&all->irqs, sums);
	irqs_done(&all->irqs);
	assert_int_equal(io_finish(&all->io, to), 0);
	for (size_t i = 0; i < all->io.n; i++) {
		const struct io_row *row = &all->io.list[i];

		SUMS_ADD(sums, row->took.total + row->took_partial, "%c of %u", row->operation,
			 row->device);
		SUMS_ADD(sums, row->queued.total + row->queued_partial, "%c queued for %u",
			 row->operation, row->device);
	}
	io_done(&all->io);
	waits_done(&all->waits);
	sched_done(&all->sched);
	task_states_done(&all->states);
}

/* Adds the results of the window to @sums. */
typedef void window_runner(void *data, uint64_t from, uint64_t to, struct sums *sums);

static uint32_t seed;

static uint64_t draw(uint64_t below)
{
	uint64_t value;

	seed = seed * 1664525 + 1013904223;
	value = seed >> 8;
	seed = seed * 1664525 + 1013904223;
	return (value << 24 | seed >> 8) % below;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Splits the range from @from to @to, compares, and returns the number of sums. */
static size_t check_split(window_runner *run, void *data, uint64_t from, uint64_t to)
{
	static struct sums whole, parts;
	uint64_t borders[PARTS_MAX + 1] = { from };
	size_t n = 2 + draw(PARTS_MAX - 1);
	uint32_t at_first = seed;

	for (size_t i = 1; i < n; i++)
		borders[i] = from + draw(to - from + 1);
	borders[n] = to;
	qsort(borders, n + 1, sizeof(borders[0]), by_value);
	whole.n = parts.n = 0;
	run(data, from, to, &whole);
	for (size_t i = 0; i < n; i++)
		run(data, borders[i], borders[i + 1], &parts);
	for (size_t i = 0; i < whole.n; i++)
		if (sums_find(&parts, whole.list[i].name) != whole.list[i].ns)
			fail_msg("%s: %" PRIu64 " ns in all, %" PRIu64 " in %zu parts (%u, %" PRIu64
				 "-%" PRIu64 ")",
				 whole.list[i].name, whole.list[i].ns,
				 sums_find(&parts, whole.list[i].name), n, at_first, from, to);
	for (size_t i = 0; i < parts.n; i++)
		if (!sums_find(&whole, parts.list[i].name))
			fail_msg("%s: %" PRIu64 " ns in parts only (%u, %" PRIu64 "-%" PRIu64 ")",
				 parts.list[i].name, parts.list[i].ns, at_first, from, to);
	return whole.n;
}

/* A machine whose tasks run, wait, are woken and preempted, with system calls and interrupts. */
#define CPUS	   3
#define TASKS	   7
#define EVENTS_MAX 2000

struct machine {
	struct fathom_event events[EVENTS_MAX];
	struct decoded_event decoded[EVENTS_MAX];
	size_t n;
	uint64_t now;
	int current[CPUS]; /* a task, or -1 */
	enum task_state states[TASKS];
	struct {
		enum decoded_kind kind;
		int64_t number;
	} irqs[CPUS][2]; /* interrupts being served, the innermost last */
	int n_irqs[CPUS];
};

static struct event_format format = { .system = "test", .name = "test" };
static const struct event_entry entry = { .format = &format };

static struct decoded_event *emit(struct machine *m, int cpu, enum decoded_kind kind)
{
	struct decoded_event *h = &m->decoded[m->n];

	m->now += 1 + draw(1000);
	m->events[m->n] = (struct fathom_event){ .time = m->now,
						 .cpu = (uint32_t)cpu,
						 .pid = 10 + m->current[cpu] };
	if (m->current[cpu] < 0)
		m->events[m->n].pid = 0;
	*h = (struct decoded_event){ .kind = kind, .event = &m->events[m->n++], .entry = &entry };
	return h;
}

static int pick(const struct machine *m, bool is_waiting)
{
	int start = (int)draw(TASKS);

	for (int i = 0; i < TASKS; i++) {
		enum task_state state = m->states[(start + i) % TASKS];

		if (is_waiting ? task_state_waits(state) : state == TASK_STATE_RUNNABLE)
			return (start + i) % TASKS;
	}
	return -1;
}

static void machine_switch(struct machine *m, int cpu)
{
	static const enum task_state reasons[] = { TASK_STATE_RUNNABLE, TASK_STATE_SLEEPING,
						   TASK_STATE_BLOCKED, TASK_STATE_IDLE };
	int prev = m->current[cpu], next = pick(m, false);
	enum task_state reason = reasons[draw(ARRAY_SIZE(reasons))];
	struct decoded_event *h;

	if (prev == next || (next < 0 && reason == TASK_STATE_RUNNABLE))
		return;
	h = emit(m, cpu, DECODED_SWITCH);
	h->sched.prev_pid = prev < 0 ? 0 : 10 + prev;
	h->sched.next_pid = next < 0 ? 0 : 10 + next;
	h->sched.prev = prev < 0 ? TASK_STATE_RUNNABLE : reason;
	if (prev >= 0)
		m->states[prev] = reason;
	if (next >= 0)
		m->states[next] = TASK_STATE_RUNNING;
	m->current[cpu] = next;
}

static void machine_wake(struct machine *m, int cpu)
{
	int task = pick(m, true);
	struct decoded_event *h;

	if (task < 0)
		return;
	h = emit(m, cpu, draw(2) ? DECODED_WAKING : DECODED_WAKEUP);
	h->task.pid = 10 + task;
	m->states[task] = TASK_STATE_RUNNABLE;
}

static void machine_syscall(struct machine *m, int cpu)
{
	struct decoded_event *h;

	if (m->current[cpu] < 0)
		return;
	h = emit(m, cpu, draw(2) ? DECODED_SYSCALL_ENTRY : DECODED_SYSCALL_EXIT);
	h->call_number.number = (int64_t)draw(4);
}

/* Raises, enters or exits an interrupt. Tasks do not leave their CPU inside one. */
static void machine_irq(struct machine *m, int cpu)
{
	int *n = &m->n_irqs[cpu];
	bool is_soft = draw(2);

	if (is_soft && draw(3) == 0) {
		emit(m, cpu, DECODED_SOFTIRQ_RAISE)->call_number.number = (int64_t)draw(3);
	} else if (*n == 0 || (*n == 1 && m->irqs[cpu][0].kind == DECODED_SOFTIRQ_EXIT &&
			       !is_soft && draw(2))) {
		m->irqs[cpu][*n].kind = is_soft ? DECODED_SOFTIRQ_EXIT : DECODED_IRQ_EXIT;
		m->irqs[cpu][*n].number = (int64_t)draw(3);
		emit(m, cpu, is_soft ? DECODED_SOFTIRQ_ENTRY : DECODED_IRQ_ENTRY)
			->call_number.number = m->irqs[cpu][(*n)++].number;
	} else {
		(*n)--;
		emit(m, cpu, m->irqs[cpu][*n].kind)->call_number.number = m->irqs[cpu][*n].number;
	}
}

/* Any event of any request: some requests are lost, some are confused with others. */
static void machine_block(struct machine *m, int cpu)
{
	static const enum decoded_kind kinds[] = { DECODED_BLOCK_INSERT,   DECODED_BLOCK_INSERT,
						   DECODED_BLOCK_ISSUE,	   DECODED_BLOCK_ISSUE,
						   DECODED_BLOCK_COMPLETE, DECODED_BLOCK_COMPLETE,
						   DECODED_BLOCK_MERGE,	   DECODED_BLOCK_REQUEUE };
	struct decoded_event *h = emit(m, cpu, kinds[draw(ARRAY_SIZE(kinds))]);

	h->block.device = (uint32_t)draw(2);
	h->block.operation = "RW"[draw(2)];
	h->block.sector = 8 * draw(6);
	h->block.sectors = draw(5) ? 8 : 4;
	h->block.bytes = 512 * h->block.sectors;
}

static void machine_make(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->now = 1000000;
	for (int i = 0; i < CPUS; i++)
		m->current[i] = -1;
	/* Tasks may be asleep or awake before their first wakeup. */
	for (int i = 0; i < TASKS; i++)
		m->states[i] = TASK_STATE_SLEEPING;
	while (m->n < EVENTS_MAX - 10) {
		int cpu = (int)draw(CPUS);

		switch (m->n_irqs[cpu] ? 6 : draw(10)) {
		case 0:
		case 1:
			machine_switch(m, cpu);
			break;
		case 2:
		case 3:
			machine_wake(m, cpu);
			break;
		case 6:
		case 7:
			machine_irq(m, cpu);
			break;
		case 8:
			machine_block(m, cpu);
			break;
		default:
			machine_syscall(m, cpu);
			break;
		}
	}
}

/* Like a feed. */
static void run_machine(void *data, uint64_t from, uint64_t to, struct sums *sums)
{
	static struct analyses all;
	const struct machine *m = data;

	begin(&all, from, to);
	for (size_t i = 0; i < m->n; i++) {
		struct decoded_event decoded = m->decoded[i];

		decoded.early = m->events[i].time < from;
		decoded.late = m->events[i].time > to;
		take(&all, &decoded);
	}
	end(&all, to < m->now ? to : m->now, sums);
}

static void windows_of_a_simulation_add_up(void **state)
{
	static struct machine m;

	for (int i = 0; i < MACHINES; i++) {
		uint64_t from, to;

		machine_make(&m);
		from = 1000000 + draw((m.now - 1000000) / 2);
		to = from + draw(m.now - from + 10000);
		assert_true(check_split(run_machine, &m, 0, m.now) > 20);
		check_split(run_machine, &m, from, to);
	}
}

struct recording {
	struct fathom_trace *trace;
	struct event_table table;
	/* Limited to some tasks: of others, and thus of CPUs, only half of the events exist. */
	bool is_part;
};

static void take_part(void *data, const struct decoded_event *decoded)
{
	struct analyses *all = data;

	time_account_feed(&all->account, decoded);
	syscalls_feed(&all->syscalls, decoded);
}

static void run_recording(void *data, uint64_t from, uint64_t to, struct sums *sums)
{
	static struct analyses all;
	struct recording *recording = data;
	struct fathom_window window = FATHOM_WINDOW_ALL;
	struct feed feed = { .trace = recording->trace,
			     .window = &window,
			     .events = &recording->table,
			     .max_early = FEED_EARLY_USUAL,
			     .max_late = FEED_LATE_USUAL };

	window.from = from;
	window.to = to;
	begin(&all, from, to);
	assert_int_equal(feed_run(&feed, recording->is_part ? take_part : take, &all, NULL), 0);
	assert_int_equal(feed.lost, 0);
	if (recording->is_part)
		end_command(&all, sums);
	else
		end(&all, feed.to, sums);
}

/* @n: minimum number of sums. */
static void split_recording(const char *name, size_t n, bool is_part)
{
	struct recording recording = { .is_part = is_part };
	struct fathom_cursor *cursor;
	struct fathom_event event;
	uint64_t first;
	char path[500];

	snprintf(path, sizeof(path), GOLDEN_DIR "/%s", name);
	assert_int_equal(fathom_trace_open(path, 0, &recording.trace, NULL), 0);
	assert_int_equal(event_table_init(&recording.table, recording.trace, NULL), 0);
	assert_int_equal(fathom_cursor_new(recording.trace, NULL, &cursor, NULL), 0);
	assert_int_equal(fathom_cursor_next(cursor, &event), 1);
	first = event.time;
	assert_int_equal(fathom_cursor_last(cursor, 1, NULL), 0);
	assert_int_equal(fathom_cursor_next(cursor, &event), 1);
	fathom_cursor_free(cursor);
	for (int i = 0; i < WINDOWS; i++) {
		uint64_t from = first + draw(event.time - first),
			 to = from + draw(event.time - from);

		assert_true(check_split(run_recording, &recording, first, event.time) >= n);
		check_split(run_recording, &recording, from, to);
	}
	event_table_done(&recording.table);
	fathom_trace_free(recording.trace);
}

static void windows_of_recordings_add_up(void **state)
{
	split_recording("5.10-events-v7zstd.dat", 20, false);
	split_recording("6.12-events-v7zstd.dat", 20, false);
	split_recording("7.2-block-v7zstd.dat", 3, false);
	split_recording("run/5.10-stat.dat", 20, true);
	split_recording("run/7.2-sleep.dat", 20, true);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_of_a_simulation_add_up),
		cmocka_unit_test(windows_of_recordings_add_up),
	};

	seed = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : (uint32_t)time(NULL);
	printf("seed %" PRIu32 "\n", seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
