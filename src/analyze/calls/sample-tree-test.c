/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/calls/sample-tree.h"

#include <linux/perf_event.h>

#include "analyze/calls/call-view.h"
#include "format/bytes.h"
#include "format/event/sample-event.h"
#include "test.h"

static const char symbols[] = "ffffffff81000000 T outer\nffffffff81000100 T inner\n"
			      "ffffffff81000200 T last\nffffffff81000300 T end\n";

#define OUTER UINT64_C(0xffffffff81000000)
#define INNER UINT64_C(0xffffffff81000100)
#define LAST  UINT64_C(0xffffffff81000200)

struct fixture {
	struct arena arena;
	struct event_format *format;
	struct kallsyms kallsyms;
	struct tasks tasks;
	struct sample_tree samples;
};

static int start(struct fixture *f)
{
	struct event_abi abi = { .long_size = 8, .big_endian = BYTES_HOST_BIG };
	int r = event_format_parse(sample_format, strlen(sample_format), SAMPLE_SYSTEM, abi,
				   &f->arena, &f->format, NULL);

	if (r == 0)
		r = kallsyms_init(&f->kallsyms, symbols, strlen(symbols));
	if (r == 0)
		r = tasks_add_cmdlines(&f->tasks, "5 burn\n6 burn\n", 14);
	return r < 0 ? -ENOMEM : sample_tree_init(&f->samples, &f->kallsyms, &f->tasks, NULL);
}

static void end(struct fixture *f)
{
	sample_tree_done(&f->samples);
	tasks_done(&f->tasks);
	kallsyms_done(&f->kallsyms);
	arena_done(&f->arena);
}

/* A sample of task @pid with these frames, innermost first, up to 0. */
static void feed(struct fixture *f, int32_t pid, const uint64_t *frames, bool unwanted)
{
	struct perf_layout layout = { .big = BYTES_HOST_BIG };
	uint64_t chain[16], kernel = 0;
	struct perf_record record = { .pid = pid, .tid = pid, .chain = (const uint8_t *)chain };
	uint8_t bytes[SAMPLE_SIZE_MAX];
	struct event_entry entry = { .format = f->format };
	struct fathom_event event = { .time = 1000, .data = bytes, .pid = pid };
	struct decoded_event decoded = {
		.kind = DECODED_SAMPLE, .event = &event, .entry = &entry, .unwanted = unwanted
	};

	for (; *frames; frames++) {
		if (*frames < OUTER && kernel < UINT32_MAX) {
			chain[record.n_chain++] = (uint64_t)PERF_CONTEXT_USER;
			decoded.sample.kernel = (uint32_t)kernel;
			kernel = UINT32_MAX;
		}
		chain[record.n_chain++] = *frames;
		kernel++;
	}
	if (kernel < UINT32_MAX)
		decoded.sample.kernel = (uint32_t)kernel;
	event.size = sample_event_write(&layout, &record, 100, bytes);
	decoded.sample.ns = 100;
	decoded.sample.process = pid;
	decoded.sample.stack = event_field_find(f->format, "stack");
	sample_tree_feed(&f->samples, &decoded);
}

static int feed_all(struct fixture *f)
{
	/*
	 * A return address at the very end of a function still belongs to it; an interrupted
	 * function may be at its start.
	 */
	static const uint64_t deep[] = { INNER, INNER, 0x401000, 0x402000, 0 };
	static const uint64_t other[] = { LAST + 8, INNER + 4, 0 };
	static const uint64_t user[] = { 0x403000, 0 };
	static const uint64_t none[] = { 0 };
	int r = start(f);

	if (r < 0)
		return r;
	feed(f, 5, deep, false);
	feed(f, 6, deep, false);
	feed(f, 5, other, false);
	feed(f, 7, user, false);
	feed(f, 7, none, false);
	feed(f, 5, deep, true);
	return f->samples.nomem ? -ENOMEM : 0;
}

/* Returns the node of the call chain "a;b;c", or NULL. */
static const struct call_node *find(const struct call_tree *tree, const char *path)
{
	uint32_t at = CALL_ROOT;

	while (*path) {
		size_t len = strcspn(path, ";");
		uint32_t child = tree->nodes[at].child;

		for (; child != CALL_NONE; child = tree->nodes[child].sibling) {
			_cleanup_strbuf_ struct strbuf name = { 0 };

			func_put_name(&tree->funcs.list[tree->nodes[child].func], &name);
			if (name.len == len && strncmp(strbuf_str(&name), path, len) == 0)
				break;
		}
		if (child == CALL_NONE)
			return NULL;
		at = child;
		path += len + (path[len] == ';');
	}
	return &tree->nodes[at];
}

static void expect(const struct call_tree *tree, const char *path, uint64_t count, uint64_t own)
{
	const struct call_node *node = find(tree, path);

	if (!node)
		fail_msg("there is no '%s'", path);
	assert_int_equal(node->count, count);
	assert_int_equal(node->times.total, count * 100);
	assert_int_equal(node->times.own, own);
}

static void computes_sums(void **state)
{
	struct fixture f = { 0 };
	struct call_tree flat = { 0 };

	if (succeeds(feed_all(&f) == 0)) {
		const struct call_tree *tree = &f.samples.tree;

		assert_int_equal(f.samples.n, 5);
		expect(tree, "burn", 3, 0);
		expect(tree, "burn;[unknown];[unknown]", 2, 0);
		expect(tree, "burn;[unknown];[unknown];outer_[k];inner_[k]", 2, 200);
		expect(tree, "burn;inner_[k];last_[k]", 1, 100);
		expect(tree, "<...>", 2, 100);
		expect(tree, "<...>;[unknown]", 1, 100);
		/* Other views have the same names. */
		if (succeeds(call_view_flat(tree, &flat) == 0)) {
			expect(&flat, "inner_[k]", 3, 200);
			expect(&flat, "burn", 3, 0);
			assert_non_null(find(&flat, "[unknown]"));
			call_tree_done(&flat);
		}
	}
	end(&f);
}

/* If callers are missing, the reason takes their place. */
static void reports_why_a_stack_ends(void **state)
{
	struct fixture f = { 0 };
	struct sample_stack stack = { .pid = 5, .process = 5, .weight = 100 };

	if (succeeds(start(&f) == 0)) {
		stack.end = SAMPLE_END_WHOLE;
		sample_tree_add(&f.samples, &stack);
		stack.end = SAMPLE_END_ROOM;
		sample_tree_add(&f.samples, &stack);
		stack.n = stack.kernel = 1;
		stack.frames[0] = INNER;
		sample_tree_add(&f.samples, &stack);
		if (succeeds(!f.samples.nomem)) {
			expect(&f.samples.tree, "burn", 3, 200);
			expect(&f.samples.tree, "burn;[too deep]", 2, 100);
			expect(&f.samples.tree, "burn;[too deep];inner_[k]", 1, 100);
		}
	}
	end(&f);
}

/* The same name in two files is two functions, wherever the string is stored. */
static void distinguishes_files(void **state)
{
	struct func_table table = { 0 };
	char name[] = "main";
	uint32_t a = func_table_named(&table, &(struct func){ .name = "main", .module = "a" });
	uint32_t b = func_table_named(&table, &(struct func){ .name = "main", .module = "b" });
	uint32_t none = func_table_named(&table, &(struct func){ .name = "main" });
	uint32_t again = func_table_named(&table, &(struct func){ .name = name, .module = "a" });

	if (a != FUNC_NONE && b != FUNC_NONE && none != FUNC_NONE) {
		assert_int_equal(a, again);
		assert_true(a != b && a != none && b != none);
	}
	func_table_done(&table);
}

static int feed_once(void *arg)
{
	struct fixture f = { 0 };
	int r = feed_all(&f);

	end(&f);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_once, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_sums),
		cmocka_unit_test(reports_why_a_stack_ends),
		cmocka_unit_test(distinguishes_files),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
