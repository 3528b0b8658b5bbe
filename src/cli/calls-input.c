/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/calls-input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "cli/damage.h"
#include "cli/trace-input.h"

static bool is_wanted(void *data, const struct fathom_event *event)
{
	const struct report_input *input = data;

	return input->wanted(input->wanted_data, event, true);
}

int calls_input_read(struct calls_input *input, struct report_args *args, int fd, const char *path,
		     struct fathom_err *err)
{
	struct report_input *file;
	struct fathom_trace *trace;
	int r;

	input->path = path;
	input->setup.args = args;
	r = trace_input_read(fd, path, 0, &trace, err);
	if (r < 0)
		return r;
	if (report_setup_room(&input->setup, 1, err) < 0) {
		fathom_trace_free(trace);
		return -ENOMEM;
	}
	report_setup_add(&input->setup, trace, NULL);
	r = report_setup_prepare(&input->setup, err);
	if (r < 0)
		return r;
	file = &input->setup.inputs[0];
	input->run = (struct calls_run){
		.trace = file->trace,
		.window = &file->window,
		.events = report_events(file->report),
		.options = { .kallsyms = report_kallsyms(file->report),
			     .tasks = report_tasks(file->report),
			     .with_spread = true },
		.wanted = file->wanted ? is_wanted : NULL,
		.wanted_data = file,
	};
	r = calls_run(&input->run, &input->calls, err);
	if (r < 0)
		return r;
	if (calls_finish(input->calls, &input->tree) < 0)
		return err_nomem(err);
	if (!input->run.n_calls)
		return err_set(err, -ENODATA,
			       "there are no calls of functions in '%s'; record some with 'fathom "
			       "record -p function_graph'",
			       path);
	return 0;
}

int calls_input_tell(const struct calls_input *input, const struct command *command)
{
	const struct calls_run *run = &input->run;
	bool quiet = input->setup.args->quiet;

	if (!quiet && (run->lost || run->lost_unknown))
		fprintf(stderr,
			"fathom %s: %" PRIu64 " events were lost while recording%s: calls of "
			"which a part is missing have no time here\n",
			command->name, run->lost, run->lost_unknown ? ", and more" : "");
	return damage_tell(command, run->trace, input->path, quiet) ? EXIT_DAMAGED : EXIT_OK;
}

void calls_input_done(struct calls_input *input)
{
	calls_free(input->calls);
	report_setup_done(&input->setup);
}
