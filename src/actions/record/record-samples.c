/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/record-samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/quote.h"
#include "base/str.h"
#include "format/event/sample-event.h"
#include "record/session/session.h"
#include "record/unwind/unwinder.h"
#include "render/kit/duration.h"
#include "symbols/probe/probed-functions.h"

/* A larger share of missed samples is reported. */
#define MISSED_LEAST 20

int record_samples_unwinder(const struct record_args *args, struct unwinder **ret_unwinder,
			    struct fathom_err *err)
{
	*ret_unwinder = NULL;
	return record_has_samples(args) && args->unwind_bytes ? unwinder_new(ret_unwinder, err) : 0;
}

bool record_has_samples(const struct record_args *args)
{
	return args->sample_hz || args->unwinds_events;
}

int record_plan_own(struct plan *plan, const char *name, const char *what, struct fathom_err *err)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct plan_buffer *buffer = &plan->buffers[i];

		if (str_eq(buffer->name, name))
			return err_set(err, -EINVAL,
				       "%s are recorded in a buffer '%s': use another name with -B",
				       what, name);
		if (buffer->clock && !str_eq(buffer->clock, "mono"))
			return err_set(
				err, -EINVAL,
				"%s use the clock 'mono', which cannot be combined with -C %s",
				what, buffer->clock);
		buffer->clock = "mono";
	}
	plan->wants_symbols = plan->wants_maps = true;
	return 0;
}

/* Stacks of the buffer's events are copied, instead of following frame pointers in the kernel. */
static void plan_unwound(struct record_args *args)
{
	struct plan *plan = &args->plan.plan;

	for (size_t i = 0; i < plan->n && args->unwind_bytes; i++) {
		struct plan_buffer *buffer = &plan->buffers[i];

		if (!buffer->user_stack)
			continue;
		buffer->unwound = args->unwinds_events = true;
		buffer->user_stack = args->unwind_may_fail;
	}
}

int record_samples_plan(struct record_args *args, struct fathom_err *err)
{
	plan_unwound(args);
	if (args->has_unwind && !record_has_samples(args))
		return err_set(err, -EINVAL, "--unwind requires --sample or --user-stack");
	if (!record_has_samples(args))
		return 0;
	if (args->keep_last)
		return err_set(err, -EINVAL, "--keep-last cannot be combined with samples");
	return record_plan_own(&args->plan.plan, SAMPLE_BUFFER, "samples", err);
}

struct recorder_buffer record_samples_buffer(const struct plan *plan)
{
	return (struct recorder_buffer){ .name = SAMPLE_BUFFER,
					 .place = plan->buffers[0].place->fd,
					 .is_own = true };
}

/* Lists the events enabled in a buffer: too many would need too many descriptors per CPU. */
#define POINTS_MAX 64

struct points {
	struct sampler_point list[POINTS_MAX];
	size_t n;
	struct arena arena;
};

/* Redirects @point to the perf twin of a uprobe event, if there is one. */
static void find_twin(struct sampler_point *point, int place, const char *system, const char *name)
{
	char path[512], line[16];

	snprintf(path, sizeof(path), "events/%s" PLAN_STACK_GROUP "/%s/id", system, name);
	point->same_as = 0;
	if (file_read_line(place, path, line, sizeof(line)) <= 0)
		return;
	point->same_as = point->id;
	point->id = (uint16_t)strtoul(line, NULL, 10);
}

static int add_point(struct points *points, int place, const char *system, const char *name,
		     struct fathom_err *err)
{
	struct sampler_point *point = &points->list[points->n];
	char path[512], line[4096];
	int r;

	if (points->n == POINTS_MAX)
		return err_set(err, -E2BIG,
			       "too many events: stacks can be unwound for at most %d; select "
			       "fewer with -e",
			       POINTS_MAX);
	snprintf(path, sizeof(path), "events/%s/%s/id", system, name);
	r = file_read_line(place, path, line, sizeof(line));
	if (r > 0) {
		point->id = (uint16_t)strtoul(line, NULL, 10);
		find_twin(point, place, system, name);
		snprintf(path, sizeof(path), "events/%s/%s/filter", system, name);
		r = file_read_line(place, path, line, sizeof(line));
	}
	if (r < 0)
		return err_set_errno(err, r, "cannot read '%s'", path);
	point->filter = NULL;
	if (r > 0 && !str_eq(line, "none")) {
		point->filter = arena_strdup(&points->arena, line);
		if (!point->filter)
			return err_nomem(err);
	}
	points->n += point->id != 0;
	return 0;
}

/* Parses lines such as "sched:sched_switch"; @only: only this one. */
static int add_points(struct points *points, int place, const char *only, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = file_read(place, "set_event", &text);
	char *rest = text.s;

	if (r < 0)
		return err_set_errno(err, r, "cannot read 'set_event'");
	for (char *line; rest && r >= 0 && (line = str_next_line(&rest));) {
		char *name = strchr(line, ':');

		if (!name || (only && !str_eq(line, only)))
			continue;
		*name = '\0';
		/* With --user-functions the recorded calls already form the stack. */
		if (str_eq(name + 1, PROBED_FUNCTIONS_ENTER) ||
		    str_eq(name + 1, PROBED_FUNCTIONS_LEAVE))
			continue;
		r = add_point(points, place, line, name + 1, err);
	}
	return r < 0 ? r : 0;
}

static void points_done(struct points *points)
{
	arena_done(&points->arena);
}

int record_samples_open(const struct record_args *args, struct recorder *recorder, pid_t starting,
			const pid_t *not_pids, size_t n, struct unwinder *unwinder,
			struct map_log *maps, struct samples **ret_samples, struct fathom_err *err)
{
	const struct plan *plan = &args->plan.plan;
	_cleanup_(points_done) struct points points = { 0 };
	struct samples_options options = { .hz = args->sample_hz,
					   .points = points.list,
					   .pids = plan->pids,
					   .n_pids = plan->n_pids,
					   .children = plan->children,
					   .starting = starting,
					   .not_pids = not_pids,
					   .n_not_pids = args->no_filter ? 0 : n,
					   .unwinder = unwinder,
					   .stack_bytes = args->unwind_bytes,
					   .maps = maps };

	for (size_t i = 0; i < plan->n; i++) {
		int r = plan->buffers[i].unwound ? add_points(&points, plan->buffers[i].place->fd,
							      args->unwinds_only, err) :
						   0;

		if (r < 0)
			return r;
	}
	options.n_points = points.n;
	if (!options.hz && !options.n_points)
		return err_set(err, -EINVAL,
			       "no events to record stacks with: select some with -e");
	options.streams = recorder_own_streams(recorder, SAMPLE_BUFFER, &options.n_streams);
	return samples_new(&options, ret_samples, err);
}

/* Returns the number of user stacks that ended for this reason; 0: of all. */
static uint64_t count_unwound(const struct samples_totals *totals, unsigned end)
{
	uint64_t n = 0;

	for (unsigned i = SAMPLE_END_WHOLE; i < SAMPLE_ENDS; i++)
		n += totals->ends[i];
	if (end == SAMPLE_END_WHOLE)
		return n - totals->ends[SAMPLE_END_LATE] - totals->ends[SAMPLE_END_OTHER_ABI];
	return end ? totals->ends[end] : n;
}

static int record_samples_add_name(void *data, pid_t pid, const char *name)
{
	return recorder_add_name(data, pid, name);
}

void record_samples_end(struct samples *samples, struct recorder *recorder, struct strbuf *info,
			struct fathom_err *failure)
{
	struct samples_failure unread;
	struct samples_totals totals;
	int r = samples_finish(samples);

	if (r == 0)
		r = samples_names(samples, record_samples_add_name, recorder);
	if (r < 0 && !failure->code)
		err_set_errno(failure, r, "cannot write samples");
	totals = samples_count(samples);
	if (totals.samples > totals.at_events || !totals.at_events)
		quote_addf(info, "samples: %" PRIu64 "\nsamples of: %s\n",
			   totals.samples - totals.at_events, samples_event(samples));
	if (totals.at_events)
		quote_addf(info, "stacks: %" PRIu64 "\n", totals.at_events);
	quote_addf(info, "sample loss: %" PRIu64 "\n", totals.lost);
	if (count_unwound(&totals, 0))
		quote_addf(info, "unwound: %" PRIu64 "\nnot unwound: %" PRIu64 "\n",
			   count_unwound(&totals, SAMPLE_END_WHOLE),
			   count_unwound(&totals, SAMPLE_END_LATE));
	for (size_t i = 0; samples_failure(samples, i, &unread); i++)
		if (unread.path)
			quote_addf(info, "unread file: %s\n", unread.path);
}

/* Reports each file on which the unwinder failed, and the stacks that are missing as a result. */
static void print_failed(const struct samples *samples, uint64_t n, const struct action *action)
{
	struct samples_failure failure;
	size_t i;

	for (i = 0; samples_failure(samples, i, &failure); i++) {
		quote_printf(action->messages, "fathom %s: the unwinder %s", action->name,
			     failure.how);
		if (failure.path)
			quote_printf(action->messages, " while reading '%s'", failure.path);
		if (failure.is_off)
			quote_printf(action->messages, "; not restarted\n");
		else if (failure.path)
			quote_printf(action->messages,
				     "; restarted without this file: %" PRIu64
				     " later stack traces end in it\n",
				     failure.stacks);
		else
			quote_printf(action->messages, "; restarted\n");
	}
	if (i)
		quote_printf(action->messages,
			     "fathom %s: %" PRIu64
			     " stack traces use frame pointers only: the unwinder failed%s\n",
			     action->name, n,
			     i == CONFINED_FAILURES_MAX ? " too often, and was not restarted" : "");
}

/* Reports incomplete user stacks, if any. */
static void print_unwound(const struct samples_totals *totals, uint32_t copied,
			  const struct action *action, bool quiet)
{
	uint64_t late = totals->ends[SAMPLE_END_LATE] - totals->failed;
	uint64_t cut = totals->ends[SAMPLE_END_COPY];

	if (late)
		quote_printf(
			action->messages,
			"fathom %s: %" PRIu64
			" stack traces use frame pointers only: samples arrived faster than they "
			"could be unwound; use a lower rate\n",
			action->name, late);
	if (cut && !quiet)
		quote_printf(
			action->messages,
			"fathom %s: %" PRIu64
			" stack traces truncated at %u KB; use --unwind dwarf,KB to copy more\n",
			action->name, cut, copied / 1024);
}

void record_samples_report(const struct samples *samples, const struct record_args *args,
			   const struct action *action)
{
	bool quiet = args->quiet;
	struct samples_totals totals = samples_count(samples);
	char time[DURATION_SIZE], sampled[DURATION_SIZE];

	if (!quiet && totals.at_events)
		quote_printf(action->messages,
			     "fathom %s: %" PRIu64
			     " user stacks at events; see 'fathom flame --stacks EVENT'\n",
			     action->name, totals.at_events);
	if (!quiet && args->sample_hz)
		quote_printf(action->messages, "fathom %s: %" PRIu64 " %s of %s%s\n", action->name,
			     totals.samples - totals.at_events,
			     totals.samples - totals.at_events == 1 ? "sample" : "samples",
			     str_eq(samples_event(samples), "cycles") ?
				     "CPU cycles" :
				     "the CPU clock (no cycle counter)",
			     totals.samples > totals.at_events ?
				     "" :
				     ", because nothing that is sampled ran");
	if (!quiet && totals.time && totals.samples > totals.at_events)
		quote_printf(action->messages,
			     "fathom %s: CPU time of the sampled tasks: %s, in samples: %s\n",
			     action->name, duration_text(totals.time, time),
			     duration_text(totals.sampled, sampled));
	if (totals.missed > (totals.samples - totals.at_events) / MISSED_LEAST)
		quote_printf(action->messages,
			     "fathom %s: missed about %" PRIu64
			     " samples because timers were late; the others account for their "
			     "time\n",
			     action->name, totals.missed);
	if (totals.lost)
		quote_printf(action->messages,
			     "fathom %s: lost %" PRIu64
			     " samples: they arrived faster than they could be written\n",
			     action->name, totals.lost);
	if (totals.throttled)
		quote_printf(action->messages,
			     "fathom %s: the kernel throttled sampling %" PRIu64
			     " times; use a lower rate\n",
			     action->name, totals.throttled);
	print_failed(samples, totals.failed, action);
	print_unwound(&totals, args->unwind_bytes, action, quiet);
}
