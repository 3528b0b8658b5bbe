/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory use of analyses depends on the number of tasks and on the result: 10,000 tasks take less
 * than 256 MB, and more events do not take more.
 */
#include "test.h"

#include <malloc.h>

#include "analyze/calls/calls.h"
#include "analyze/devices/irqs.h"
#include "analyze/replay/replay.h"
#include "analyze/waits/sched.h"
#include "analyze/summary.h"
#include "analyze/syscalls/syscall-list.h"
#include "analyze/waits/waits.h"
#include "base/cleanup.h"

/* Sanitizers do not count this memory, and need fewer events to cover the code. */
#define TASKS	    (ADDRESS_SANITIZED ? 1000 : 10000)
#define DEPTH	    5
#define MAX_BYTES   ((size_t)256 << 20)
#define GROWTH_MAX  ((size_t)256 << 10)
#define ROUNDS	    6
#define FIRST_ROUND 2 /* after this many events, everything has occurred */

/* The input of an analysis. */
typedef void feeder(void *data, const struct decoded_event *decoded);

struct machine {
	feeder *feed;
	void *data;
	uint64_t time;
	uint32_t cpu;
	int32_t pid;
};

static void tell(struct machine *machine, struct decoded_event *decoded)
{
	static const char record[64] = "";
	static const char *const names[] = { "sys_enter_read", "sys_exit_read" };
	struct event_format format = {
		.name = (char *)names[decoded->kind == DECODED_SYSCALL_EXIT],
		.system = "syscalls",
		.abi = { .long_size = 8 },
	};
	struct event_entry entry = { .format = &format };
	struct fathom_event event = { .time = machine->time += 100,
				      .data = record,
				      .size = sizeof(record),
				      .cpu = machine->cpu,
				      .pid = machine->pid,
				      .id = (uint16_t)(100 + decoded->kind) };

	decoded->event = &event;
	decoded->entry = &entry;
	machine->feed(machine->data, decoded);
}

static void switch_to(struct machine *machine, int32_t next)
{
	struct decoded_event decoded = {
		.kind = DECODED_SWITCH,
		.sched = { .prev_pid = machine->pid, .next_pid = next, .prev = TASK_STATE_SLEEPING }
	};

	tell(machine, &decoded);
	machine->pid = next;
}

static void call(struct machine *machine, unsigned depth, uint64_t func)
{
	uint64_t start = machine->time + 100;
	struct decoded_event begin = { .kind = DECODED_CALL,
				       .call = { .func = func, .depth = (int)depth } };
	struct decoded_event end = { .kind = DECODED_RETURN,
				     .call = { .func = func, .depth = (int)depth } };

	tell(machine, &begin);
	if (depth < DEPTH) {
		call(machine, depth + 1, func + 0x1000);
		/* By the second round, the tree has its final size. */
		call(machine, depth + 1, 0x100000 + (uint64_t)(machine->pid % 64) * 0x100);
	}
	end.call.duration = machine->time + 100 - start;
	tell(machine, &end);
}

static void one_turn(struct machine *machine, int32_t pid)
{
	struct decoded_event enter = { .kind = DECODED_SYSCALL_ENTRY };
	struct decoded_event leave = { .kind = DECODED_SYSCALL_EXIT,
				       .call_number.result = pid % 7 };
	struct decoded_event irq = { .kind = DECODED_IRQ_ENTRY, .call_number.number = pid % 50 };
	struct decoded_event irq_end = { .kind = DECODED_IRQ_EXIT, .call_number.number = pid % 50 };
	struct decoded_event wake = { .kind = DECODED_WAKING, .task.pid = pid % TASKS + 1 };

	machine->cpu = (uint32_t)pid % 4;
	machine->pid = 0;
	switch_to(machine, pid);
	tell(machine, &enter);
	call(machine, 0, 0x10000);
	tell(machine, &irq);
	tell(machine, &wake);
	tell(machine, &irq_end);
	tell(machine, &leave);
	/* Each one stays in a system call until its next turn. */
	tell(machine, &enter);
	switch_to(machine, 0);
	machine->pid = pid;
}

static size_t in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void check(const char *name, feeder *feed, void *data)
{
	struct machine machine = { .feed = feed, .data = data, .time = 1000 };
	size_t before = in_use(), first = 0, now = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (int32_t pid = 1; pid <= TASKS; pid++)
			one_turn(&machine, pid);
		now = in_use() - before;
		if (round + 1 == FIRST_ROUND)
			first = now;
	}
	print_message("%-14s %6zu kB, %zd bytes more after %d rounds\n", name, now >> 10,
		      (ssize_t)(now - first), ROUNDS - FIRST_ROUND);
	assert_true(now < MAX_BYTES);
	assert_true(now < first + GROWTH_MAX);
}

static void feed_summary(void *data, const struct decoded_event *decoded)
{
	summary_feed(data, decoded);
}

static void summary_is_bounded(void **state)
{
	struct summary summary = { 0 };

	assert_int_equal(summary_init(&summary, NULL, NULL), 0);
	check("summary", feed_summary, &summary);
	summary_done(&summary);
}

static void feed_calls(void *data, const struct decoded_event *decoded)
{
	calls_feed(data, decoded);
}

static void calls_are_bounded(void **state)
{
	struct calls *calls;

	assert_int_equal(calls_new(&(struct calls_options){ .with_spread = true }, &calls), 0);
	check("calls", feed_calls, calls);
	calls_free(calls);
}

static void feed_replay(void *data, const struct decoded_event *decoded)
{
	replay_feed(data, decoded);
}

static void take_tree(void *data, const struct replay *replay, int32_t pid, uint32_t node)
{
	++*(size_t *)data;
}

static void replay_is_bounded(void **state)
{
	size_t trees = 0;
	struct replay_options options = { .depth = 100, .take = take_tree, .take_data = &trees };
	struct replay *replay;

	assert_int_equal(replay_new(&options, &replay), 0);
	check("replay", feed_replay, replay);
	/* A node for each task, and for each one in a system call: 200,000 suffice. */
	assert_false(replay_tree(replay)->full);
	assert_true(trees >= (size_t)TASKS * (ROUNDS - 1));
	replay_free(replay);
}

struct spans {
	struct task_states states;
	struct sched sched;
	struct waits waits;
};

static void take_span(void *data, const struct task_states *states, const struct task_span *span)
{
	struct spans *spans = data;

	sched_take(&spans->sched, states, span);
	waits_take(&spans->waits, states, span);
}

static void feed_spans(void *data, const struct decoded_event *decoded)
{
	struct spans *spans = data;

	task_states_feed(&spans->states, decoded);
}

static void states_are_bounded(void **state)
{
	struct spans spans = { .states = { .take = take_span, .data = &spans },
			       .waits.max_chains = 10 };

	check("sched, offcpu", feed_spans, &spans);
	task_states_done(&spans.states);
	sched_done(&spans.sched);
	waits_done(&spans.waits);
}

static void feed_list(void *data, const struct decoded_event *decoded)
{
	syscall_list_feed(data, decoded);
}

static void take_call(void *data, const struct listed_call *call)
{
	++*(size_t *)data;
}

static void syscall_list_is_bounded(void **state)
{
	size_t calls = 0;
	struct syscall_list list = { .take = take_call, .data = &calls };

	check("syscalls", feed_list, &list);
	assert_true(calls >= (size_t)TASKS * ROUNDS);
	syscall_list_done(&list);
}

static void feed_irqs(void *data, const struct decoded_event *decoded)
{
	irqs_feed(data, decoded);
}

static void irqs_are_bounded(void **state)
{
	struct irqs irqs = { .by_cpu = true };

	check("irqs", feed_irqs, &irqs);
	irqs_done(&irqs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summary_is_bounded),	   cmocka_unit_test(calls_are_bounded),
		cmocka_unit_test(replay_is_bounded),	   cmocka_unit_test(states_are_bounded),
		cmocka_unit_test(syscall_list_is_bounded), cmocka_unit_test(irqs_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
