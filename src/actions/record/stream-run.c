/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints events in chronological order. Each event is held until no earlier one can arrive from
 * another CPU: for one to two rounds.
 */
#include "actions/record/stream-run.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "actions/plan/left-sessions.h"
#include "actions/plan/plan-ask.h"
#include "actions/plan/plan-run.h"
#include "actions/record/stream-names.h"
#include "actions/report/report-setup.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "base/str.h"
#include "read/live.h"
#include "record/command/child.h"
#include "record/file/metadata.h"
#include "record/recorder.h"
#include "record/rings/cpu-stats.h"
#include "record/rings/ring-tap.h"
#include "record/session/session-env.h"

#define ROUND_MS   100
#define HOLD_NS	   500000000ULL /* how long an event waits for the next one */
#define MEMORY_MAX ((size_t)64 << 20) /* for all held pages */

struct stream {
	const struct action *action;
	struct stream_args *args;
	struct plan *plan;
	char **argv;
	bool has_command;
	struct child child;
	struct session *session;
	struct live_stream *streams;
	int *places; /* of the streams */
	size_t n, cap;
	struct report_setup setup;
	struct sink sink;
	struct ring_tap *tap;
	struct stream_names names;
	bool (*wanted)(void *data, const struct fathom_event *event, bool alone);
	void *wanted_data;
	struct plan_signals signals;
	int *switches; /* tracing_on of each buffer; NULL: not open */
	uint64_t held_since; /* 0: nothing is held */
	uint64_t lost;
	bool done; /* printed all that was wanted, or the reader is gone */
};

static void stream_run_switch_off(struct stream *stream)
{
	for (size_t i = 0; stream->switches && i < stream->plan->n; i++) {
		(void)!write(stream->switches[i], "0", 1);
		close(stream->switches[i]);
	}
	free(stream->switches);
	stream->switches = NULL;
}

static int stream_run_put_back(struct stream *stream, struct fathom_err *err)
{
	struct session *session = TAKE_PTR(stream->session);

	/* Open files in an instance prevent its removal. */
	stream_run_switch_off(stream);
	ring_tap_free(TAKE_PTR(stream->tap));
	return session ? put_session_back(stream->action, session, err) : 0;
}

static void stream_done(struct stream *stream)
{
	stream_run_put_back(stream, NULL);
	child_done(&stream->child);
	stream_names_done(&stream->names);
	sink_done(&stream->sink);
	report_setup_done(&stream->setup);
	plan_signals_done(&stream->signals);
	free(stream->streams);
	free(stream->places);
	free(stream->argv);
}

/* Events merged by time need the same clock. */
static int check_clocks(const struct plan *plan, struct fathom_err *err)
{
	const char *first = plan->buffers[0].clock ?: "local";

	for (size_t i = 1; i < plan->n; i++)
		if (!str_eq(plan->buffers[i].clock ?: "local", first))
			return err_set(err, -EINVAL,
				       "buffers with different clocks cannot be merged: use the "
				       "same -C for all of them, or none");
	return 0;
}

static int stream_run_set_up(struct stream *stream, struct fathom_err *err)
{
	_cleanup_free_ char *line = plan_run_line(stream->action);
	double scale = plan_ask_scale(&stream->args->plan);
	int r = 0;

	stream->argv = plan_run_argv(stream->action);
	if (!line || !stream->argv)
		return err_nomem(err);
	if (stream->has_command)
		r = child_start(&stream->child, stream->argv, stream->args->user, err);
	if (r == 0)
		r = session_open("", line, &stream->session, err);
	if (r == 0)
		r = plan_run_pids(&stream->args->plan, stream->child.pid, err);
	if (r == 0)
		r = plan_run_apply(stream->action, stream->plan, stream->session,
				   stream->args->quiet, err);
	if (!stream->args->quiet)
		plan_run_notes(stream->action, stream->plan);
	if (r == 0)
		r = plan_ask(stream->action, stream->plan, stream->session, scale,
			     stream->signals.fd, err);
	if (r == 0 && stream->plan->wants_symbols)
		r = plan_run_symbols(stream->session, err);
	return r;
}

static int stream_run_take_signals(struct stream *stream, struct fathom_err *err)
{
	/* If the reader of a pipe is gone, writing fails instead. */
	signal(SIGPIPE, SIG_IGN);
	return plan_signals_take(&stream->signals, err);
}

/* Describes the kernel in a trace file in memory, without events. */
static int stream_run_describe(struct stream *stream, struct fathom_trace **ret_trace,
			       struct fathom_err *err)
{
	const struct plan *plan = stream->plan;
	_cleanup_free_ struct recorder_buffer *buffers = mem_zalloc(plan->n, sizeof(*buffers));
	_cleanup_close_ int fd = memfd_create("fathom-stream", MFD_CLOEXEC);
	struct recorder_spec spec = { .root = "",
				      .env = session_env(stream->session),
				      .tracefs = session_env(stream->session)->tracefs.fd,
				      .fd = fd,
				      .buffers = buffers,
				      .n_buffers = plan->n };
	int r;

	if (!buffers)
		return err_nomem(err);
	if (fd < 0)
		return err_set_errno(err, negative_errno(), "cannot create a file in memory");
	for (size_t i = 0; i < plan->n; i++)
		buffers[i] = (struct recorder_buffer){ plan->buffers[i].name,
						       plan->buffers[i].place->fd };
	spec.metadata = (plan->wants_symbols ? METADATA_SYMBOLS : 0) |
			(plan->wants_types ? METADATA_TYPES : 0);
	spec.enums = strbuf_str(&plan->enums);
	r = recorder_describe(&spec, err);
	return r < 0 ? r : fathom_trace_open_fd(TAKE_FD(fd), 0, ret_trace, err);
}

static int add_stream(struct stream *stream, size_t buffer, uint32_t cpu, int place)
{
	size_t cap = stream->cap;

	if (mem_reserve(&stream->streams, &stream->cap, stream->n + 1, sizeof(*stream->streams)) <
		    0 ||
	    mem_reserve(&stream->places, &cap, stream->n + 1, sizeof(*stream->places)) < 0)
		return -ENOMEM;
	stream->streams[stream->n] = (struct live_stream){ buffer, cpu };
	stream->places[stream->n++] = place;
	return 0;
}

static int find_streams(struct stream *stream, struct fathom_err *err)
{
	for (size_t i = 0; i < stream->plan->n; i++) {
		int place = stream->plan->buffers[i].place->fd;
		_cleanup_free_ uint32_t *cpus = NULL;
		size_t n = 0;
		int r = cpu_list_read(place, &cpus, &n);

		if (r < 0)
			return err_set_errno(err, r, "cannot find the CPUs");
		for (size_t k = 0; k < n; k++)
			if (add_stream(stream, i, cpus[k], place) < 0)
				return err_nomem(err);
	}
	return 0;
}

static bool stream_run_see(void *data, const struct fathom_event *event, bool alone)
{
	struct stream *stream = data;

	stream_names_see(&stream->names, event->pid);
	return !stream->wanted || stream->wanted(stream->wanted_data, event, alone);
}

/* Sets up what report uses to print events, on a trace that is fed live. */
static int make_reader(struct stream *stream, struct fathom_err *err)
{
	struct report_setup *setup = &stream->setup;
	struct fathom_trace *trace;
	int r = report_setup_room(setup, 1, err);

	if (r < 0)
		return r;
	r = stream_run_describe(stream, &trace, err);
	if (r < 0)
		return r;
	report_setup_add(setup, trace, NULL);
	r = find_streams(stream, err);
	if (r == 0)
		r = live_init(trace, stream->streams, stream->n, MEMORY_MAX, err);
	if (r == 0)
		r = report_setup_prepare(setup, err);
	if (r < 0)
		return r;
	report_setup_writer(setup);
	stream->wanted = setup->inputs[0].wanted;
	stream->wanted_data = setup->inputs[0].wanted_data;
	setup->inputs[0].wanted = stream_run_see;
	setup->inputs[0].wanted_data = stream;
	/* No data yet. */
	setup->inputs[0].window.to = 0;
	stream->names.tasks = report_tasks(setup->inputs[0].report);
	stream->names.tracefs = session_env(stream->session)->tracefs.fd;
	return report_run_begin(&setup->run, err);
}

static int make_tap(struct stream *stream, struct fathom_err *err)
{
	_cleanup_free_ struct ring_tap_source *sources = mem_zalloc(stream->n, sizeof(*sources));

	if (!sources)
		return err_nomem(err);
	for (size_t i = 0; i < stream->n; i++)
		sources[i] =
			(struct ring_tap_source){ stream->places[i], stream->streams[i].cpu,
						  live_queue(stream->setup.inputs[0].trace, i) };
	return ring_tap_new(sources, stream->n, &stream->tap, err);
}

static int stream_run_prepare(struct stream *stream, struct fathom_err *err)
{
	struct out *out = stream->action->out;
	size_t n = 0;
	pid_t own[3];
	int r = check_clocks(stream->plan, err);

	if (r == 0)
		r = stream_run_set_up(stream, err);
	if (r == 0)
		r = stream_run_take_signals(stream, err);
	if (r == 0)
		r = make_reader(stream, err);
	if (r == 0)
		r = make_tap(stream, err);
	if (r < 0)
		return r;
	fflush(out->stream);
	if (sink_init(&stream->sink, out->fd) < 0)
		return err_nomem(err);
	stream->sink.printable = &out->printable;
	own[n++] = getpid();
	if (session_guardian(stream->session))
		own[n++] = session_guardian(stream->session);
	if (stream->child.terminal.monitor)
		own[n++] = stream->child.terminal.monitor;
	/* Always: an event caused by printing is also printed. */
	r = plan_exclude(stream->plan, stream->session, own, n, true, err);
	return r < 0 ? r : 0;
}

static int stream_run_go(struct stream *stream, struct fathom_err *err)
{
	int *fds = mem_zalloc(stream->plan->n, sizeof(*fds));
	int r = fds ? plan_open_switches(stream->plan, fds, err) : err_nomem(err);

	if (r < 0) {
		free(fds);
		return r;
	}
	stream->switches = fds;
	if (stream->has_command) {
		r = child_go(&stream->child, fds, stream->plan->n, err);
		return r < 0 ? err_prefix(err, "'%s'", stream->argv[0]), r : 0;
	}
	for (size_t i = 0; i < stream->plan->n; i++)
		if (write(fds[i], "1", 1) < 0)
			return err_set_errno(err, negative_errno(), "cannot enable tracing");
	return 0;
}

/* Prints the events up to @until. With @last, none are held. */
static int stream_run_show(struct stream *stream, uint64_t until, bool last, struct fathom_err *err)
{
	struct report_input *input = &stream->setup.inputs[0];
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool wait = !last && (!stream->held_since || now - stream->held_since < HOLD_NS);
	int r;

	stream_names_tick(&stream->names, now);
	r = live_resume(&input->lookahead, until);
	if (r < 0)
		return err_set_errno(err, r, "cannot read further events");
	r = report_run_step(&stream->setup.run, &stream->sink, wait, err);
	sink_flush(&stream->sink);
	live_release(input->trace, &input->lookahead);
	if (!stream->setup.run.held)
		stream->held_since = 0;
	else if (!stream->held_since)
		stream->held_since = now;
	if (stream->sink.err == -EPIPE)
		r = 1;
	else if (stream->sink.err)
		return err_set_errno(err, stream->sink.err, "cannot write the output");
	if (r > 0)
		stream->done = true;
	return r < 0 ? r : 0;
}

/* Reads pending signals; returns whether one of them ends the output. */
static bool stream_run_read_signals(struct stream *stream)
{
	struct signalfd_siginfo info;
	bool stop = false;

	while (read(stream->signals.fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		stop = true;
		child_pass_on(&stream->child, (int)info.ssi_signo);
	}
	return stop;
}

static int stream_run_follow(struct stream *stream, struct fathom_err *err)
{
	struct pollfd fd = { .fd = stream->signals.fd, .events = POLLIN };
	int more = 0;

	while (!stream->done) {
		uint64_t until;
		int r;

		poll(&fd, 1, more ? 0 : ROUND_MS);
		if (stream_run_read_signals(stream) ||
		    (stream->has_command && child_ended(&stream->child)))
			return 0;
		more = ring_tap_take(stream->tap, &until, err);
		if (more < 0)
			return more;
		r = stream_run_show(stream, until, false, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static void stream_run_json_end(struct stream *stream)
{
	const struct plan *plan = stream->plan;
	struct completeness completeness = { .of_recording = true,
					     .lost_known = true,
					     .lost = stream->lost,
					     .filtered = stream->wanted != NULL,
					     .some_tasks = plan->n_pids || plan->children };

	for (size_t i = 0; i < plan->n; i++)
		completeness.some_cpus |= plan->buffers[i].cpumask &&
					  !str_eq(plan->buffers[i].cpumask, "-1");
	report_write_json_end(&stream->setup.json, &completeness, &stream->sink.text);
	sink_flush(&stream->sink);
}

/* Tracing is disabled: prints the rest. */
static int stream_run_finish(struct stream *stream, struct fathom_err *err)
{
	int more = 1;

	stream_run_switch_off(stream);
	while (more > 0 && !stream->done) {
		uint64_t until;
		int r;

		more = ring_tap_take_rest(stream->tap, &until, err);
		if (more < 0)
			return more;
		r = stream_run_show(stream, until, !more, err);
		if (r < 0)
			return r;
	}
	stream->lost = ring_tap_lost(stream->tap);
	if (stream->args->report.json)
		stream_run_json_end(stream);
	return 0;
}

static void stream_run_report_end(const struct stream *stream)
{
	if (stream->lost && !stream->args->quiet)
		quote_printf(stream->action->messages,
			     "fathom stream: lost %" PRIu64
			     " events: they arrived faster than they could "
			     "be printed; use larger buffers (-b), or filter in the kernel (-f)\n",
			     stream->lost);
}

static void stream_run_wait_for_command(struct stream *stream)
{
	struct pollfd fd = { .fd = stream->signals.fd, .events = POLLIN };

	while (stream->has_command && !child_ended(&stream->child)) {
		poll(&fd, 1, ROUND_MS);
		if (stream_run_read_signals(stream))
			child_signal(&stream->child, SIGTERM);
	}
}

int stream_run(const struct action *action, struct stream_args *args)
{
	_cleanup_(stream_done) struct stream stream = { .action = action,
							.args = args,
							.has_command = action->argc > 0,
							.child = CHILD_NONE,
							.setup = { .args = &args->report },
							.signals = PLAN_SIGNALS_NONE };
	struct fathom_err err = { 0 };
	int r = plan_args_init(&args->plan, &err);

	stream.plan = &args->plan.plan;
	if (r < 0)
		return action_failed(action, &err);
	if (plan_run_check(stream.plan, &err) < 0)
		return action_usage_error(action, &err);
	report_setup_colors(&args->report, action->out);
	plan_run_reset_left(action);
	r = stream_run_prepare(&stream, &err);
	if (r < 0)
		return action_failed(action, &err);
	if (args->report.csv)
		report_write_csv_head(&stream.sink.text);
	if (stream_run_go(&stream, &err) < 0) {
		action_failed(action, &err);
		return stream.has_command && !stream.child.pid ? child_exit_code(&stream.child) :
								 EXIT_NOT_RUN;
	}
	r = stream_run_follow(&stream, &err);
	if (r == 0)
		r = stream_run_finish(&stream, &err);
	if (r < 0)
		action_failed(action, &err);
	stream_run_report_end(&stream);
	fathom_err_reset(&err);
	if (stream_run_put_back(&stream, &err) < 0)
		action_failed(action, &err);
	stream_run_wait_for_command(&stream);
	if (r < 0)
		return EXIT_NOT_RUN;
	return stream.has_command ? child_exit_code(&stream.child) : EXIT_OK;
}
