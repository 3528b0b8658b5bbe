/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/syscalls-run.h"

#include <errno.h>

#include "actions/analysis/analysis-input.h"
#include "actions/analysis/phases-input.h"
#include "actions/analysis/syscall-list-run.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "render/command/syscalls.h"

#define DETAILED 5 /* calls with a breakdown */

/* Aggregates: system calls, and the time in kernel functions. */
struct sums {
	struct syscalls syscalls;
	struct calls *calls; /* NULL: not wanted */
	struct breakdown breakdown;
	uint64_t n_calls; /* of functions */
};

static void sums_done(struct sums *sums)
{
	breakdown_done(&sums->breakdown);
	calls_free(sums->calls);
	syscalls_done(&sums->syscalls);
}

static void syscalls_run_take(void *data, const struct decoded_event *decoded)
{
	struct sums *sums = data;

	syscalls_feed(&sums->syscalls, decoded);
	if (!sums->calls || decoded_is_outside(decoded))
		return;
	sums->n_calls += decoded->kind == DECODED_CALL;
	calls_feed(sums->calls, decoded);
}

static int syscalls_run_print(const struct action *action, struct sums *sums,
			      struct fathom_err *err)
{
	const struct syscalls_args *args = action->args;
	struct syscalls_view view = { .syscalls = &sums->syscalls,
				      .order = (enum syscalls_order)args->order,
				      .breakdown = sums->n_calls ? &sums->breakdown : NULL,
				      .details = SIZE_MAX };
	int r;

	if (args->breakdown == BREAKDOWN_TOP ||
	    (args->breakdown == BREAKDOWN_AUTO && !args->report.json))
		view.details = DETAILED;
	if (args->report.json)
		r = syscalls_print_json(&view, action->out);
	else if (args->report.csv)
		r = syscalls_print_csv(&view, action->out);
	else
		r = syscalls_print(&view, action->out);
	return r < 0 ? err_nomem(err) : 0;
}

/* Removes all but the selected calls. */
static void syscalls_run_choose(struct syscalls *syscalls, struct matches *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < syscalls->n && names->n; i++) {
		struct syscall_sums sums = syscalls->list[i];

		if (sums.name && syscall_list_named(names, sums.name))
			syscalls->list[kept++] = sums;
		else
			syscall_sums_done(&sums);
	}
	if (names->n)
		syscalls->n = kept;
}

/* Returns whether a breakdown is wanted. */
static bool wants_breakdown(const struct syscalls_args *args)
{
	return args->breakdown == BREAKDOWN_AUTO ? !args->report.csv :
						   args->breakdown != BREAKDOWN_NONE;
}

static int syscalls_run_sum_up(const struct action *action, struct analysis_input *input,
			       const struct phases *phases, struct fathom_err *err)
{
	struct syscalls_args *args = action->args;
	struct report *report = input->setup.inputs[0].report;
	struct calls_options how = { .kallsyms = report_kallsyms(report),
				     .tasks = report_tasks(report) };
	_cleanup_(sums_done) struct sums sums = { 0 };
	const struct call_tree *tree;
	int r;

	syscalls_clip(&sums.syscalls, &input->feed);
	syscall_cost_begin(&sums.syscalls.cost, &input->feed);
	sums.syscalls.raw = args->raw;
	input->feed.filtered = SYSCALLS_FILTERED;
	if (wants_breakdown(args)) {
		input->feed.filtered |= CALLS_FILTERED;
		if (calls_new(&how, &sums.calls) < 0)
			return err_nomem(err);
	}
	r = feed_run(&input->feed, syscalls_run_take, &sums, err);
	if (r < 0)
		return r;
	sums.syscalls.goes_on = input->feed.late_more;
	if (syscalls_finish(&sums.syscalls) < 0)
		return err_nomem(err);
	if (sums.calls && (calls_finish(sums.calls, &tree) < 0 ||
			   breakdown_make(tree, phases, &sums.breakdown) < 0))
		return err_nomem(err);
	/* Functions without system calls are not enough. */
	input->feed.n_counted = sums.syscalls.n;
	syscalls_run_choose(&sums.syscalls, &args->list.names);
	analysis_input_complete(input, action->out);
	return sums.syscalls.n ? syscalls_run_print(action, &sums, err) : 0;
}

/* Parses "openat,read". */
static int syscalls_run_read_names(struct syscalls_args *args, struct fathom_err *err)
{
	_cleanup_free_ char *words = args->names ? mem_strdup(args->names) : NULL;
	char *list[REPORT_LIST_MAX], *rest = words, *word;
	size_t n = 0;

	if (!args->names)
		return 0;
	if (!words)
		return err_nomem(err);
	while (n < REPORT_LIST_MAX && (word = str_next_word(&rest, ", ")))
		list[n++] = word;
	if (!n)
		return err_set(err, -EINVAL, "invalid list of system calls '%s'", args->names);
	return matches_init(&args->list.names, list, n, MATCH_WHOLE, err);
}

static int syscalls_run_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct syscalls_args *args = action->args;
	_cleanup_(analysis_input_done) struct analysis_input input = { 0 };
	_cleanup_(phases_free_p) struct phases *phases = NULL;
	int r = 0;

	if (args->rules || (!args->list.list && wants_breakdown(args)))
		r = phases_input_read(args->rules, &phases, err);
	if (r == 0)
		r = syscalls_run_read_names(args, err);
	if (r < 0)
		return r;
	r = analysis_input_begin(&input, &args->report, path, err);
	if (r < 0)
		return r;
	r = args->list.list ? syscall_list_run(action, &args->list, &input, err) :
			      syscalls_run_sum_up(action, &input, phases, err);
	if (r < 0)
		return r;
	if (!input.feed.n_counted)
		return analysis_nothing(&input, "system calls",
					"'fathom record -e syscalls -e sched_switch'", err);
	r = syscall_list_check_names(&args->list.names, args->names, err);
	return r < 0 ? r : analysis_input_report(&input, action);
}

int syscalls_run(const struct action *action)
{
	return analysis_run(action, syscalls_run_work);
}
