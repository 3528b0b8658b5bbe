/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/analysis-input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "actions/input/damage.h"
#include "actions/input/reading.h"
#include "actions/input/trace-input.h"
#include "actions/names/symbol-broker.h"
#include "analyze/calls/event-stacks.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/pattern/match.h"
#include "base/quote.h"
#include "format/event/sample-event.h"
#include "process/sandbox.h"
#include "read/context/user-processes.h"
#include "render/kit/completeness-read.h"
#include "render/kit/duration.h"

int analysis_run(const struct action *action, analysis_work *work)
{
	const struct report_args *args = action->args;
	struct fathom_err err = { 0 };
	int r;

	if (action->argc > 1)
		err_set(&err, -EINVAL, "too many arguments: expected one file");
	else
		action_one_format(args->json, args->csv, &err);
	if (err.code)
		return action_usage_error(action, &err);
	reading_begin(action, args->quiet ? READING_QUIET : 0);
	r = work(action, action->argc ? action->argv[0] : "trace.dat", &err);
	if (r < 0)
		r = reading_failed(action, &err);
	reading_end();
	return r;
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

static bool analysis_input_is_wanted(void *data, const struct fathom_event *event)
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
	if (followed_read(trace, &input->followed) < 0)
		return err_nomem(err);
	r = report_setup_prepare(&input->setup, err);
	if (r < 0)
		return r;
	file = &input->setup.inputs[0];
	input->feed = (struct feed){
		.trace = file->trace,
		.window = &file->window,
		.events = report_events(file->report),
		.wanted = file->wanted ? analysis_input_is_wanted : NULL,
		.wanted_data = file,
		.followed = &input->followed,
	};
	return 0;
}

int analysis_input_begin(struct analysis_input *input, struct report_args *args, const char *path,
			 struct fathom_err *err)
{
	int fd = analysis_input_enter(path, err);

	return fd < 0 ? fd : analysis_input_open(input, args, fd, path, err);
}

int analysis_nothing(const struct analysis_input *input, const char *what, const char *how,
		     struct fathom_err *err)
{
	const struct fathom_window *window = input->feed.window;

	if (window->cpus || window->buffers || window->pids || input->feed.wanted)
		return err_set(err, -ENODATA, "no %s in '%s' match", what, input->path);
	if (window->from || window->to != UINT64_MAX)
		return err_set(err, -ENODATA, "no %s in the time range of '%s'", what, input->path);
	return err_set(err, -ENODATA, "no %s in '%s'; record them with %s", what, input->path, how);
}

void analysis_input_complete(const struct analysis_input *input, struct out *out)
{
	const struct feed *feed = &input->feed;
	struct completeness completeness;

	reading_finish();
	completeness_begin(feed->trace, feed->window, &input->followed, &completeness);
	completeness.hidden_interrupts = input->of_interrupts && input->followed.hidden_ns;
	completeness.lost_known = true;
	completeness.lost = feed->lost;
	completeness.lost_more = feed->lost_unknown;
	completeness.filtered |= feed->wanted != NULL;
	completeness_add(&out->completeness, &completeness);
}

static void analysis_input_report_hidden(const struct analysis_input *input,
					 const struct action *action)
{
	char text[DURATION_SIZE];

	if (!input->of_interrupts || !input->followed.hidden_ns)
		return;
	duration_text(input->followed.hidden_ns, text);
	quote_printf(action->messages,
		     "fathom %s: interrupts that occurred while the recorder ran, for %s of CPU "
		     "time, were not recorded\n",
		     action->name, text);
}

int analysis_input_report(const struct analysis_input *input, const struct action *action)
{
	const struct feed *feed = &input->feed;
	bool quiet = input->setup.args->quiet;
	int r;

	if (!quiet)
		analysis_input_report_hidden(input, action);
	if (!quiet && (feed->lost || feed->lost_unknown))
		quote_printf(action->messages,
			     "fathom %s: lost %s%" PRIu64
			     " events while recording: what they may be "
			     "part of has no duration\n",
			     action->name, feed->lost_unknown ? "at least " : "", feed->lost);
	r = reading_report(action, feed->trace, quiet);
	if (damage_report(action, feed->trace, input->path, quiet) && r == EXIT_OK)
		r = EXIT_DAMAGED;
	return r;
}

void analysis_input_done(struct analysis_input *input)
{
	followed_done(&input->followed);
	report_setup_done(&input->setup);
}

bool analysis_fits(const void *match, const struct func *func)
{
	return func->name && match_test(match, func->name);
}

void analysis_window_of(const struct instance *instance, struct fathom_window *window)
{
	uint64_t to = instance->start + instance->duration * 2 + 1000000;

	window->from = instance->start;
	window->to = to < window->to ? to : window->to;
}

static void analysis_input_take(void *data, const struct decoded_event *decoded)
{
	struct calls_input *input = data;

	input->has_calls |= CALLS_FILTERED >> decoded->kind & 1;
	if (input->samples_wanted)
		sample_tree_feed(&input->samples, decoded);
	if (input->samples_wanted != CALLS_ONLY_SAMPLES)
		calls_feed(input->calls, decoded);
	if (input->syscalls)
		syscalls_feed(input->syscalls, decoded);
}

int calls_input_enter(struct broker *broker, struct calls_input *const *inputs, size_t n,
		      struct fathom_err *err)
{
	int r = symbol_broker_start(broker, false, err);

	for (size_t i = 0; i < n && r == 0; i++)
		symbol_broker_use(broker, &inputs[i]->users);
	return r < 0 ? r : sandbox_enter_asking(err);
}

/* Starts the symbolizer only if there are names to resolve. */
static int prepare_samples(struct calls_input *input, struct report_input *file,
			   struct fathom_err *err)
{
	struct event_table *events = report_events(file->report);

	if (sample_tree_init(&input->samples, report_kallsyms(file->report),
			     report_tasks(file->report), &input->users) < 0)
		return err_nomem(err);
	if (!input->stacks_of &&
	    (!input->samples_wanted || !event_table_find_name(events, SAMPLE_SYSTEM, SAMPLE_NAME)))
		return 0;
	return user_processes_read(file->trace, events, &input->users, err);
}

static int analysis_input_no_calls(const struct calls_input *input, struct fathom_err *err)
{
	if (input->syscalls)
		return analysis_nothing(&input->input, "function calls or system calls",
					"'fathom record -p function_graph -e syscalls'", err);
	if (input->samples_wanted == CALLS_ONLY_SAMPLES)
		return analysis_nothing(&input->input, "samples", "'fathom sample'", err);
	return analysis_nothing(&input->input, "function calls",
				input->samples_wanted ?
					"'fathom record -p function_graph', or CPU samples with "
					"'fathom sample'" :
					"'fathom record -p function_graph'",
				err);
}

static void analysis_input_take_event(void *data, const struct decoded_event *decoded)
{
	event_stacks_feed(data, decoded->event, decoded->unwanted);
}

static int no_stacks(const struct event_stacks *stacks, const char *name, const char *path,
		     struct fathom_err *err)
{
	if (!stacks->count)
		return err_set(err, -ENODATA, "no event '%s' in '%s'", name, path);
	return err_set(err, -ENODATA,
		       "no stack traces of '%s' in '%s': use 'fathom record -T' or '--user-stack'",
		       name, path);
}

/* Aggregates the stacks of certain events. */
static int read_stacks(struct calls_input *input, const char *path, struct fathom_err *err)
{
	_cleanup_(event_stacks_done) struct event_stacks stacks = { 0 };
	struct feed *feed = &input->input.feed;
	int r = prepare_samples(input, &input->input.setup.inputs[0], err);

	if (r == 0)
		r = event_stacks_init(&stacks, &input->samples, feed->events, input->stacks_of,
				      err);
	if (r < 0)
		return r;
	feed->plain = feed->with_unwanted = true;
	feed->filtered = 1ULL << DECODED_OTHER;
	r = feed_run(feed, analysis_input_take_event, &stacks, err);
	if (r < 0)
		return r;
	if (event_stacks_finish(&stacks) < 0)
		return err_nomem(err);
	if (!input->samples.n)
		return no_stacks(&stacks, input->stacks_of, path, err);
	input->bare = stacks.bare;
	input->n_stacks_of = stacks.count;
	input->tree = &input->samples.tree;
	input->is_samples = true;
	return 0;
}

int calls_input_read(struct calls_input *input, struct report_args *args, int fd, const char *path,
		     struct fathom_err *err)
{
	struct calls_options options = { .with_spread = true, .with_notes = input->with_notes };
	const struct report *report;
	int r = analysis_input_open(&input->input, args, fd, path, err);

	if (r < 0)
		return r;
	if (input->stacks_of)
		return read_stacks(input, path, err);
	report = input->input.setup.inputs[0].report;
	options.kallsyms = report_kallsyms(report);
	options.tasks = report_tasks(input->input.setup.inputs[0].report);
	if (calls_new(&options, &input->calls) < 0)
		return err_nomem(err);
	r = prepare_samples(input, &input->input.setup.inputs[0], err);
	if (r < 0)
		return r;
	input->input.feed.filtered =
		(input->samples_wanted != CALLS_ONLY_SAMPLES ? CALLS_FILTERED : 0) |
		(input->samples_wanted ? SAMPLES_FILTERED : 0) |
		(input->syscalls ? SYSCALLS_FILTERED : 0);
	r = feed_run(&input->input.feed, analysis_input_take, input, err);
	if (r < 0)
		return r;
	if (calls_finish(input->calls, &input->tree) < 0 ||
	    (input->syscalls && syscalls_finish(input->syscalls) < 0) || input->samples.nomem)
		return err_nomem(err);
	if (!input->input.feed.n_counted)
		return analysis_input_no_calls(input, err);
	input->is_samples = input->samples.n && !input->has_calls;
	if (input->is_samples || input->samples_wanted == CALLS_ONLY_SAMPLES) {
		input->tree = &input->samples.tree;
		input->is_samples = true;
	}
	return 0;
}

int calls_input_report(const struct calls_input *input, const struct action *action)
{
	if (input->bare && !input->input.setup.args->quiet)
		quote_printf(action->messages,
			     "fathom %s: %" PRIu64 " of %" PRIu64
			     " events '%s' have no stack trace\n",
			     action->name, input->bare, input->n_stacks_of, input->stacks_of);
	return analysis_input_report(&input->input, action);
}

void calls_input_done(struct calls_input *input)
{
	calls_free(input->calls);
	sample_tree_done(&input->samples);
	user_symbols_done(&input->users);
	analysis_input_done(&input->input);
}
