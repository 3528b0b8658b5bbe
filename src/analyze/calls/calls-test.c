/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call-text.h"
#include "expect-text.h"
#include "step.h"
#include "test.h"

#include <math.h>

#include "analyze/calls/call-view.h"
#include "analyze/calls/calls.h"
#include "analyze/calls/phases.h"
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

static int account(const struct step *steps, struct calls *calls)
{
	for (; steps->time; steps++) {
		struct decoded_event decoded;
		struct fathom_event event;

		step_decode(steps, &event, &decoded);
		calls_feed(calls, &decoded);
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
			call_text(make ? &view : tree, text);
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

	expect_text(r, &text, wanted);
}

static const struct step usual[] = {
	{ CALL, 100, 7, OUTER, 0 },
	{ CALL, 110, 7, INNER, 1 },
	{ CALL, 120, 7, INTERRUPT, 2 },
	{ CALL, 122, 7, LEAF, 3 },
	{ RETURN, 125, 7, LEAF, 3, 3 },
	{ RETURN, 130, 7, INTERRUPT, 2, 10 },
	{ SWITCH, 140, 7, 0, TASK_STATE_SLEEPING },
	{ SWITCH, 170, 0, 7, TASK_STATE_SLEEPING },
	{ RETURN, 180, 7, INNER, 1, 70 },
	{ CALL, 190, 7, LEAF, 1 },
	{ RETURN, 195, 7, LEAF, 1, 5 },
	{ RETURN, 200, 7, OUTER, 0, 100 },
	{ 0 },
};

static void separates_times(void **state)
{
	expect(usual, NULL,
	       "outer 1+0 total 100 own 25 stolen 10 asleep 30\n"
	       " leaf 1+0 total 5 own 5 stolen 0 asleep 0\n"
	       " inner 1+0 total 70 own 30 stolen 10 asleep 30\n"
	       "  interrupt 1+0 total 10 own 7 stolen 0 asleep 0\n"
	       "   leaf 1+0 total 3 own 3 stolen 0 asleep 0\n");
}

/*
 * The kernel takes the time of a call before it writes the event, so an interrupt may come in
 * between.
 */
static void interrupts_may_precede_the_entry_event(void **state)
{
	static const struct step inside[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ CALL, 120, 7, INTERRUPT, 2 },
		{ RETURN, 130, 7, INTERRUPT, 2, 10 },
		{ CALL, 140, 7, INNER, 1 },
		{ RETURN, 150, 7, INNER, 1, 40 },
		{ RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};
	/* The interrupt ended before the call began. */
	static const struct step before[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ CALL, 120, 7, INTERRUPT, 2 },
		{ RETURN, 130, 7, INTERRUPT, 2, 10 },
		{ CALL, 140, 7, INNER, 1 },
		{ RETURN, 150, 7, INNER, 1, 15 },
		{ RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};

	expect(inside, NULL,
	       "outer 1+0 total 100 own 60 stolen 10 asleep 0\n"
	       " inner 1+0 total 40 own 30 stolen 10 asleep 0\n"
	       "  interrupt 1+0 total 10 own 10 stolen 0 asleep 0\n");
	expect(before, NULL,
	       "outer 1+0 total 100 own 75 stolen 10 asleep 0\n"
	       " interrupt 1+0 total 10 own 10 stolen 0 asleep 0\n"
	       " inner 1+0 total 15 own 15 stolen 0 asleep 0\n");
}

/* The call took 20, and the interrupt came later, so it belongs to the caller. */
static void interrupts_may_precede_the_exit_event(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ CALL, 110, 7, INNER, 1 },
		{ CALL, 135, 7, INTERRUPT, 2 },
		{ RETURN, 185, 7, INTERRUPT, 2, 50 },
		{ RETURN, 190, 7, INNER, 1, 20 },
		{ RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};

	expect(steps, NULL,
	       "outer 1+0 total 100 own 50 stolen 50 asleep 0\n"
	       " inner 1+0 total 20 own 0 stolen 20 asleep 0 and 30\n"
	       "  interrupt 1+0 total 50 own 50 stolen 0 asleep 0\n");
}

/* The last functions of a switch follow its event. */
static void sleep_begins_after_the_last_function(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ SWITCH, 110, 7, 0, TASK_STATE_SLEEPING },
		{ CALL, 112, 7, LEAF, 1 },
		{ RETURN, 115, 7, LEAF, 1, 3 },
		{ SWITCH, 170, 0, 7, TASK_STATE_SLEEPING },
		{ RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};

	expect(steps, NULL,
	       "outer 1+0 total 100 own 42 stolen 0 asleep 55\n"
	       " leaf 1+0 total 3 own 3 stolen 0 asleep 0\n");
}

/* Checks what was noted for comparisons about the first function of the tree. */
static void expect_notes(const struct step *steps, uint64_t waiting, uint64_t outermost,
			 double own_time)
{
	const struct call_tree *tree;
	const struct call_node *node;
	struct time_range range = { 0 };
	struct calls *calls = NULL;
	int r = calls_new(&(struct calls_options){ .with_notes = true }, &calls);

	if (r == 0) {
		account(steps, calls);
		r = calls_finish(calls, &tree);
	}
	if (r == 0) {
		node = &tree->nodes[tree->nodes[CALL_ROOT].child];
		assert_int_equal(node->times.waiting, waiting);
		assert_int_equal(node->outermost, outermost);
		time_range_add(&range, &node->blocks);
		assert_int_equal(time_blocks_average(&node->blocks, &range).count, node->count);
		assert_true(fabs(exp(time_blocks_average(&node->blocks, &range).mean) - own_time) <
			    0.01);
	} else {
		assert_true(mem_fault);
	}
	calls_free(calls);
}

/* Waiting is the time off the CPU while runnable: since a preemption or a wakeup. */
static void waiting_is_not_part_of_a_call(void **state)
{
	static const struct step preempted[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ SWITCH, 140, 7, 8, TASK_STATE_RUNNABLE },
		{ SWITCH, 170, 8, 7, TASK_STATE_SLEEPING },
		{ RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};
	static const struct step woken[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ SWITCH, 140, 7, 8, TASK_STATE_SLEEPING },
		{ DECODED_WAKEUP, 165, 8, 7 },
		{ DECODED_WAKEUP, 166, 8, 7 },
		{ SWITCH, 170, 8, 7, TASK_STATE_SLEEPING },
		{ RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};
	static const struct step asleep[] = {
		{ DECODED_WAKEUP, 90, 8, 7 },
		{ CALL, 100, 7, OUTER, 0 },
		{ SWITCH, 140, 7, 8, TASK_STATE_SLEEPING },
		{ SWITCH, 170, 8, 7, TASK_STATE_SLEEPING },
		{ RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};

	expect_notes(preempted, 30, 1, 70);
	expect_notes(woken, 5, 1, 95);
	expect_notes(asleep, 0, 1, 100);
}

/* No matter how often it is called there. */
/* 8, a thread of 7, executes a program and takes over pid 7; the task that was 7 ends as 8. */
static void follows_exec_by_a_thread(void **state)
{
	static const struct step by_switches[] = {
		{ CALL, 100, 7, LEAF, 0 },
		{ SWITCH, 110, 7, 8, TASK_STATE_SLEEPING },
		{ CALL, 120, 8, OUTER, 0 },
		{ CALL, 130, 8, INNER, 1 },
		{ RETURN, 140, 7, INNER, 1, 10 },
		{ RETURN, 160, 7, OUTER, 0, 40 },
		{ SWITCH, 170, 7, 8, TASK_STATE_SLEEPING },
		{ RETURN, 180, 8, LEAF, 0, 80 },
		{ 0 },
	};
	static const struct step by_calls[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ CALL, 110, 7, LEAF, 1 },
		{ CALL, 120, 8, OUTER, 0 },
		{ CALL, 130, 8, INNER, 1 },
		{ RETURN, 140, 7, INNER, 1, 10 },
		{ RETURN, 160, 7, OUTER, 0, 40 },
		{ 0 },
	};

	expect(by_switches, NULL,
	       "outer 1+0 total 40 own 30 stolen 0 asleep 0\n"
	       " inner 1+0 total 10 own 10 stolen 0 asleep 0\n"
	       "leaf 1+0 total 80 own 20 stolen 0 asleep 60\n");
	expect(by_calls, NULL,
	       "outer 1+1 total 40 own 30 stolen 0 asleep 0\n"
	       " inner 1+0 total 10 own 10 stolen 0 asleep 0\n"
	       " leaf 0+1 total 0 own 0 stolen 0 asleep 0\n");
}

/* It is preempted before it has any other event. */
static void detects_exec_by_a_switch(void **state)
{
	static const struct step preempted[] = {
		{ CALL, 100, 7, LEAF, 0 },
		{ SWITCH, 110, 7, 8, TASK_STATE_DEAD },
		{ CALL, 120, 8, OUTER, 0 },
		{ SWITCH, 130, 7, 9, TASK_STATE_RUNNABLE },
		{ SWITCH, 150, 9, 7, TASK_STATE_RUNNABLE },
		{ RETURN, 160, 7, OUTER, 0, 40 },
		{ 0 },
	};
	/* The first thread leaves with the pid of the other. */
	static const struct step gone[] = {
		{ SWITCH, 90, 0, 7, TASK_STATE_SLEEPING, .cpu = 1 },
		{ CALL, 100, 7, LEAF, 0, .cpu = 1 },
		{ SWITCH, 110, 0, 8, TASK_STATE_SLEEPING },
		{ CALL, 120, 8, OUTER, 0 },
		{ SWITCH, 130, 8, 9, TASK_STATE_DEAD, .cpu = 1 },
		{ RETURN, 160, 7, OUTER, 0, 40 },
		{ 0 },
	};
	/* The switch is in two buffers. */
	static const struct step twice[] = {
		{ CALL, 100, 8, OUTER, 0 },
		{ SWITCH, 105, 8, 7, TASK_STATE_SLEEPING },
		{ CALL, 107, 7, LEAF, 0 },
		{ SWITCH, 110, 7, 8, TASK_STATE_DEAD },
		{ SWITCH, 110, 7, 8, TASK_STATE_DEAD },
		{ RETURN, 160, 8, OUTER, 0, 60 },
		{ 0 },
	};

	expect(preempted, NULL,
	       "outer 1+0 total 40 own 20 stolen 0 asleep 20\n"
	       "leaf 0+1 total 0 own 0 stolen 0 asleep 0\n");
	expect(gone, NULL,
	       "outer 1+0 total 40 own 40 stolen 0 asleep 0\n"
	       "leaf 0+1 total 0 own 0 stolen 0 asleep 0\n");
	expect(twice, NULL,
	       "leaf 0+1 total 0 own 0 stolen 0 asleep 0\n"
	       "outer 1+0 total 60 own 0 stolen 0 asleep 5\n");
}

/* An exit that may belong to another call is not attributed to the thread. */
static void does_not_confuse_threads(void **state)
{
	/* Nothing is known about 7. */
	static const struct step unknown[] = {
		{ CALL, 120, 8, INNER, 0 },
		{ RETURN, 140, 7, INNER, 0, 20 },
		{ 0 },
	};
	/* It began long before. */
	static const struct step early[] = {
		{ CALL, 5000100, 7, LEAF, 0 },
		{ CALL, 5000120, 8, INNER, 0 },
		{ RETURN, 5000140, 7, INNER, 0, 4000000 },
		{ 0 },
	};
	static const struct step lost[] = {
		{ CALL, 100, 7, LEAF, 0 },
		{ CALL, 120, 8, INNER, 0 },
		{ RETURN, 140, 7, INNER, 0, 20, .missed = 3 },
		{ 0 },
	};

	/* 7 may have begun it where events were lost. */
	static const struct step lost_before[] = {
		{ CALL, 100, 7, LEAF, 0 },
		{ CALL, 120, 8, INNER, 0, .missed = 3 },
		{ RETURN, 140, 7, INNER, 0, 20 },
		{ 0 },
	};
	/* It is in a call whose entry was not recorded. */
	static const struct step open_before[] = {
		{ CALL, 100, 7, LEAF, 1 },
		{ RETURN, 110, 7, LEAF, 1, 10 },
		{ CALL, 120, 8, INNER, 0 },
		{ RETURN, 140, 7, INNER, 0, 20 },
		{ 0 },
	};

	expect(lost_before, NULL,
	       "inner 0+2 total 0 own 0 stolen 0 asleep 0\n"
	       "leaf 0+1 total 0 own 0 stolen 0 asleep 0\n");
	expect(open_before, NULL,
	       "inner 0+2 total 0 own 0 stolen 0 asleep 0 and 10\n"
	       " leaf 1+0 total 10 own 10 stolen 0 asleep 0\n");
	expect(unknown, NULL, "inner 0+2 total 0 own 0 stolen 0 asleep 0\n");
	expect(early, NULL,
	       "inner 0+2 total 0 own 0 stolen 0 asleep 0\n"
	       "leaf 0+1 total 0 own 0 stolen 0 asleep 0\n");
	expect(lost, NULL,
	       "inner 0+2 total 0 own 0 stolen 0 asleep 0\n"
	       "leaf 0+1 total 0 own 0 stolen 0 asleep 0\n");
}

static void numbers_outermost_calls(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ RETURN, 110, 7, OUTER, 0, 10 },
		{ CALL, 120, 7, OUTER, 0 },
		{ CALL, 130, 8, OUTER, 0 },
		{ RETURN, 140, 7, OUTER, 0, 20 },
		{ RETURN, 150, 8, OUTER, 0, 20 },
		{ 0 },
	};

	expect_notes(steps, 0, 3, cbrt(10 * 20 * 20));
}

static void repeated_inner_calls_share_an_outermost_call(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ CALL, 102, 7, INNER, 1 },
		{ RETURN, 105, 7, INNER, 1, 3 },
		{ CALL, 112, 7, INNER, 1 },
		{ RETURN, 115, 7, INNER, 1, 3 },
		{ RETURN, 120, 7, OUTER, 0, 20 },
		{ 0 },
	};
	const struct call_tree *tree;
	struct calls *calls = NULL;
	int r = calls_new(&(struct calls_options){ .with_notes = true }, &calls);

	if (r == 0) {
		account(steps, calls);
		r = calls_finish(calls, &tree);
	}
	if (r == 0) {
		uint32_t outer = tree->nodes[CALL_ROOT].child;

		assert_int_equal(tree->nodes[tree->nodes[outer].child].count, 2);
		assert_int_equal(tree->nodes[tree->nodes[outer].child].outermost, 1);
	} else {
		assert_true(mem_fault);
	}
	calls_free(calls);
}

static void exits_without_entries_are_placed(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, LEAF, 2 },	  { RETURN, 105, 7, LEAF, 2, 5 },
		{ RETURN, 110, 7, INNER, 1, 60 }, { CALL, 120, 7, LEAF, 1 },
		{ RETURN, 126, 7, LEAF, 1, 6 },	  { RETURN, 130, 7, OUTER, 0, 90 },
		{ CALL, 140, 7, OUTER, 0 },	  { 0 },
	};

	expect(steps, NULL,
	       "outer 0+2 total 0 own 0 stolen 0 asleep 0 and 11\n"
	       " inner 0+1 total 0 own 0 stolen 0 asleep 0 and 5\n"
	       "  leaf 1+0 total 5 own 5 stolen 0 asleep 0\n"
	       " leaf 1+0 total 6 own 6 stolen 0 asleep 0\n");
}

/* The second exit is that of a call whose entry was lost. */
static void lost_events_leave_no_times(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ CALL, 110, 7, INNER, 1 },
		{ RETURN, 180, 7, INNER, 1, 20, .missed = 2 },
		{ RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};

	expect(steps, NULL,
	       "outer 1+0 total 100 own 0 stolen 0 asleep 0\n"
	       " inner 0+2 total 0 own 0 stolen 0 asleep 0\n");
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

static void shows_callers(void **state)
{
	expect(usual, callers_of_leaf,
	       "leaf 2+0 total 8 own 8 stolen 0 asleep 0\n"
	       " interrupt 1+0 total 3 own 3 stolen 0 asleep 0\n"
	       "  inner 1+0 total 3 own 3 stolen 0 asleep 0\n"
	       "   outer 1+0 total 3 own 3 stolen 0 asleep 0\n"
	       " outer 1+0 total 5 own 5 stolen 0 asleep 0\n");
}

static void shows_callees(void **state)
{
	expect(usual, below_inner,
	       "inner 1+0 total 70 own 30 stolen 10 asleep 30\n"
	       " interrupt 1+0 total 10 own 7 stolen 0 asleep 0\n"
	       "  leaf 1+0 total 3 own 3 stolen 0 asleep 0\n");
}

/* Two recursive calls, whose time counts once. */
static void counts_recursive_time_once(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ CALL, 110, 7, OUTER, 1 },
		{ RETURN, 130, 7, OUTER, 1, 20 },
		{ RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};

	expect(steps, call_view_flat, "outer 2+0 total 100 own 100 stolen 0 asleep 0\n");
}

static int print_usual(void *arg)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return print(usual, callers_of_leaf, &text);
}

static const struct step with_results[] = {
	{ CALL, 100, 7, OUTER, 0 },
	{ CALL, 110, 7, LEAF, 1 },
	{ RETURN, 120, 7, LEAF, 1, 10, 0, -2 },
	{ CALL, 130, 7, LEAF, 1 },
	{ RETURN, 140, 7, LEAF, 1, 10, 0, 42 },
	{ CALL, 150, 7, LEAF, 1 },
	/* An int in the lower half of the register. */
	{ RETURN, 160, 7, LEAF, 1, 10, 0, 0xfffffff5 },
	{ CALL, 170, 7, LEAF, 1 },
	{ RETURN, 180, 7, LEAF, 1, 10, 0, -2 },
	{ RETURN, 200, 7, OUTER, 0, 100 },
	{ CALL, 210, 7, LEAF, 0 },
	{ RETURN, 220, 7, LEAF, 0, 10, 0, -2 },
	{ 0 },
};

static int print_results(void *data)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return print(with_results, call_view_flat, &text);
}

static void survives_failing_allocations(void **state)
{
	oom_check(print_usual, NULL);
	oom_check(print_results, NULL);
}

static int fold_all(const struct call_tree *tree, struct call_tree *ret_view)
{
	/* The views contain names of phases. */
	static struct phases *phases;
	static const char rules[] = "[noise: inside] words\ninner leaf\n";
	struct fathom_err err = { 0 };
	int r = 0;

	if (!phases)
		r = phases_parse(rules, sizeof(rules) - 1, &phases, &err);
	return r ?: call_view_folded(tree, phases, true, ret_view);
}

static int fold_flat(const struct call_tree *tree, struct call_tree *ret_view)
{
	struct call_tree folded = { 0 };
	int r = fold_all(tree, &folded);

	if (r == 0)
		r = call_view_flat(&folded, ret_view);
	call_tree_done(&folded);
	return r;
}

/* Noise is folded together with its callees; no time is lost or counted twice. */
static void folds_noise(void **state)
{
	expect(usual, fold_all,
	       "outer 1+0 total 100 own 25 stolen 10 asleep 30\n"
	       " inside 2+0 total 75 own 45 stolen 10 asleep 30\n");
	expect(usual, fold_flat,
	       "inside 2+0 total 75 own 45 stolen 10 asleep 30\n"
	       "outer 1+0 total 100 own 25 stolen 10 asleep 30\n");
}

/*
 * Interrupts between the end of inner() and its exit event are recorded beside it, at its level;
 * functions there that are not interrupts themselves (leaf) belong to them. The next interrupt is
 * an ordinary one.
 */
static void handles_interrupts_before_the_exit_event(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ CALL, 110, 7, INNER, 1 },
		{ CALL, 120, 7, INTERRUPT, 1 },
		{ CALL, 122, 7, LEAF, 2 },
		{ RETURN, 125, 7, LEAF, 2, 3 },
		{ RETURN, 130, 7, INTERRUPT, 1, 10 },
		{ CALL, 131, 7, LEAF, 1 },
		{ RETURN, 133, 7, LEAF, 1, 2 },
		{ RETURN, 140, 7, INNER, 1, 28 },
		{ CALL, 150, 7, INNER, 1 },
		{ RETURN, 160, 7, INNER, 1, 10 },
		{ RETURN, 200, 7, OUTER, 0, 100 },
		{ 0 },
	};

	expect(steps, NULL,
	       "outer 1+0 total 100 own 62 stolen 10 asleep 0\n"
	       " inner 2+0 total 38 own 26 stolen 10 asleep 0\n"
	       "  leaf 1+0 total 2 own 2 stolen 0 asleep 0\n"
	       "  interrupt 1+0 total 10 own 7 stolen 0 asleep 0\n"
	       "   leaf 1+0 total 3 own 3 stolen 0 asleep 0\n");
}

/* After a gap, an interrupt beside a call is inconclusive, because the call may have ended. */
static void does_not_guess_after_lost_events(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, INNER, 0 },
		{ CALL, 120, 7, INTERRUPT, 0, 0, 5 },
		{ RETURN, 130, 7, INTERRUPT, 0, 10 },
		{ 0 },
	};

	expect(steps, NULL,
	       "interrupt 1+0 total 10 own 10 stolen 0 asleep 0\n"
	       "inner 0+1 total 0 own 0 stolen 0 asleep 0\n");
}

static void counts_errors(void **state)
{
	expect(with_results, NULL,
	       "leaf 1+0 total 10 own 10 stolen 0 asleep 0 failed 1 of 1 2 x 1\n"
	       "outer 1+0 total 100 own 60 stolen 0 asleep 0\n"
	       " leaf 4+0 total 40 own 40 stolen 0 asleep 0 failed 3 of 4 2 x 2 11 x 1\n");
	expect(with_results, call_view_flat,
	       "outer 1+0 total 100 own 60 stolen 0 asleep 0\n"
	       "leaf 5+0 total 50 own 50 stolen 0 asleep 0 failed 4 of 5 2 x 3 11 x 1\n");
}

/* The exit of a call, with its result, is in another part of the trace. */
static void merged_parts_have_the_same_errors(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct calls *first = NULL, *next = NULL;
	const struct call_tree *tree;
	struct step begin[3] = { with_results[0], with_results[1] };
	int r = calls_new(&(struct calls_options){ 0 }, &first);

	if (r == 0)
		r = calls_new(&(struct calls_options){ 0 }, &next);
	if (r == 0) {
		account(begin, first);
		account(with_results + 2, next);
		r = calls_merge(first, next);
	}
	if (r == 0)
		r = calls_finish(first, &tree);
	for (size_t i = 0; r == 0 && i < tree->n; i++)
		if (tree->nodes[i].results == 4) {
			assert_int_equal(tree->nodes[i].failed, 3);
			assert_int_equal(tree->nodes[i].errors->n, 2);
			strbuf_adds(&text, "seen");
		}
	if (succeeds(r == 0))
		assert_string_equal(strbuf_str(&text), "seen");
	calls_free(first);
	calls_free(next);
	assert_true(r == 0 || (r == -ENOMEM && mem_fault));
}

static void counts_many_different_errors(void **state)
{
	struct error_counts counts = { 0 };

	for (int64_t code = 1; code <= 20; code++)
		error_counts_add(&counts, code, 1);
	error_counts_add(&counts, 3, 5);
	assert_int_equal(counts.n, ERROR_COUNTS_MAX);
	assert_int_equal(counts.list[2].count, 6);
	assert_int_equal(counts.list[ERROR_COUNTS_MAX - 1].code, 0);
	assert_int_equal(counts.list[ERROR_COUNTS_MAX - 1].count, 13);
	/* Error codes are from 1 to 4095. */
	assert_int_equal(error_code(-4096), 0);
	assert_int_equal(error_code(-4095), 4095);
	assert_int_equal(error_code(0xfffffff5), 0);
	assert_int_equal(error_code_of_call(0xfffffff5), 11);
	assert_int_equal(error_code_of_call(0x1fffffff5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folds_noise),
		cmocka_unit_test(counts_errors),
		cmocka_unit_test(merged_parts_have_the_same_errors),
		cmocka_unit_test(counts_many_different_errors),
		cmocka_unit_test(handles_interrupts_before_the_exit_event),
		cmocka_unit_test(does_not_guess_after_lost_events),
		cmocka_unit_test(separates_times),
		cmocka_unit_test(interrupts_may_precede_the_entry_event),
		cmocka_unit_test(interrupts_may_precede_the_exit_event),
		cmocka_unit_test(sleep_begins_after_the_last_function),
		cmocka_unit_test(waiting_is_not_part_of_a_call),
		cmocka_unit_test(follows_exec_by_a_thread),
		cmocka_unit_test(detects_exec_by_a_switch),
		cmocka_unit_test(does_not_confuse_threads),
		cmocka_unit_test(numbers_outermost_calls),
		cmocka_unit_test(repeated_inner_calls_share_an_outermost_call),
		cmocka_unit_test(exits_without_entries_are_placed),
		cmocka_unit_test(lost_events_leave_no_times),
		cmocka_unit_test(shows_callers),
		cmocka_unit_test(shows_callees),
		cmocka_unit_test(counts_recursive_time_once),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
