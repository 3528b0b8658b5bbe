/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/analysis-input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/sandbox.h"
#include "cli/damage.h"
#include "cli/trace-input.h"

int analysis_run(const struct invocation *invocation, analysis_work *work)
{
	const struct report_args *args = invocation->args;
	struct fathom_err err = { 0 };
	int r;

	if (invocation->argc > 1)
		err_set(&err, -EINVAL, "one file at a time, please");
	else if (args->json && args->csv)
		err_set(&err, -EINVAL, "choose one of --json and --csv");
	if (err.code)
		return command_usage_error(invocation->command, &err);
	r = work(invocation, invocation->argc ? invocation->argv[0] : "trace.dat", &err);
	return r < 0 ? command_failed(invocation->command, &err) : r;
}

int analysis_input_enter(const char *path, struct fathom_err *err)
{
	_cleanup_close_ int fd = trace_input_open(path, err);
	int r;

	if (fd < 0)
		return fd;
	r = sandbox_enter(err);
	return r < 0 ? r : TAKE_FD(fd);
}

static bool is_wanted(void *data, const struct fathom_event *event)
{
	const struct report_input *input = data;

	return input->wanted(input->wanted_data, event, true);
}

int analysis_input_open(struct analysis_input *input, struct report_args *args, int fd,
			const char *path, struct fathom_err *err)
{
	struct report_input *file;
	struct fathom_trace *trace;
	int r = trace_input_read(fd, path, 0, &trace, err);

	if (r < 0)
		return r;
	input->path = path;
	input->setup.args = args;
	if (report_setup_room(&input->setup, 1, err) < 0) {
		fathom_trace_free(trace);
		return -ENOMEM;
	}
	report_setup_add(&input->setup, trace, NULL);
	r = report_setup_prepare(&input->setup, err);
	if (r < 0)
		return r;
	file = &input->setup.inputs[0];
	input->feed = (struct feed){
		.trace = file->trace,
		.window = &file->window,
		.events = report_events(file->report),
		.wanted = file->wanted ? is_wanted : NULL,
		.wanted_data = file,
	};
	return 0;
}

int analysis_input_tell(const struct analysis_input *input, const struct command *command)
{
	const struct feed *feed = &input->feed;
	bool quiet = input->setup.args->quiet;

	if (!quiet && (feed->lost || feed->lost_unknown))
		fprintf(stderr,
			"fathom %s: %" PRIu64 " events were lost while recording%s: what they "
			"may be a part of has no time here\n",
			command->name, feed->lost, feed->lost_unknown ? ", and more" : "");
	return damage_tell(command, feed->trace, input->path, quiet) ? EXIT_DAMAGED : EXIT_OK;
}

void analysis_input_done(struct analysis_input *input)
{
	report_setup_done(&input->setup);
}

static void take(void *data, const struct happening *happening)
{
	calls_feed(data, happening);
}

int calls_input_read(struct calls_input *input, struct report_args *args, int fd, const char *path,
		     struct fathom_err *err)
{
	struct calls_options options = { .with_spread = true };
	const struct report *report;
	int r = analysis_input_open(&input->input, args, fd, path, err);

	if (r < 0)
		return r;
	report = input->input.setup.inputs[0].report;
	options.kallsyms = report_kallsyms(report);
	options.tasks = report_tasks(input->input.setup.inputs[0].report);
	if (calls_new(&options, &input->calls) < 0)
		return err_nomem(err);
	input->input.feed.filtered = CALLS_FILTERED;
	r = feed_run(&input->input.feed, take, input->calls, err);
	if (r < 0)
		return r;
	if (calls_finish(input->calls, &input->tree) < 0)
		return err_nomem(err);
	if (!input->input.feed.n_counted)
		return err_set(err, -ENODATA,
			       "there are no calls of functions in '%s'; record some with 'fathom "
			       "record -p function_graph'",
			       path);
	return 0;
}

void calls_input_done(struct calls_input *input)
{
	calls_free(input->calls);
	analysis_input_done(&input->input);
}
