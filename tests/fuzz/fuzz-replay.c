/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the replay of a whole trace file. Whatever it contains, trees are finite and complete, and
 * nothing remains when all of them have been returned. Repeated with a part of the file, from one
 * event to another.
 */
#include <stdlib.h>

#include "analyze/stream/feed.h"
#include "render/time/replay.h"
#include "input.h"

/* A few kilobytes can claim to decompress to gigabytes; reading further reveals nothing new. */
#define EVENTS_MAX 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct work {
	struct replay *replay;
	struct replay_view view;
	unsigned n_events;
	uint64_t times[EVENTS_MAX]; /* of events */
};

static size_t check(const struct replay_tree *tree, uint32_t at)
{
	const struct replay_node *node = &tree->nodes[at];
	uint32_t last = REPLAY_NONE;
	size_t n = 1;

	if (!node->count || node->flags & REPLAY_OPEN || node->at + node->len > tree->n_bytes)
		abort();
	for (uint32_t child = node->first; child != REPLAY_NONE; child = tree->nodes[child].next) {
		if (tree->nodes[child].parent != at || tree->nodes[child].prev != last)
			abort();
		n += check(tree, child);
		last = child;
	}
	if (node->last != last || n > tree->n_used)
		abort();
	return n;
}

static void take_tree(void *data, const struct replay *replay, int32_t pid, uint32_t node)
{
	const struct clip *clip = &replay_options(replay)->clip;

	check(replay_tree(replay), node);
	if (clip->to && replay_tree(replay)->nodes[node].start > clip->to)
		abort();
	replay_print_tree(data, replay, pid, node);
}

static void take(void *data, const struct decoded_event *decoded)
{
	struct work *work = data;

	if (work->n_events >= EVENTS_MAX)
		return;
	work->times[work->n_events++] = decoded->event->time;
	replay_feed(work->replay, decoded);
}

/* The middle third, by time. */
static struct clip run(struct fathom_trace *trace, enum replay_form form, bool no_collapse,
		       struct clip clip)
{
	struct report_options report_options = { 0 };
	struct replay_options options = { .depth = form == REPLAY_TEXT ? 100 : 3,
					  .idle = true,
					  .no_collapse = no_collapse,
					  .clip = clip,
					  .put_wait = replay_put_wait,
					  .take = take_tree };
	struct work work = { .view = { .form = form, .to = UINT64_MAX } };
	struct feed feed = { .trace = trace };
	FILE *stream = fopen("/dev/null", "we");
	struct out out;

	if (!stream)
		abort();
	out_init(&out, stream, OUT_COLOR_NEVER);
	work.view.out = &out;
	options.take_data = &work.view;
	if (report_new(trace, &report_options, NULL, &work.view.report, NULL) == 0) {
		feed.events = report_events(work.view.report);
		options.kallsyms = report_kallsyms(work.view.report);
		options.tasks = report_tasks(work.view.report);
		if (replay_new(&options, &work.replay) < 0)
			abort();
		replay_print_head(&work.view);
		if (feed_run(&feed, take, &work, NULL) == 0 && replay_finish(work.replay) < 0)
			abort();
		if (replay_print_end(&work.view) < 0)
			abort();
		replay_free(work.replay);
		report_free(work.view.report);
	}
	out_finish(&out);
	fclose(stream);
	return (struct clip){ work.times[work.n_events / 3], work.times[work.n_events / 3 * 2] };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct clip all = { 0 }, middle;
	struct fathom_trace *trace;
	int fd = fuzz_file(data, size);

	if (fathom_trace_open_fd(fd, 0, &trace, NULL) < 0)
		return 0;
	middle = run(trace, REPLAY_TEXT, false, all);
	run(trace, REPLAY_JSON, true, all);
	run(trace, REPLAY_CSV, false, all);
	run(trace, REPLAY_TEXT, false, middle);
	run(trace, REPLAY_CSV, true, middle);
	fathom_trace_free(trace);
	return 0;
}
