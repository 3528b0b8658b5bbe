/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/compare-side.h"

#include <time.h>

#include "analyze/calls/call-view.h"
#include "base/clock.h"
#include "base/err.h"

/* Number of events between two looks at the clock. */
#define SLICE 4096

static void compare_side_ended(void *data, uint32_t func, const struct instance *instance)
{
	struct compare_side *side = data;

	func_times_add(&side->times, calls_funcs(side->calls), func, instance);
}

static void compare_side_take(void *data, const struct decoded_event *decoded)
{
	struct compare_side *side = data;

	calls_feed(side->calls, decoded);
	syscalls_feed(&side->syscalls, decoded);
}

int compare_side_begin(struct compare_side *side, const struct compare_source *source,
		       struct fathom_err *err)
{
	struct calls_options options = { .kallsyms = report_kallsyms(source->report),
					 .tasks = report_tasks(source->report),
					 .with_spread = true,
					 .with_notes = true,
					 .ended = compare_side_ended,
					 .ended_data = side };

	compare_side_done(side);
	side->syscalls.with_notes = true;
	side->window = source->window;
	side->feed = (struct feed){ .trace = source->trace,
				    .window = &side->window,
				    .events = report_events(source->report),
				    .filtered = CALLS_FILTERED | SYSCALLS_FILTERED,
				    .wanted = source->wanted,
				    .wanted_data = source->wanted_data };
	if (calls_new(&options, &side->calls) < 0)
		return err_nomem(err);
	return feed_begin(&side->feed, compare_side_take, side, &side->feeding, err);
}

static int compare_side_finish(struct compare_side *side)
{
	const struct call_tree *tree;
	int r = calls_finish(side->calls, &tree);

	if (r == 0)
		r = syscalls_finish(&side->syscalls);
	if (r < 0 || tree->nodes[CALL_ROOT].child == CALL_NONE)
		return r;
	r = call_view_flat(tree, &side->flat);
	side->has_flat = r == 0;
	side->tree = r == 0 ? tree : NULL;
	return r;
}

int compare_side_work(struct compare_side *side, uint64_t until)
{
	struct fathom_err err;
	int r;

	if (!side->feeding)
		return 0;
	do
		r = feed_some(side->feeding, SLICE, &err);
	while (r == 1 && clock_ns(CLOCK_MONOTONIC) < until);
	if (r == 1)
		return 1;
	feed_end(side->feeding);
	side->feeding = NULL;
	return r < 0 ? r : compare_side_finish(side);
}

void compare_side_done(struct compare_side *side)
{
	feed_end(side->feeding);
	if (side->has_flat)
		call_tree_done(&side->flat);
	calls_free(side->calls);
	func_times_done(&side->times);
	syscalls_done(&side->syscalls);
	*side = (struct compare_side){ 0 };
}

const struct instance *compare_side_longest(const struct compare_side *side, uint64_t address)
{
	uint32_t number = side->calls ? calls_func(side->calls, address) : FUNC_NONE;

	return number < side->times.n && side->times.list[number].seen ?
		       &side->times.list[number].slowest :
		       NULL;
}
