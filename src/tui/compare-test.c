/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "analyze/calls/call-view.h"
#include "base/strbuf.h"
#include "tui/compare.h"

static const char symbols[] = "1000 t a\n2000 t b\n3000 t c\n4000 t d\n5000 t end\n";

/*
 * A path of functions, as digits that are multiplied by 0x1000, and the time of the last function.
 */
struct call {
	const char *path;
	uint64_t total;
};

static const struct call old_calls[] = {
	{ "1", 100 }, { "12", 40 }, { "13", 30 }, { "2", 5 }, { 0 },
};
static const struct call new_calls[] = {
	{ "1", 180 }, { "12", 35 }, { "13", 110 }, { "134", 90 }, { "2", 5 }, { "4", 9 }, { 0 },
};

/* One side. */
struct made {
	struct call_tree tree, flat;
	struct syscalls syscalls;
	bool has_tree, has_flat;
};

static int build(const struct call *calls, const struct kallsyms *kallsyms, struct made *made)
{
	struct call_tree *tree = &made->tree;
	int r = call_tree_init(tree, kallsyms, true);

	made->has_tree = r == 0;
	for (; r == 0 && calls->path; calls++) {
		struct call_times times = { .total = calls->total };
		uint32_t node = CALL_ROOT;

		for (const char *p = calls->path; *p && node != CALL_NONE; p++) {
			uint32_t func = func_table_find(&tree->funcs, (uint64_t)(*p - '0') << 12);

			node = func == FUNC_NONE ? CALL_NONE : call_tree_child(tree, node, func);
		}
		if (node == CALL_NONE)
			return -ENOMEM;
		call_tree_add(tree, node, &times);
	}
	if (r == 0)
		r = tree->nomem ? -ENOMEM : call_view_flat(tree, &made->flat);
	made->has_flat = r == 0;
	return r;
}

static void unbuild(struct made *made)
{
	if (made->has_flat)
		call_tree_done(&made->flat);
	if (made->has_tree)
		call_tree_done(&made->tree);
}

static struct compare_input input_of(const struct made *made)
{
	return (struct compare_input){ .tree = &made->tree,
				       .flat = &made->flat,
				       .syscalls = &made->syscalls };
}

struct fixture {
	struct kallsyms kallsyms;
	struct made before, after;
	struct compare compare;
};

static int make(struct fixture *f)
{
	struct compare_input before = input_of(&f->before), after = input_of(&f->after);
	int r = kallsyms_init(&f->kallsyms, symbols, strlen(symbols));

	if (r == 0)
		r = build(old_calls, &f->kallsyms, &f->before);
	if (r == 0)
		r = build(new_calls, &f->kallsyms, &f->after);
	return r < 0 ? r : compare_make(&f->compare, &before, &after);
}

static void unmake(struct fixture *f)
{
	compare_done(&f->compare);
	unbuild(&f->before);
	unbuild(&f->after);
	kallsyms_done(&f->kallsyms);
}

static void shows(const struct compare *compare, const char *text)
{
	struct strbuf buf = { 0 };

	for (size_t i = 0; i < compare->n; i++) {
		const struct compare_line *line = &compare->lines[i];
		struct compare_values values;

		compare_values(compare, line, &values);
		strbuf_pad(&buf, ' ', line->level);
		strbuf_adds(&buf, !line->has_inside ? "" : line->open ? "-" : "+");
		compare_put_name(compare, line, &buf);
		strbuf_addf(&buf, " %+lld %s\n", (long long)values.change, values.verdict);
	}
	assert_string_equal(strbuf_str(&buf), text);
	strbuf_done(&buf);
}

#define FUNCTIONS          \
	"-functions +0 \n" \
	" d +99 new?\n"    \
	" a +80 \n"        \
	" c +80 \n"        \
	" b -5 \n"

static void opens_and_closes(void **state)
{
	struct fixture f = { 0 };

	assert_int_equal(make(&f), 0);
	/* The branch with most of the change is open, down to where it splits. */
	shows(&f.compare, "-calls by caller +89 \n"
			  " -a +80 \n"
			  "  -c +80 \n"
			  "   d +90 new?\n"
			  "  b -5 \n"
			  " d +9 new?\n"
			  " b +0 \n" FUNCTIONS);
	assert_int_equal(compare_parent(&f.compare, 3), 2);
	assert_int_equal(compare_parent(&f.compare, 5), 0);
	assert_int_equal(compare_parent(&f.compare, 0), 0);
	assert_int_equal(compare_turn(&f.compare, 2, false), 0);
	shows(&f.compare, "-calls by caller +89 \n"
			  " -a +80 \n"
			  "  +c +80 \n"
			  "  b -5 \n"
			  " d +9 new?\n"
			  " b +0 \n" FUNCTIONS);
	assert_int_equal(compare_turn(&f.compare, 0, false), 0);
	shows(&f.compare, "+calls by caller +89 \n" FUNCTIONS);
	/* Lines that have no children, or are closed already, remain. */
	assert_int_equal(compare_turn(&f.compare, 2, true), 0);
	assert_int_equal(compare_turn(&f.compare, 0, false), 0);
	assert_int_equal(f.compare.n, 6);
	assert_int_equal(compare_turn(&f.compare, 0, true), 0);
	assert_false(f.compare.lines[2].open);
	unmake(&f);
}

static void omits_items_missing_on_one_side(void **state)
{
	struct fixture f = { 0 };
	struct compare_input before, after;

	assert_int_equal(make(&f), 0);
	before = input_of(&f.before);
	after = input_of(&f.after);
	after.tree = after.flat = NULL;
	assert_int_equal(compare_make(&f.compare, &before, &after), 0);
	assert_int_equal(f.compare.n, 0);
	unmake(&f);
}

static int try(void *arg)
{
	struct fixture f = { 0 };
	int r = make(&f);

	if (r == 0)
		r = compare_turn(&f.compare, 1, false);
	unmake(&f);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(try, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_and_closes),
		cmocka_unit_test(omits_items_missing_on_one_side),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
