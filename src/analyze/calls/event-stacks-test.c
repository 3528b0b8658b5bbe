/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/calls/event-stacks.h"

#include <errno.h>

#include "format/bytes.h"
#include "test.h"

#define HEAD                                                                           \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

enum {
	STACK = 1,
	USER,
	GOOD,
	IRQ,
	SAMPLE,
	EVENTS,
};

static const struct {
	const char *system, *text;
} texts[EVENTS] = {
	[STACK] = { "ftrace",
		    "name: kernel_stack\nID: 1\n" HEAD
		    "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
		    "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
		    "print fmt: \"\"\n" },
	[USER] = { "ftrace", "name: user_stack\nID: 2\n" HEAD
			     "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
			     "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
			     "print fmt: \"\"\n" },
	[GOOD] = { "sched", "name: good\nID: 3\n" HEAD "\nprint fmt: \"\"\n" },
	[SAMPLE] = { "fathom", "name: sample\nID: 5\n" HEAD
			       "\tfield:unsigned int event;\toffset:8;\tsize:4;\tsigned:0;\n"
			       "\tfield:unsigned int kernel;\toffset:12;\tsize:4;\tsigned:0;\n"
			       "\tfield:int tgid;\toffset:4;\tsize:4;\tsigned:1;\n"
			       "\tfield:u64 stack[2];\toffset:16;\tsize:16;\tsigned:0;\n\n"
			       "print fmt: \"\"\n" },
	[IRQ] = { "irq", "name: irq\nID: 4\n" HEAD "\nprint fmt: \"\"\n" },
};

static const char symbols[] = "ffffffff81000000 T one\nffffffff81000100 T two\n"
			      "ffffffff81000200 T three\nffffffff81000300 T end\n";

#define ONE   UINT64_C(0xffffffff81000010)
#define TWO   UINT64_C(0xffffffff81000110)
#define THREE UINT64_C(0xffffffff81000210)

struct fixture {
	struct arena arena;
	struct event_entry entries[EVENTS];
	struct event_entry *by_id[EVENT_TABLE_IDS];
	struct event_table table;
	struct kallsyms kallsyms;
	struct tasks tasks;
	struct sample_tree tree;
	struct event_stacks stacks;
	uint64_t time;
};

static int start(struct fixture *f, const char *pattern)
{
	struct event_abi abi = { .long_size = 8, .big_endian = BYTES_HOST_BIG };
	int r = 0;

	memset(f, 0, sizeof(*f));
	f->table.by_id = f->by_id;
	for (int i = 1; i < EVENTS && r == 0; i++) {
		struct event_format *format = NULL;

		r = event_format_parse(texts[i].text, strlen(texts[i].text), texts[i].system, abi,
				       &f->arena, &format, NULL);
		f->entries[i] = (struct event_entry){ .id = i,
						      .format = format,
						      .format_state = EVENT_READ };
		f->by_id[i] = &f->entries[i];
	}
	if (r == 0)
		r = kallsyms_init(&f->kallsyms, symbols, strlen(symbols));
	if (r == 0)
		r = tasks_add_cmdlines(&f->tasks, "5 app\n", 6);
	if (r == 0)
		r = sample_tree_init(&f->tree, &f->kallsyms, &f->tasks, NULL);
	return r < 0 ? r : event_stacks_init(&f->stacks, &f->tree, &f->table, pattern, NULL);
}

static void end(struct fixture *f)
{
	event_stacks_done(&f->stacks);
	sample_tree_done(&f->tree);
	tasks_done(&f->tasks);
	kallsyms_done(&f->kallsyms);
	arena_done(&f->arena);
}

/* Feeds an event of this kind on @cpu; a stack has the addresses up to the first 0. */
static void feed(struct fixture *f, int kind, uint32_t cpu, const uint64_t *frames)
{
	uint64_t words[12] = { 0 };
	struct fathom_event event = { .time = f->time++,
				      .data = words,
				      .size = 16,
				      .cpu = cpu,
				      .pid = 5,
				      .id = (uint16_t)kind };

	for (size_t i = 0; frames && frames[i]; i++, event.size += 8)
		words[2 + i] = frames[i];
	if (kind == USER)
		event.size = 80;
	event_stacks_feed(&f->stacks, &event, false);
}

/* A sample taken at the event @id. */
static void feed_sample(struct fixture *f, uint32_t id, const uint64_t *frames)
{
	uint64_t words[4] = { 0, 0, frames[0], frames[1] };
	struct fathom_event event = {
		.time = f->time++, .data = words, .size = sizeof(words), .pid = 5, .id = SAMPLE
	};

	store_u32((uint8_t *)words + 4, 5, BYTES_HOST_BIG);
	store_u32((uint8_t *)words + 8, id, BYTES_HOST_BIG);
	store_u32((uint8_t *)words + 12, 2, BYTES_HOST_BIG);
	event_stacks_feed(&f->stacks, &event, false);
}

/* Returns the number of stacks whose innermost frame is this kernel function. */
static uint64_t ends_in(const struct fixture *f, const char *name)
{
	uint64_t n = 0;

	for (uint32_t i = 1; i < f->tree.tree.n; i++) {
		const struct call_node *node = &f->tree.tree.nodes[i];
		const struct func *func = &f->tree.tree.funcs.list[node->func];

		if (func->name && strcmp(func->name, name) == 0)
			n += node->times.own;
	}
	return n;
}

static const uint64_t one[] = { ONE, TWO, 0 }, two[] = { TWO, ONE, 0 }, three[] = { THREE, 0 };
static const uint64_t user[] = { 0x401000, 0x402000, 0 };

/*
 * The stack that follows an event belongs to it even if an interrupt came in between; on another
 * CPU, it belongs to another event.
 */
static void stacks_belong_to_their_events(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (succeeds(start(f, "sched:*") == 0)) {
		feed(f, STACK, 0, three);
		feed(f, GOOD, 0, NULL);
		feed(f, GOOD, 1, NULL);
		feed(f, IRQ, 0, NULL);
		feed(f, STACK, 0, three);
		feed(f, STACK, 1, two);
		feed(f, STACK, 0, one);
		feed(f, USER, 0, user);
		feed(f, IRQ, 0, NULL);
		feed(f, STACK, 0, three);
		feed(f, GOOD, 0, NULL);
		if (succeeds(event_stacks_finish(&f->stacks) == 0)) {
			assert_int_equal(f->stacks.count, 3);
			assert_int_equal(f->stacks.bare, 1);
			assert_int_equal(f->tree.n, 2);
			assert_int_equal(ends_in(f, "one"), 1);
			assert_int_equal(ends_in(f, "two"), 1);
			assert_int_equal(ends_in(f, "three"), 0);
		}
	}
	end(f);
	free(f);
}

static void other_events_are_not_counted(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (succeeds(start(f, "irq") == 0)) {
		feed(f, GOOD, 0, NULL);
		feed(f, STACK, 0, one);
		feed(f, IRQ, 0, NULL);
		feed(f, STACK, 0, three);
		if (succeeds(event_stacks_finish(&f->stacks) == 0)) {
			assert_int_equal(f->stacks.count, 1);
			assert_int_equal(ends_in(f, "three"), 1);
			assert_int_equal(ends_in(f, "one"), 0);
		}
	}
	end(f);
	free(f);
}

/*
 * Samples taken at the events, recorded before or after them, are their stacks; other samples are
 * not.
 */
static void samples_taken_at_events_are_stacks(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (succeeds(start(f, "good") == 0)) {
		feed_sample(f, GOOD, one);
		feed(f, GOOD, 0, NULL);
		feed(f, GOOD, 1, NULL);
		feed_sample(f, IRQ, two);
		feed_sample(f, 0, two);
		feed_sample(f, 70000, two);
		feed_sample(f, GOOD, one);
		feed(f, GOOD, 0, NULL);
		if (succeeds(event_stacks_finish(&f->stacks) == 0)) {
			assert_int_equal(f->stacks.count, 3);
			assert_int_equal(f->stacks.bare, 1);
			assert_int_equal(ends_in(f, "one"), 2);
			assert_int_equal(ends_in(f, "two"), 0);
		}
	}
	end(f);
	free(f);
}

static void rejects_an_invalid_pattern(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int r = start(f, "[z-a]*");

	if (succeeds(r != -ENOMEM))
		assert_int_equal(r, -EINVAL);
	end(f);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_belong_to_their_events),
		cmocka_unit_test(other_events_are_not_counted),
		cmocka_unit_test(samples_taken_at_events_are_stacks),
		cmocka_unit_test(rejects_an_invalid_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
