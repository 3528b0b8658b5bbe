/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Aggregates the calls that `fathom tree` and `fathom flame` show. Filters determine which of them
 * count, but all events of the window are read to find off-CPU time and interrupts. If a trace has
 * no calls, its CPU samples are used.
 */
#include "render/export/export-calls.h"

#include <errno.h>

#include "analyze/calls/calls.h"
#include "analyze/stream/feed.h"
#include "analyze/calls/sample-tree.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "format/event/sample-event.h"
#include "read/context/user-processes.h"

static bool export_calls_is_wanted(void *data, const struct fathom_event *event)
{
	const struct report_input *input = data;

	return input->wanted(input->wanted_data, event, true);
}

struct taking {
	struct calls *calls;
	struct sample_tree samples;
	bool has_calls;
};

static void taking_done(struct taking *taking)
{
	calls_free(taking->calls);
	sample_tree_done(&taking->samples);
}

static void export_calls_take(void *data, const struct decoded_event *decoded)
{
	struct taking *taking = data;

	taking->has_calls |= CALLS_FILTERED >> decoded->kind & 1;
	calls_feed(taking->calls, decoded);
	sample_tree_feed(&taking->samples, decoded);
}

static int export_calls_begin(struct export *export, struct taking *taking, struct fathom_err *err)
{
	struct report *report = export->input->report;
	struct event_table *events = report_events(report);
	struct calls_options options = { .kallsyms = report_kallsyms(report),
					 .tasks = report_tasks(report) };

	if (calls_new(&options, &taking->calls) < 0 ||
	    sample_tree_init(&taking->samples, options.kallsyms, options.tasks, export->users) < 0)
		return err_nomem(err);
	if (!export->users || !event_table_find_name(events, SAMPLE_SYSTEM, SAMPLE_NAME))
		return 0;
	return user_processes_read(export->input->trace, events, export->users, err);
}

int export_run_calls(struct export *export, struct fathom_err *err)
{
	struct report_input *input = export->input;
	struct feed feed = { .trace = input->trace,
			     .window = &input->window,
			     .events = report_events(input->report),
			     .wanted = input->wanted ? export_calls_is_wanted : NULL,
			     .wanted_data = input,
			     .filtered = CALLS_FILTERED | SAMPLES_FILTERED };
	_cleanup_(taking_done) struct taking taking = { 0 };
	struct export_calls answer;
	int r;

	if (export->run->select != REPORT_ALL)
		return err_set(
			err, -EINVAL,
			"format '%s' aggregates calls: use --from, --to and filters instead of "
			"--first, --last and --around",
			export->output->name);
	r = export_calls_begin(export, &taking, err);
	if (r == 0)
		r = feed_run(&feed, export_calls_take, &taking, err);
	if (r < 0)
		return r;
	if (calls_finish(taking.calls, &answer.tree) < 0 || taking.samples.nomem)
		return err_nomem(err);
	if (!taking.has_calls && taking.samples.n)
		answer.tree = &taking.samples.tree;
	if (!feed.n_counted)
		return err_set(
			err, -ENODATA,
			"no function calls or CPU samples in this part of the trace: use 'fathom "
			"record -p function_graph' or 'fathom sample'");
	export->events = feed.n_counted;
	input->lost = feed.lost;
	input->lost_unknown = feed.lost_unknown;
	answer.duration = feed.last - feed.first;
	r = export->output->calls(export, &answer, err);
	if (r < 0)
		return r;
	if (report_nomem(input->report))
		return err_nomem(err);
	sink_flush(export->sink);
	return export->sink->err;
}
