/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/summary-run.h"

#include "actions/analysis/analysis-input.h"
#include "actions/analysis/phases-input.h"
#include "actions/input/child.h"
#include "actions/input/reading.h"
#include "analyze/summary.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "render/command/summary.h"

static void summary_run_take(void *data, const struct decoded_event *decoded)
{
	summary_feed(data, decoded);
}

static int summary_run_print(const struct analysis_input *input,
			     const struct summary_options *options, struct summary *summary,
			     struct out *out, struct fathom_err *err)
{
	const struct report_args *args = input->setup.args;
	_cleanup_free_ char *command = summary_find_command(input->feed.trace);
	_cleanup_free_ char *kernel = summary_find_kernel(input->feed.trace);
	struct summary_about about = { .command = command,
				       .kernel = kernel,
				       .path = input->path,
				       .lost = input->feed.lost,
				       .lost_unknown = input->feed.lost_unknown,
				       .csv = args->csv,
				       .table = options->table,
				       .hints = !args->quiet };
	int r;

	about.ending = summary_find_ending(input->feed.trace, &about.ended);
	r = args->json || args->csv ? summary_print_json(summary, &about, out) :
				      summary_print(summary, &about, out);

	return r < 0 ? err_nomem(err) : 0;
}

int summary_run(const struct action *action, struct report_args *args,
		const struct summary_options *options, const char *path, struct out *out,
		struct fathom_err *err)
{
	_cleanup_(analysis_input_done) struct analysis_input input = { 0 };
	_cleanup_(summary_done) struct summary summary = { 0 };
	_cleanup_(phases_free_p) struct phases *phases = NULL;
	_cleanup_free_ char *command = NULL;
	int r = phases_input_read(options->rules, &phases, err);

	if (r < 0)
		return r;
	r = analysis_input_begin(&input, args, path, err);
	if (r < 0)
		return r;
	command = summary_find_command(input.feed.trace);
	if (summary_init(&summary, report_kallsyms(input.setup.inputs[0].report),
			 report_tasks(input.setup.inputs[0].report)) < 0 ||
	    summary_follow(&summary, input.feed.trace, command) < 0)
		return err_nomem(err);
	summary_clip(&summary, &input.feed);
	syscall_cost_begin(&summary.syscalls.cost, &input.feed);
	summary.syscalls.raw = options->raw;
	input.feed.filtered = CALLS_FILTERED | SYSCALLS_FILTERED;
	r = feed_run(&input.feed, summary_run_take, &summary, err);
	if (r < 0)
		return r;
	if (summary_finish(&summary, phases, input.feed.late_more) < 0)
		return err_nomem(err);
	if (!input.feed.n_counted && !summary_main_task(&summary))
		return analysis_nothing(&input, "system calls or functions", "'fathom run COMMAND'",
					err);
	analysis_input_complete(&input, out);
	r = summary_run_print(&input, options, &summary, out, err);
	return r < 0 ? r : analysis_input_report(&input, action);
}

struct summary_job {
	const struct action *action;
	struct report_args *args;
	const struct summary_options *options;
	const char *path;
	int fd;
};

static int summary_run_write(void *arg)
{
	struct summary_job *job = arg;
	struct fathom_err err = { 0 };
	struct out out;
	/* In the sandbox it could not be made. */
	FILE *stream = fdopen(job->fd, "w");
	int r, written;

	if (!stream) {
		err_nomem(&err);
		return action_failed(job->action, &err);
	}
	out_init(&out, stream, job->action->out->asked);
	reading_begin(job->action, READING_WHOLE | (job->args->quiet ? READING_QUIET : 0));
	r = summary_run(job->action, job->args, job->options, job->path, &out, &err);
	reading_end();
	written = out_finish(&out);
	if (r >= 0 && written < 0)
		r = err_set_errno(&err, written, "cannot write the report");
	return r < 0 ? action_failed(job->action, &err) : r;
}

int summary_run_to_file(const struct action *action, struct report_args *args,
			const struct summary_options *options, const char *path,
			struct new_file *file)
{
	struct summary_job job = { action, args, options, path, file->fd };

	return child_write(action, file, summary_run_write, &job);
}
