/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/outlier.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/pattern/match.h"
#include "render/kit/duration.h"
#include "render/kit/table.h"

/* The typical call is selected from a sample of at most this many calls. */
#define SAMPLE 4096

enum {
	USUAL,
	SLOWEST,
};

/* First pass: all calls of the function. */
struct search {
	struct outlier *outlier;
	struct match match;
	uint64_t seed;
	struct instance sample[SAMPLE];
};

static void outlier_note(void *data, uint32_t number, const struct instance *instance)
{
	struct search *search = data;
	struct outlier *outlier = search->outlier;
	const struct func *func = &calls_funcs(outlier->calls[USUAL])->list[number];
	uint64_t place = outlier->count;

	if (!analysis_fits(&search->match, func))
		return;
	if (!outlier->count++ || instance->duration > outlier->instances[SLOWEST].duration)
		outlier->instances[SLOWEST] = *instance;
	/* Reservoir sampling with a fixed seed: results are reproducible. */
	search->seed = search->seed * 6364136223846793005U + 1442695040888963407U;
	if (place >= SAMPLE)
		place = (search->seed >> 33) % outlier->count;
	if (place < SAMPLE)
		search->sample[place] = *instance;
}

static int outlier_compare(const void *pa, const void *pb)
{
	const struct instance *a = pa, *b = pb;

	if (a->duration != b->duration)
		return a->duration < b->duration ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void outlier_take(void *data, const struct decoded_event *decoded)
{
	calls_feed(data, decoded);
}

static int find_instances(struct outlier *outlier, const char *path, struct fathom_err *err)
{
	struct report *report = outlier->input.setup.inputs[0].report;
	_cleanup_free_ struct search *search = mem_zalloc(1, sizeof(*search));
	struct calls_options options = { .kallsyms = report_kallsyms(report),
					 .tasks = report_tasks(report),
					 .ended = outlier_note,
					 .ended_data = search };
	size_t n;
	int r;

	if (!search)
		return err_nomem(err);
	search->outlier = outlier;
	r = match_init(&search->match, outlier->function, MATCH_WHOLE, err);
	if (r < 0)
		return r;
	r = calls_new(&options, &outlier->calls[USUAL]) < 0 ? err_nomem(err) : 0;
	outlier->input.feed.filtered = CALLS_FILTERED;
	if (r == 0)
		r = feed_run(&outlier->input.feed, outlier_take, outlier->calls[USUAL], err);
	match_done(&search->match);
	if (r < 0)
		return r;
	calls_free(TAKE_PTR(outlier->calls[USUAL]));
	if (outlier->count < 2)
		return err_set(err, -ENODATA, "'%s' has %s of '%s': expected at least 2", path,
			       outlier->count ? "only one complete call" : "no complete call",
			       outlier->function);
	n = outlier->count < SAMPLE ? outlier->count : SAMPLE;
	qsort(search->sample, n, sizeof(*search->sample), outlier_compare);
	outlier->instances[USUAL] = search->sample[(n - 1) / 2];
	return 0;
}

/* Second pass: what happens in one call, from start to end. */
struct stretch {
	struct calls *calls;
	const struct instance *instance;
	int depth; /* of the call; -1: not started */
	bool over;
};

static void take_stretch(void *data, const struct decoded_event *decoded)
{
	struct stretch *stretch = data;
	const struct fathom_event *event = decoded->event;

	if (stretch->over || event->time < stretch->instance->start)
		return;
	if (stretch->depth < 0) {
		if (decoded->kind != DECODED_CALL || event->pid != stretch->instance->pid ||
		    event->time != stretch->instance->start)
			return;
		stretch->depth = decoded->call.depth;
	}
	calls_feed(stretch->calls, decoded);
	stretch->over = decoded->kind == DECODED_RETURN && event->pid == stretch->instance->pid &&
			decoded->call.depth == stretch->depth;
}

static int read_instance(struct outlier *outlier, int which, const struct call_tree **ret_tree,
			 struct fathom_err *err)
{
	struct report *report = outlier->input.setup.inputs[0].report;
	struct calls_options options = { .kallsyms = report_kallsyms(report),
					 .tasks = report_tasks(report),
					 .with_spread = true };
	struct stretch stretch = { .instance = &outlier->instances[which], .depth = -1 };
	struct fathom_window window = *outlier->input.feed.window;
	struct feed feed = outlier->input.feed;
	int r = calls_new(&options, &outlier->calls[which]);

	if (r < 0)
		return err_nomem(err);
	stretch.calls = outlier->calls[which];
	analysis_window_of(stretch.instance, &window);
	feed.window = &window;
	r = feed_run(&feed, take_stretch, &stretch, err);
	if (r < 0)
		return r;
	return calls_finish(outlier->calls[which], ret_tree) < 0 ? err_nomem(err) : 0;
}

int outlier_read(struct outlier *outlier, struct report_args *args, int fd, const char *path,
		 const char *function, struct fathom_err *err)
{
	int r = analysis_input_open(&outlier->input, args, fd, path, err);

	outlier->function = function;
	if (r == 0)
		r = find_instances(outlier, path, err);
	if (r == 0)
		r = read_instance(outlier, USUAL, &outlier->usual, err);
	if (r == 0)
		r = read_instance(outlier, SLOWEST, &outlier->slowest, err);
	return r;
}

static void print_instance(const struct outlier *outlier, int which, const char *name,
			   struct out *out)
{
	const struct instance *instance = &outlier->instances[which];
	const struct report *report = outlier->input.setup.inputs[0].report;
	char duration[DURATION_SIZE], time[TIME_TEXT_SIZE];

	out_printf(out, OUT_PLAIN, "  %-16s %9s at %s, task %" PRId32 "\n", name,
		   duration_text(instance->duration, duration),
		   time_text(instance->start, !report_in_nanoseconds(report, 0), false, time),
		   instance->pid);
}

void outlier_print_head(const struct outlier *outlier, struct out *out)
{
	out_printf(out, OUT_TITLE, "%" PRIu64 " calls of %s\n", outlier->count, outlier->function);
	print_instance(outlier, USUAL, "before: usual", out);
	print_instance(outlier, SLOWEST, "after: slowest", out);
	out_printf(out, OUT_PLAIN, "\n");
}

void outlier_done(struct outlier *outlier)
{
	calls_free(outlier->calls[USUAL]);
	calls_free(outlier->calls[SLOWEST]);
	analysis_input_done(&outlier->input);
}
