/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/stats-run.h"

#include <errno.h>

#include "actions/analysis/analysis-input.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "render/time/latency.h"
#include "render/time/stats.h"

/* What one pass over the file collects; which of it depends on the options. */
struct stats {
	const struct stats_args *args;
	struct analysis_input input;
	struct counts counts;
	struct calls *calls;
	const struct call_tree *tree;
	struct func_times times;
	struct syscalls syscalls;
	struct latency latency; /* of the named system call */
	bool nomem;
};

static void stats_done(struct stats *stats)
{
	counts_done(&stats->counts);
	calls_free(stats->calls);
	func_times_done(&stats->times);
	syscalls_done(&stats->syscalls);
	latency_done(&stats->latency);
	analysis_input_done(&stats->input);
}

static void stats_run_call_ended(void *data, uint32_t func, const struct instance *instance)
{
	struct stats *stats = data;

	func_times_add(&stats->times, calls_funcs(stats->calls), func, instance);
}

static void stats_run_syscall_ended(void *data, struct syscall_sums *sums,
				    const struct instance *instance)
{
	struct stats *stats = data;

	if (sums->name && str_eq(sums->name, stats->args->histogram) &&
	    latency_add(&stats->latency, instance) < 0)
		stats->nomem = true;
}

static void stats_run_take_count(void *data, const struct decoded_event *decoded)
{
	struct stats *stats = data;

	counts_feed(&stats->counts, decoded);
}

/* Function entries are only shown if there are no complete calls. */
static void take_function(void *data, const struct decoded_event *decoded)
{
	struct stats *stats = data;

	calls_feed(stats->calls, decoded);
	counts_feed(&stats->counts, decoded);
}

static void take_syscall(void *data, const struct decoded_event *decoded)
{
	struct stats *stats = data;

	syscalls_feed(&stats->syscalls, decoded);
}

static void take_named(void *data, const struct decoded_event *decoded)
{
	struct stats *stats = data;

	calls_feed(stats->calls, decoded);
	syscalls_feed(&stats->syscalls, decoded);
}

static struct report *report_of(const struct stats *stats)
{
	return stats->input.setup.inputs[0].report;
}

static int start_calls(struct stats *stats, struct fathom_err *err)
{
	const struct calls_options how = {
		.kallsyms = report_kallsyms(report_of(stats)),
		.tasks = report_tasks(report_of(stats)),
		.with_spread = !stats->args->histogram,
		.ended = stats_run_call_ended,
		.ended_data = stats,
	};

	return calls_new(&how, &stats->calls) < 0 ? err_nomem(err) : 0;
}

/* Reads the file once. */
static int stats_run_gather(struct stats *stats, struct fathom_err *err)
{
	static const enum counts_by counted[] = {
		[BY_EVENT] = COUNTS_BY_EVENT,
		[BY_FUNCTION] = COUNTS_BY_FUNCTION,
		[BY_TASK] = COUNTS_BY_TASK,
		[BY_CPU] = COUNTS_BY_CPU,
	};
	const struct stats_args *args = stats->args;
	struct feed *feed = &stats->input.feed;
	feed_taker *take = stats_run_take_count;
	int r = 0;

	feed->filtered = UINT64_MAX;
	feed->with_unwanted = true;
	if (args->histogram) {
		feed->filtered = CALLS_FILTERED | SYSCALLS_FILTERED;
		feed->with_unwanted = false;
		stats->times.focus = args->histogram;
		stats->times.latency.is_linear = stats->latency.is_linear = args->linear;
		stats->syscalls.ended = stats_run_syscall_ended;
		stats->syscalls.ended_data = stats;
		take = take_named;
		r = start_calls(stats, err);
	} else if (args->by == BY_SYSCALL) {
		feed->filtered = SYSCALLS_FILTERED;
		feed->with_unwanted = false;
		take = take_syscall;
		syscalls_clip(&stats->syscalls, feed);
	} else {
		stats->counts.by = counted[args->by];
		feed->plain = args->by != BY_FUNCTION;
	}
	if (!args->histogram && args->by == BY_FUNCTION) {
		feed->filtered = CALLS_FILTERED | 1ULL << DECODED_FUNCTION;
		feed->with_unwanted = false;
		stats->counts.funcs.kallsyms = report_kallsyms(report_of(stats));
		take = take_function;
		r = start_calls(stats, err);
	}
	if (r == 0)
		r = feed_run(feed, take, stats, err);
	if (r < 0)
		return r;
	stats->syscalls.goes_on = feed->late_more;
	if ((stats->calls && calls_finish(stats->calls, &stats->tree) < 0) ||
	    syscalls_finish(&stats->syscalls) < 0 || counts_finish(&stats->counts) < 0 ||
	    stats->times.nomem || stats->nomem)
		return err_nomem(err);
	return 0;
}

static int print_latency(const struct stats *stats, const struct latency *latency, const char *kind,
			 const struct action *action)
{
	const struct latency_view view = {
		.kind = kind,
		.name = stats->args->histogram,
		.file = stats->input.path,
		.tasks = report_tasks(report_of(stats)),
		.raw_times = !report_in_nanoseconds(report_of(stats), 0),
	};

	if (stats->args->report.json)
		return latency_print_json(latency, &view, action->out);
	if (stats->args->report.csv)
		return latency_print_csv(latency, action->out);
	return latency_print(latency, &view, action->out);
}

static int print_histogram(const struct stats *stats, const struct action *action,
			   struct fathom_err *err)
{
	int r;

	if (stats->latency.count)
		r = print_latency(stats, &stats->latency, "system call", action);
	else if (stats->times.latency.count)
		r = print_latency(stats, &stats->times.latency, "function", action);
	else
		return err_set(
			err, -ENOENT,
			"no complete calls of '%s' recorded; 'fathom stats --by function' and "
			"'--by syscall' list those that were",
			stats->args->histogram);
	return r < 0 ? err_nomem(err) : 0;
}

static bool stats_run_has_calls(const struct stats *stats)
{
	return stats->tree && stats->tree->nodes[CALL_ROOT].child != CALL_NONE;
}

static int stats_empty_error(const struct stats *stats, struct fathom_err *err)
{
	if (stats->args->by == BY_FUNCTION)
		return analysis_nothing(&stats->input, "functions",
					"'fathom record -p function_graph'", err);
	if (stats->args->by == BY_SYSCALL)
		return analysis_nothing(&stats->input, "system calls",
					"'fathom record -e syscalls'", err);
	return err_set(err, -ENODATA, "no events in '%s' match", stats->input.path);
}

static int stats_run_print(const struct stats *stats, const struct action *action,
			   struct fathom_err *err)
{
	const struct stats_args *args = stats->args;
	const struct feed *feed = &stats->input.feed;
	const struct stats_view view = {
		.order = (enum stats_order)args->order,
		.rows = args->rows,
		.with_times = args->with_times,
		.json = args->report.json,
		.csv = args->report.csv,
		.raw_times = !report_in_nanoseconds(report_of(stats), 0),
		.tasks = report_tasks(report_of(stats)),
		.events = feed->n_counted,
		.has_times = feed->n_events,
		.first = feed->first,
		.last = feed->last,
		.lost = feed->lost,
		.lost_unknown = feed->lost_unknown,
	};
	int r;

	/* A call that spans the whole time range has no event in it. */
	if (args->by == BY_SYSCALL ? !stats->syscalls.n : !feed->n_counted)
		return stats_empty_error(stats, err);
	if (args->by == BY_SYSCALL)
		r = stats_print_syscalls(&stats->syscalls, &view, action->out);
	else if (args->by == BY_FUNCTION && stats_run_has_calls(stats))
		r = stats_print_functions(stats->tree, &stats->times, &view, action->out);
	else
		r = stats_print_counts(&stats->counts, &view, action->out);
	return r < 0 ? err_nomem(err) : 0;
}

static int stats_run_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct stats_args *args = action->args;
	_cleanup_(stats_done) struct stats stats = { .args = args };
	int r = analysis_input_begin(&stats.input, &args->report, path, err);

	if (r == 0)
		r = stats_run_gather(&stats, err);
	if (r < 0)
		return r;
	analysis_input_complete(&stats.input, action->out);
	r = args->histogram ? print_histogram(&stats, action, err) :
			      stats_run_print(&stats, action, err);
	return r < 0 ? r : analysis_input_report(&stats.input, action);
}

int stats_run(const struct action *action)
{
	const struct stats_args *args = action->args;
	struct fathom_err err = { 0 };

	if (args->linear && !args->histogram)
		err_set(&err, -EINVAL, "--linear requires --hist");
	return err.code ? action_usage_error(action, &err) : analysis_run(action, stats_run_work);
}
