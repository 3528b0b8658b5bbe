/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a recording before the command runs or tracing starts. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "actions/plan/left-sessions.h"
#include "actions/plan/plan-ask.h"
#include "actions/plan/plan-run.h"
#include "actions/record/record-overhead.h"
#include "actions/record/record-price.h"
#include "actions/record/record-returns.h"
#include "actions/record/record-run-parts.h"
#include "actions/record/record-samples.h"
#include "actions/record/record-text.h"
#include "actions/record/record-watch.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "format/file/trace-file.h"
#include "read/context/followed.h"
#include "record/command/child.h"
#include "record/file/left-recordings.h"
#include "record/file/metadata.h"
#include "record/file/recover.h"
#include "record/plan.h"
#include "record/recorder.h"
#include "record/session/session-env.h"
#include "record/session/session.h"
#include "record/unwind/map-log.h"
#include "record/unwind/unwinder.h"

#define OPTIONS_MAX 2
#define OWN_MAX	    3 /* buffers that we write ourselves */
#define USERS_MAX   16 /* functions beyond this number have no names */
#define USERS_SIZE  ((size_t)1000000)

/* Sets the speed of this machine, if anything needs it; measured once, in the command's process if possible. */
static void find_scale(struct record_run *run)
{
	/* With an explicit limit, no question is needed. */
	bool asks = !run->args->has_max_overhead && plan_may_ask(&run->args->plan);
	double scale;

	if (!asks && !record_overhead_is_limited(&run->overhead) &&
	    !record_text_is_watched(&run->text))
		return;
	scale = run->price.bare.calls ? event_price_scale_of(run->price.bare.ns) :
					event_price_scale();
	run->overhead.scale = scale;
	run->ask_scale = asks ? scale : 0;
}

static int record_run_set_up(struct record_run *run, char **argv, struct fathom_err *err)
{
	_cleanup_free_ char *line = plan_run_line(run->action);
	int r;

	if (!line)
		return err_nomem(err);
	if (run->has_command) {
		run->child.output = run->args->command_output;
		r = child_start(&run->child, argv, run->args->user, err);
		if (r < 0)
			return r;
		run->command = run->child.pid;
		run->price.wanted = run->args->measures_price;
		record_price_bare(&run->price, &run->child, run->plan);
	}
	find_scale(run);
	r = plan_run_program(run->plan, run->has_command ? argv[0] : NULL, err);
	if (r == 0)
		r = session_open("", line, &run->session, err);
	if (r == 0)
		r = plan_run_pids(&run->args->plan, run->child.pid, err);
	if (r == 0)
		r = plan_run_apply(run->action, run->plan, run->session,
				   run->args->quiet && !run->args->tells_users, err);
	if (!run->args->quiet || (run->args->tells_users && run->plan->users.len))
		plan_run_notes(run->action, run->plan);
	return r;
}

static void record_run_describe(const struct record_run *run, char **argv, int argc,
				struct strbuf *info)
{
	struct timespec t;
	struct tm tm;
	char text[64] = "";

	clock_gettime(CLOCK_REALTIME, &t);
	if (localtime_r(&t.tv_sec, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm);
	if (argc) {
		strbuf_adds(info, "command:");
		for (int i = 0; i < argc; i++)
			quote_addf(info, " %s", argv[i]);
		strbuf_addc(info, '\n');
	}
	quote_addf(info, "session: %s\nstarted: %s\n", session_id(run->session), text);
	for (size_t i = 0; i < run->plan->n_pids; i++)
		quote_addf(info, "%s%d", i ? " " : FOLLOWED_PIDS ": ", (int)run->plan->pids[i]);
	if (run->plan->n_pids)
		strbuf_adds(info, run->plan->children ? "\n" FOLLOWED_CHILDREN ": yes\n" : "\n");
	for (size_t i = 0; i < run->plan->n; i++)
		if (run->plan->buffers[i].cpumask && !str_eq(run->plan->buffers[i].cpumask, "-1"))
			quote_addf(info, FOLLOWED_CPUS ": %s\n", run->plan->buffers[i].cpumask);
}

/* The user functions, in options that readers hold in memory. Returns how many options it took. */
static size_t add_users(const struct strbuf *users, struct trace_out_option *options)
{
	size_t n = 0;

	for (size_t at = 0; at < users->len && n < USERS_MAX; n++) {
		size_t len = users->len - at;

		if (len > USERS_SIZE) {
			const char *end = memrchr(users->s + at, '\n', USERS_SIZE);

			len = end ? (size_t)(end + 1 - users->s) - at : USERS_SIZE;
		}
		options[n] = (struct trace_out_option){ TRACE_ID_FATHOM_FUNCTIONS, users->s + at,
							(uint32_t)len };
		at += len;
	}
	return n;
}

static int start_tracers(void *data, struct fathom_err *err)
{
	struct record_run *run = data;
	int r = run->returns ? record_returns_attach(run->returns, err) : 0;

	if (r < 0)
		return r;
	record_price_events(&run->price, &run->child, run->plan);
	r = plan_start_tracers(run->plan, run->session, err);
	if (r == 0)
		r = plan_ask(run->action, run->plan, run->session, run->ask_scale, run->signals.fd,
			     err);
	if (r == 0)
		record_price_calls(&run->price, &run->child, run->plan);
	return r;
}

static int record_run_make_file(struct record_run *run, struct fathom_err *err)
{
	int r;

	if (!run->args->file) {
		r = recording_create(run->output, run->args->mode, &run->file, err);
		if (r == 0)
			recording_note_write(session_env(run->session)->journals,
					     session_id(run->session), &run->file, &run->note);
		return r;
	}
	run->file.fd = fcntl(run->args->file, F_DUPFD_CLOEXEC, 3);
	return run->file.fd < 0 ?
		       err_set_errno(err, negative_errno(), "cannot use the temporary file") :
		       0;
}

static int record_run_make_recorder(struct record_run *run, char **argv, int argc,
				    struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf info = { 0 };
	_cleanup_free_ struct recorder_buffer *buffers =
		mem_zalloc(run->plan->n + OWN_MAX, sizeof(*buffers));
	struct trace_out_option options[OPTIONS_MAX + USERS_MAX];
	struct recorder_spec spec = { .root = "",
				      .env = session_env(run->session),
				      .tracefs = session_env(run->session)->tracefs.fd,
				      .buffers = buffers,
				      .n_buffers = run->plan->n,
				      .options = options,
				      .keep_rings = run->args->keep_last,
				      .keep = run->args->max_cpu_bytes,
				      .described = start_tracers,
				      .described_data = run,
				      .pump = { .priority = (int)run->args->priority,
						.interval_us = (unsigned)run->args->interval_us } };
	int r;

	if (!buffers)
		return err_nomem(err);
	for (size_t i = 0; i < run->plan->n; i++)
		buffers[i] = (struct recorder_buffer){ run->plan->buffers[i].name,
						       run->plan->buffers[i].place->fd };
	if (record_has_samples(run->args))
		buffers[spec.n_buffers++] = record_samples_buffer(run->plan);
	if (run->watch)
		buffers[spec.n_buffers++] = record_watch_buffer(run->plan);
	if (run->returns)
		buffers[spec.n_buffers++] = record_returns_buffer(run->plan);
	spec.metadata = (run->args->all_formats ? METADATA_ALL_FORMATS : 0) |
			(run->plan->wants_symbols ? METADATA_SYMBOLS : 0) |
			(run->plan->wants_types ? METADATA_TYPES : 0) |
			(record_has_samples(run->args) ? METADATA_SAMPLES : 0) |
			(run->watch ? METADATA_WATCH : 0) | (run->returns ? METADATA_RETURNS : 0);
	if (run->args->hook)
		options[spec.n_options++] =
			(struct trace_out_option){ TRACE_ID_HOOK, run->args->hook,
						   (uint32_t)strlen(run->args->hook) + 1 };
	if (run->args->ts_offset)
		options[spec.n_options++] =
			(struct trace_out_option){ TRACE_ID_OFFSET, run->args->ts_offset,
						   (uint32_t)strlen(run->args->ts_offset) + 1 };
	spec.enums = strbuf_str(&run->plan->enums);
	spec.symbols = run->args->symbols;
	spec.n_options += add_users(&run->plan->users, options + spec.n_options);
	record_run_describe(run, argv, argc, &info);
	spec.info = strbuf_str(&info);
	r = record_run_make_file(run, err);
	if (r < 0)
		return r;
	spec.fd = run->file.fd;
	return recorder_new(&spec, &run->recorder, err);
}

/* Lists our other processes. Returns their number. */
size_t record_run_helpers(const struct record_run *run, pid_t pids[RECORD_OVERHEAD_PIDS])
{
	size_t n = 0;

	if (session_guardian(run->session))
		pids[n++] = session_guardian(run->session);
	if (run->child.terminal.monitor)
		pids[n++] = run->child.terminal.monitor;
	return run->unwinder ? n + unwinder_pids(run->unwinder, pids + n) : n;
}

static int keep_out(struct record_run *run, struct fathom_err *err)
{
	_cleanup_free_ pid_t *pids = NULL;
	const pid_t *threads;
	size_t n, own = 1;
	int r;

	if (run->args->no_filter)
		return 0;
	threads = recorder_threads(run->recorder, &n);
	pids = mem_zalloc(n + 1 + RECORD_OVERHEAD_PIDS, sizeof(*pids));
	if (!pids)
		return err_nomem(err);
	pids[0] = getpid();
	own += record_run_helpers(run, pids + own);
	if (n)
		memcpy(pids + own, threads, n * sizeof(*pids));
	run->n_untraced = own + n;
	run->untraced = TAKE_PTR(pids);
	r = plan_exclude(run->plan, run->session, run->untraced, own + n, false, err);
	if (r < 0)
		return r;
	run->hides = (unsigned)r;
	return 0;
}

static int open_samples(struct record_run *run, struct fathom_err *err)
{
	pid_t own[1 + RECORD_OVERHEAD_PIDS] = { getpid() };
	size_t n = 1 + record_run_helpers(run, own + 1);
	/* Failure only loses callers that frame pointers cannot reach. */
	bool may_fail = run->args->unwind_may_fail && !run->args->sample_hz;
	int r;

	if (!record_has_samples(run->args))
		return 0;
	r = record_samples_open(run->args, run->recorder, run->child.pid, own, n, run->unwinder,
				run->map_log, &run->samples, may_fail ? NULL : err);
	return may_fail ? 0 : r;
}

static int record_run_take_signals(struct record_run *run, struct fathom_err *err)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	int r = plan_signals_take(&run->signals, err);

	if (r == 0)
		sigaction(SIGXFSZ, &ignore, &run->too_large);
	return r;
}

/* Logs the mappings of the traced processes, and with perf also later ones. */
static int start_map_log(struct record_run *run, struct fathom_err *err)
{
	const struct plan *plan = run->plan;
	struct process_events *events = NULL;
	struct fathom_err later = { 0 };
	struct map_log_listener listener;

	if (!plan->wants_maps && !run->args->proc_map)
		return 0;
	if (process_events_new(plan->buffers[0].clock ?: "local", &events, &later) < 0 &&
	    !run->args->quiet)
		quote_printf(run->action->messages,
			     "fathom %s: %s: user stacks of processes that start from now on "
			     "will have no names\n",
			     run->action->name, later.message);
	if (run->unwinder)
		listener = unwinder_listener(run->unwinder);
	return map_log_new("", plan->pids, plan->n_pids, events, run->unwinder ? &listener : NULL,
			   &run->map_log, err);
}

static int prepare_maps(struct record_run *run, struct fathom_err *err)
{
	int r = start_map_log(run, err);

	if (r < 0 || !run->args->proc_map)
		return r;
	if (!run->plan->n_pids)
		return err_set(err, -EINVAL, "--proc-map requires -F or -P");
	run->maps = mem_zalloc(run->plan->n_pids, sizeof(*run->maps));
	if (!run->maps)
		return err_nomem(err);
	run->n_maps = run->plan->n_pids;
	return 0;
}

int record_run_prepare(struct record_run *run, char **argv, int argc, struct fathom_err *err)
{
	int r;

	r = record_samples_plan(run->args, err);
	if (r == 0)
		r = record_watch_plan(run->args, run->has_command, &run->watch, err);
	if (r == 0)
		r = record_returns_plan(run->args, &run->returns, err);
	if (r == 0)
		r = record_samples_unwinder(run->args, &run->unwinder, err);
	if (r < 0)
		return r;
	run->plan->late_tracers = true;
	record_overhead_init(&run->overhead, run->action, run->args, run->has_command);
	plan_run_reset_left(run->action);
	if (!run->args->quiet)
		left_recordings_warn(run->action, run->output);
	r = record_run_set_up(run, argv, err);
	if (r == 0 && run->plan->wants_symbols && !run->args->symbols)
		r = plan_run_symbols(run->session, err);
	if (r == 0)
		r = record_run_take_signals(run, err);
	if (r == 0)
		r = prepare_maps(run, err);
	if (r == 0)
		r = record_run_make_recorder(run, argv, argc, err);
	if (r == 0)
		r = keep_out(run, err);
	if (r == 0)
		r = open_samples(run, err);
	return r;
}
