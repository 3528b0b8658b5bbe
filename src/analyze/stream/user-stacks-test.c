/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/stream/user-stacks.h"
#include "base/arena.h"
#include "format/bytes.h"
#include "format/event/sample-event.h"

/* The kernel's format, with fewer frames. */
static const char text[] = "name: user_stack\nID: 12\nformat:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			   "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
			   "\tfield:unsigned long caller[4];\toffset:16;\tsize:32;\tsigned:0;\n\n"
			   "print fmt: \"\"\n";

struct bench {
	struct arena arena;
	struct user_stacks stacks;
	struct event_format *format;
	uint64_t time;
};

static int bench_init(struct bench *bench)
{
	struct event_abi abi = { .long_size = 8, .big_endian = BYTES_HOST_BIG };

	*bench = (struct bench){ 0 };
	return event_format_parse(text, strlen(text), "ftrace", abi, &bench->arena, &bench->format,
				  NULL);
}

static void bench_done(struct bench *bench)
{
	user_stacks_done(&bench->stacks);
	arena_done(&bench->arena);
}

static void begins(struct bench *bench, int32_t pid)
{
	struct fathom_event event = { .time = ++bench->time, .pid = pid };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_ENTRY, .event = &event };

	user_stacks_feed(&bench->stacks, &decoded);
}

/* With @end, an unwound stack; its first frame is a kernel function. */
static void has_stack_of(struct bench *bench, int32_t pid, enum sample_end end, uint64_t a,
			 uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t record[6] = { 0, (uint64_t)pid + 1, a, b, c, d };
	struct event_entry entry = { .format = bench->format };
	struct fathom_event event = {
		.time = ++bench->time, .pid = pid, .data = record, .size = sizeof(record)
	};
	struct decoded_event decoded = { .kind = DECODED_USER_STACK,
					 .event = &event,
					 .entry = &entry };

	decoded.sample.stack = event_field_find(bench->format, "caller");
	decoded.sample.process = pid + 1;
	decoded.sample.end = end;
	decoded.sample.kernel = end != SAMPLE_END_FRAME_POINTERS;
	user_stacks_feed(&bench->stacks, &decoded);
}

static void has_stack(struct bench *bench, int32_t pid, uint64_t a, uint64_t b, uint64_t c,
		      uint64_t d)
{
	has_stack_of(bench, pid, SAMPLE_END_FRAME_POINTERS, a, b, c, d);
}

static void keeps_the_first_stack(void **state)
{
	struct bench bench;
	struct user_stack stack;

	if (succeeds(bench_init(&bench) == 0)) {
		has_stack(&bench, 7, 1, 2, 3, 4);
		begins(&bench, 7);
		has_stack(&bench, 7, 0x10, 0x20, 0, 0);
		has_stack(&bench, 8, 0x30, UINT64_MAX, 5, 6);
		has_stack(&bench, 7, 0x40, 0, 0, 0);
		stack = user_stacks_get(&bench.stacks, 7);
		if (succeeds(!bench.stacks.nomem)) {
			assert_int_equal(stack.n, 2);
			assert_int_equal(stack.frames[1], 0x20);
			assert_int_equal(stack.process, 8);
			assert_int_equal(stack.time, 3);
			/* Old kernels pad the record with ones. */
			assert_int_equal(user_stacks_get(&bench.stacks, 8).n, 1);
		}
		begins(&bench, 7);
		assert_int_equal(user_stacks_get(&bench.stacks, 7).n, 0);
		assert_int_equal(user_stacks_get(&bench.stacks, 9).n, 0);
		has_stack(&bench, 7, 0x1, 0x2, 0x3, 0x4);
		assert_true(bench.stacks.nomem || user_stacks_get(&bench.stacks, 7).n == 4);
	}
	bench_done(&bench);
}

/* Unwound stacks replace stacks from frame pointers; no other stack does. */
static void prefers_unwound_stacks(void **state)
{
	struct bench bench;
	struct user_stack stack;

	if (succeeds(bench_init(&bench) == 0)) {
		begins(&bench, 7);
		has_stack(&bench, 7, 0x10, 0, 0, 0);
		has_stack_of(&bench, 7, SAMPLE_END_LATE, 1, 0x20, 0, 0);
		has_stack_of(&bench, 7, SAMPLE_END_WHOLE, 1, 0x30, 0x40, 0);
		has_stack_of(&bench, 7, SAMPLE_END_WHOLE, 1, 0x50, 0x60, 0x70);
		has_stack(&bench, 7, 0x80, 0x90, 0xa0, 0xb0);
		stack = user_stacks_get(&bench.stacks, 7);
		if (succeeds(!bench.stacks.nomem)) {
			assert_int_equal(stack.n, 2);
			assert_int_equal(stack.frames[0], 0x30);
			assert_int_equal(stack.entry, 1);
			assert_int_equal(stack.time, 4);
		}
	}
	bench_done(&bench);
}

static int collect(void *arg)
{
	struct bench bench;
	int r = bench_init(&bench);

	if (r == 0) {
		for (int32_t pid = 1; pid < 40; pid++)
			has_stack(&bench, pid, 0x10, 0, 0, 0);
		r = bench.stacks.nomem ? -ENOMEM : 0;
	}
	bench_done(&bench);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(collect, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_first_stack),
		cmocka_unit_test(prefers_unwound_stacks),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
