/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/call-view.h"
#include "analyze/calls.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"

static const char symbols[] = "1000 t outer\n"
			      "2000 t inner\n"
			      "3000 T __irqentry_text_start\n"
			      "3010 t interrupt\n"
			      "4000 T __irqentry_text_end\n"
			      "5000 t leaf\n"
			      "6000 t end\n";

enum {
	OUTER = 0x1000,
	INNER = 0x2000,
	INTERRUPT = 0x3010,
	LEAF = 0x5000
};

/* What happens: kind, time, pid, then function and depth, or the next pid. */
struct step {
	enum happening_kind kind;
	uint64_t time;
	int32_t pid;
	uint64_t what;
	int depth;
	uint64_t duration, missed;
};

static void put_nodes(const struct call_tree *tree, uint32_t at, int depth, struct strbuf *text)
{
	for (at = tree->nodes[at].child; at != CALL_NONE; at = tree->nodes[at].sibling) {
		const struct call_node *node = &tree->nodes[at];

		if (node->count || node->cut)
			strbuf_addf(
				text,
				"%*s%s: %llu+%llu total %llu own %llu stolen %llu asleep %llu\n",
				depth, "", tree->funcs.list[node->func].name,
				(unsigned long long)node->count, (unsigned long long)node->cut,
				(unsigned long long)node->times.total,
				(unsigned long long)node->times.own,
				(unsigned long long)node->times.stolen,
				(unsigned long long)node->times.asleep);
		put_nodes(tree, at, depth + 1, text);
	}
}

static int account(const struct step *steps, struct calls *calls)
{
	for (; steps->time; steps++) {
		struct fathom_event event = { .time = steps->time,
					      .pid = steps->pid,
					      .missed = steps->missed };
		struct happening happening = { .kind = steps->kind, .event = &event };

		if (steps->kind == HAPPENING_SWITCH) {
			happening.sched.prev_pid = steps->pid;
			happening.sched.next_pid = (int32_t)steps->what;
		} else {
			happening.call.func = steps->what;
			happening.call.depth = steps->depth;
			happening.call.duration = steps->duration;
		}
		calls_feed(calls, &happening);
	}
	return 0;
}

typedef int make_view(const struct call_tree *tree, struct call_tree *ret_view);

static int print(const struct step *steps, make_view *make, struct strbuf *text)
{
	struct kallsyms kallsyms;
	struct call_tree view = { 0 };
	const struct call_tree *tree;
	struct calls *calls;
	int r = kallsyms_init(&kallsyms, symbols, strlen(symbols));

	if (r < 0)
		return r;
	r = calls_new(&(struct calls_options){ .kallsyms = &kallsyms, .with_spread = true },
		      &calls);
	if (r == 0) {
		account(steps, calls);
		r = calls_finish(calls, &tree);
		if (r == 0 && make)
			r = make(tree, &view);
		if (r == 0)
			put_nodes(make ? &view : tree, CALL_ROOT, 0, text);
		call_tree_done(&view);
		calls_free(calls);
	}
	kallsyms_done(&kallsyms);
	return r ?: text->err;
}

static void expect(const struct step *steps, make_view *make, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = print(steps, make, &text);

	if (r == 0)
		assert_string_equal(strbuf_str(&text), wanted);
	else
		assert_true(r == -ENOMEM && mem_fault);
}

static const struct step usual[] = {
	{ HAPPENING_CALL, 100, 7, OUTER, 0 },
	{ HAPPENING_CALL, 110, 7, INNER, 1 },
	{ HAPPENING_CALL, 120, 7, INTERRUPT, 2 },
	{ HAPPENING_CALL, 122, 7, LEAF, 3 },
	{ HAPPENING_RETURN, 125, 7, LEAF, 3, 3 },
	{ HAPPENING_RETURN, 130, 7, INTERRUPT, 2, 10 },
	{ HAPPENING_SWITCH, 140, 7, 0 },
	{ HAPPENING_SWITCH, 170, 0, 7 },
	{ HAPPENING_RETURN, 180, 7, INNER, 1, 70 },
	{ HAPPENING_CALL, 190, 7, LEAF, 1 },
	{ HAPPENING_RETURN, 195, 7, LEAF, 1, 5 },
	{ HAPPENING_RETURN, 200, 7, OUTER, 0, 100 },
	{ 0 },
};

static void tells_times_apart(void **state)
{
	expect(usual, NULL,
	       "outer: 1+0 total 100 own 25 stolen 10 asleep 30\n"
	       " leaf: 1+0 total 5 own 5 stolen 0 asleep 0\n"
	       " inner: 1+0 total 70 own 30 stolen 10 asleep 30\n"
	       "  interrupt: 1+0 total 10 own 7 stolen 0 asleep 0\n"
	       "   leaf: 1+0 total 3 own 3 stolen 0 asleep 0\n");
}

/* The last functions of switching come after the event that tells of it. */
static void sleep_begins_after_the_last_function(void **state)
{
	static const struct step steps[] = {
		{ HAPPENING_CALL, 100, 7, OUTER, 0 },
		{ HAPPENING_SWITCH, 110, 7, 0 },
		{ HAPPENING_CALL, 112, 7, LEAF, 1 },
		{ HAPPENING_RETURN, 115, 7, LEAF, 1, 3 },
		{ HAPPENING_SWITCH, 170, 0, 7 },
		{ HAPPENING_RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};

	expect(steps, NULL,
	       "outer: 1+0 total 100 own 42 stolen 0 asleep 55\n"
	       " leaf: 1+0 total 3 own 3 stolen 0 asleep 0\n");
}

static void ends_without_beginnings_have_a_place(void **state)
{
	static const struct step steps[] = {
		{ HAPPENING_CALL, 100, 7, LEAF, 2 },
		{ HAPPENING_RETURN, 105, 7, LEAF, 2, 5 },
		{ HAPPENING_RETURN, 110, 7, INNER, 1, 60 },
		{ HAPPENING_CALL, 120, 7, LEAF, 1 },
		{ HAPPENING_RETURN, 126, 7, LEAF, 1, 6 },
		{ HAPPENING_RETURN, 130, 7, OUTER, 0, 90 },
		{ HAPPENING_CALL, 140, 7, OUTER, 0 },
		{ 0 },
	};

	expect(steps, NULL,
	       "outer: 0+2 total 0 own 0 stolen 0 asleep 0\n"
	       " inner: 0+1 total 0 own 0 stolen 0 asleep 0\n"
	       "  leaf: 1+0 total 5 own 5 stolen 0 asleep 0\n"
	       " leaf: 1+0 total 6 own 6 stolen 0 asleep 0\n");
}

/* The second end is that of a call whose beginning was lost. */
static void lost_events_make_no_times(void **state)
{
	static const struct step steps[] = {
		{ HAPPENING_CALL, 100, 7, OUTER, 0 },
		{ HAPPENING_CALL, 110, 7, INNER, 1 },
		{ HAPPENING_RETURN, 180, 7, INNER, 1, 20, .missed = 2 },
		{ HAPPENING_RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};

	expect(steps, NULL,
	       "outer: 1+0 total 100 own 0 stolen 0 asleep 0\n"
	       " inner: 0+2 total 0 own 0 stolen 0 asleep 0\n");
}

static bool is_leaf(const void *data, const struct func *func)
{
	return func->name && strcmp(func->name, "leaf") == 0;
}

static bool is_inner(const void *data, const struct func *func)
{
	return func->name && strcmp(func->name, "inner") == 0;
}

static int callers_of_leaf(const struct call_tree *tree, struct call_tree *ret_view)
{
	return call_view_callers(tree, is_leaf, NULL, ret_view);
}

static int below_inner(const struct call_tree *tree, struct call_tree *ret_view)
{
	return call_view_below(tree, is_inner, NULL, ret_view);
}

static void shows_who_called(void **state)
{
	expect(usual, callers_of_leaf,
	       "leaf: 2+0 total 8 own 8 stolen 0 asleep 0\n"
	       " interrupt: 1+0 total 3 own 3 stolen 0 asleep 0\n"
	       "  inner: 1+0 total 3 own 3 stolen 0 asleep 0\n"
	       "   outer: 1+0 total 3 own 3 stolen 0 asleep 0\n"
	       " outer: 1+0 total 5 own 5 stolen 0 asleep 0\n");
}

static void shows_what_is_below(void **state)
{
	expect(usual, below_inner,
	       "inner: 1+0 total 70 own 30 stolen 10 asleep 30\n"
	       " interrupt: 1+0 total 10 own 7 stolen 0 asleep 0\n"
	       "  leaf: 1+0 total 3 own 3 stolen 0 asleep 0\n");
}

/* Twice in itself, once for its time. */
static void counts_time_once(void **state)
{
	static const struct step steps[] = {
		{ HAPPENING_CALL, 100, 7, OUTER, 0 },
		{ HAPPENING_CALL, 110, 7, OUTER, 1 },
		{ HAPPENING_RETURN, 130, 7, OUTER, 1, 20 },
		{ HAPPENING_RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};

	expect(steps, call_view_flat, "outer: 2+0 total 100 own 100 stolen 0 asleep 0\n");
}

static int print_usual(void *arg)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return print(usual, callers_of_leaf, &text);
}

static void survives_failing_allocations(void **state)
{
	oom_check(print_usual, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_times_apart),
		cmocka_unit_test(sleep_begins_after_the_last_function),
		cmocka_unit_test(ends_without_beginnings_have_a_place),
		cmocka_unit_test(lost_events_make_no_times),
		cmocka_unit_test(shows_who_called),
		cmocka_unit_test(shows_what_is_below),
		cmocka_unit_test(counts_time_once),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
