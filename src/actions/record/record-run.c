/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/record-run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fathom/version.h>

#include "actions/plan/left-sessions.h"
#include "actions/plan/plan-ask.h"
#include "actions/plan/plan-run.h"
#include "actions/record/record-empty.h"
#include "actions/record/record-overhead.h"
#include "actions/record/record-price.h"
#include "actions/record/record-returns.h"
#include "actions/record/record-samples.h"
#include "actions/record/record-text.h"
#include "actions/record/record-watch.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/strbuf.h"
#include "format/file/trace-file.h"
#include "read/context/followed.h"
#include "record/command/child.h"
#include "record/file/left-recordings.h"
#include "record/file/metadata.h"
#include "record/file/recover.h"
#include "record/plan/event-price.h"
#include "record/recorder.h"
#include "record/session/session-env.h"
#include "record/unwind/map-log.h"
#include "record/unwind/proc-maps.h"
#include "write/trace-dat.h"

#define TICK_MS	    100
#define MAPS_MS	    10 /* while what is mapped is to be known */
#define TICK_NS	    1000000000ULL /* the file is brought up to date this often */
#define OPTIONS_MAX 2
#define OWN_MAX	    3 /* buffers that we write ourselves */
#define USERS_MAX   16 /* more functions of programs have no names */
#define USERS_SIZE  ((size_t)1000000)

struct run {
	const struct action *action;
	struct record_args *args;
	struct plan *plan;
	const char *output;
	struct child child;
	bool has_command;
	pid_t command; /* its pid, also when it has ended */
	struct session *session;
	struct recorder *recorder;
	struct new_file file;
	struct recording_note note; /* where the file is, should we be killed */
	struct plan_signals signals;
	struct sigaction too_large; /* what SIGXFSZ did before */
	int *switches; /* tracing_on of each buffer */
	bool on;
	bool is_left; /* restoring kernel settings failed */
	bool committed; /* the file has its name */
	uint64_t started, stopped;
	uint64_t kept_ns; /* of --keep-last TIME */
	uint64_t overwritten; /* events, with --keep-last */
	struct recorder_totals totals;
	uint64_t missed; /* hits of probes */
	struct fathom_err failure; /* of the data path */
	struct strbuf *maps; /* of each traced process, as option PROCMAPS has them */
	size_t n_maps;
	struct samples *samples; /* NULL: none */
	struct unwinder *unwinder; /* of samples; NULL: none */
	struct record_watch *watch; /* NULL: no memory is watched */
	struct record_returns *returns; /* NULL: no results of functions */
	struct map_log *map_log; /* NULL: nobody will ask for it */
	struct record_text text;
	struct record_overhead overhead;
	struct record_price price;
	pid_t *untraced; /* our own tasks, which are kept out */
	size_t n_untraced;
	double ask_scale; /* of prices; 0: functions are traced without a question */
};

/* How quick this machine is, where it matters; measured once, in the command's process where that was done. */
static void find_scale(struct run *run)
{
	/* A limit that was given takes care of itself. */
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

static int record_run_set_up(struct run *run, char **argv, struct fathom_err *err)
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
		r = plan_apply(run->plan, run->session, err);
	if (!run->args->quiet || (run->args->tells_users && run->plan->users.len))
		plan_run_notes(run->action, run->plan);
	return r;
}

static void record_run_describe(const struct run *run, char **argv, int argc, struct strbuf *info)
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

/* The functions of programs, in options that readers keep in memory. How many it took. */
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
	struct run *run = data;
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

static int record_run_make_file(struct run *run, struct fathom_err *err)
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
	return run->file.fd < 0 ? err_set_errno(err, -errno, "cannot use a temporary file") : 0;
}

static int record_run_make_recorder(struct run *run, char **argv, int argc, struct fathom_err *err)
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

/* Processes of ours beside this one. Returns how many. */
static size_t helpers_of(const struct run *run, pid_t pids[RECORD_OVERHEAD_PIDS])
{
	size_t n = 0;

	if (session_guardian(run->session))
		pids[n++] = session_guardian(run->session);
	if (run->child.terminal.monitor)
		pids[n++] = run->child.terminal.monitor;
	return run->unwinder ? n + unwinder_pids(run->unwinder, pids + n) : n;
}

static int keep_out(struct run *run, struct fathom_err *err)
{
	_cleanup_free_ pid_t *pids = NULL;
	const pid_t *threads;
	size_t n, own = 1;

	if (run->args->no_filter)
		return 0;
	threads = recorder_threads(run->recorder, &n);
	pids = mem_zalloc(n + 1 + RECORD_OVERHEAD_PIDS, sizeof(*pids));
	if (!pids)
		return err_nomem(err);
	pids[0] = getpid();
	own += helpers_of(run, pids + own);
	if (n)
		memcpy(pids + own, threads, n * sizeof(*pids));
	run->n_untraced = own + n;
	run->untraced = TAKE_PTR(pids);
	return plan_exclude(run->plan, run->session, run->untraced, own + n, err);
}

static int open_samples(struct run *run, struct fathom_err *err)
{
	pid_t own[1 + RECORD_OVERHEAD_PIDS] = { getpid() };
	size_t n = 1 + helpers_of(run, own + 1);
	/* Nothing else is missing then but callers that frame pointers do not lead to. */
	bool may_fail = run->args->unwind_may_fail && !run->args->sample_hz;
	int r;

	if (!record_has_samples(run->args))
		return 0;
	r = record_samples_open(run->args, run->recorder, run->child.pid, own, n, run->unwinder,
				run->map_log, &run->samples, may_fail ? NULL : err);
	return may_fail ? 0 : r;
}

static int record_run_take_signals(struct run *run, struct fathom_err *err)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	int r = plan_signals_take(&run->signals, err);

	if (r == 0)
		sigaction(SIGXFSZ, &ignore, &run->too_large);
	return r;
}

static int switch_samples_on(void *data)
{
	return samples_switch(data, true);
}

/* Tracing is switched on where it becomes the command. Where its memory is watched it is held for a moment then. */
static int go_command(struct run *run, char **argv, struct fathom_err *err)
{
	int r;

	if (run->samples) {
		run->child.switch_on = switch_samples_on;
		run->child.data = run->samples;
	}
	r = child_go(&run->child, run->switches, run->plan->n, err);

	if (r < 0 && run->watch)
		record_watch_forget(run->watch);
	if (r < 0)
		return err_prefix(err, "'%s'", argv[0]), r;
	return run->watch ? record_watch_after(run->watch, err) : 0;
}

/*
 * perf reports no name of a process that started after its events were opened and before they were
 * enabled. Read before and after enabling, /proc has all of them but those that live for a moment.
 */
static int switch_samples(struct run *run)
{
	int r = recorder_name_tasks(run->recorder);

	if (r == 0)
		r = samples_switch(run->samples, true);
	return r < 0 ? r : recorder_name_tasks(run->recorder);
}

static int record_run_switch_on(struct run *run, char **argv, struct fathom_err *err)
{
	int r;

	if (run->has_command)
		return go_command(run, argv, err);
	r = run->samples ? switch_samples(run) : 0;
	if (r < 0)
		return err_set_errno(err, r, "cannot switch samples on");
	for (size_t i = 0; r == 0 && i < run->plan->n; i++)
		if (write(run->switches[i], "1", 1) < 0)
			r = err_set_errno(err, -errno, "cannot switch tracing on");
	return r;
}

static void begin_overhead(struct run *run)
{
	if (!(run->overhead.scale > 0))
		return;
	helpers_of(run, run->overhead.pids);
	recorder_count(run->recorder, &run->totals);
	record_overhead_begin(&run->overhead, &run->totals);
}

static int record_run_go(struct run *run, char **argv, struct fathom_err *err)
{
	int r;

	run->switches = mem_zalloc(run->plan->n, sizeof(int));
	if (!run->switches)
		return err_nomem(err);
	r = plan_open_switches(run->plan, run->switches, err);
	if (r < 0)
		return r;
	run->on = true;
	if (run->watch)
		r = record_watch_before(run->watch, run->recorder, run->child.pid, err);
	if (r == 0 && run->returns)
		r = record_returns_begin(run->returns, run->recorder, err);
	if (r < 0)
		return r;
	begin_overhead(run);
	recorder_go(run->recorder);
	run->started = clock_ns(CLOCK_MONOTONIC);
	/* When we are killed while the command starts, what it did is there. */
	if (run->has_command && !run->args->file)
		r = new_file_name(&run->file, err);
	if (r == 0)
		r = record_run_switch_on(run, argv, err);
	/* Only now does it take the place of an older recording. */
	if (r == 0 && !run->args->file)
		r = new_file_commit(&run->file, err);
	run->committed = r == 0;
	return r;
}

static void record_run_switch_off(struct run *run)
{
	if (!run->on)
		return;
	run->on = false;
	if (run->samples)
		samples_switch(run->samples, false);
	if (run->watch)
		record_watch_off(run->watch);
	for (size_t i = 0; i < run->plan->n; i++) {
		(void)!write(run->switches[i], "0", 1);
		close(run->switches[i]);
	}
	run->stopped = clock_ns(CLOCK_MONOTONIC);
}

/* A trigger of --until has switched it off. */
static bool was_switched_off(const struct run *run)
{
	char line[8];

	return run->args->plan.until &&
	       file_read_line(run->plan->buffers[0].place->fd, "tracing_on", line, sizeof(line)) >
		       0 &&
	       line[0] == '0';
}

/* Reads the signals that have come: is one of them a reason to stop? */
static bool record_run_read_signals(struct run *run)
{
	struct signalfd_siginfo info;
	bool stop = false;

	while (read(run->signals.fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		stop = true;
		if (run->has_command)
			child_pass_on(&run->child, (int)info.ssi_signo);
	}
	return stop;
}

/* Of processes that have ended the last is kept. */
static void read_maps(struct run *run)
{
	for (size_t i = 0; i < run->n_maps; i++)
		proc_maps_read("", run->plan->pids[i], &run->maps[i]);
}

/* What the traced processes have mapped, and will map. Without perf only the former is known. */
static int start_map_log(struct run *run, struct fathom_err *err)
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
			     "fathom %s: %s: programs that start from now on will have no names\n",
			     run->action->name, later.message);
	if (run->unwinder)
		listener = unwinder_listener(run->unwinder);
	return map_log_new("", plan->pids, plan->n_pids, events, run->unwinder ? &listener : NULL,
			   &run->map_log, err);
}

static int prepare_maps(struct run *run, struct fathom_err *err)
{
	int r = start_map_log(run, err);

	if (r < 0 || !run->args->proc_map)
		return r;
	if (!run->plan->n_pids)
		return err_set(err, -EINVAL, "--proc-map is about the processes of -F or -P");
	run->maps = mem_zalloc(run->plan->n_pids, sizeof(*run->maps));
	if (!run->maps)
		return err_nomem(err);
	run->n_maps = run->plan->n_pids;
	return 0;
}

/* What does not come from the kernel's rings. */
static int record_run_take_own(struct run *run, bool all)
{
	int r = run->samples ? samples_take(run->samples, all) : 0;

	if (r == 0 && run->watch)
		r = record_watch_take(run->watch, all);
	return r == 0 && run->returns ? record_returns_take(run->returns, all) : r;
}

/* About once a second: is there a reason to stop? */
static bool tick_ends(struct run *run, uint64_t now)
{
	bool shows = record_text_wants(&run->text);
	bool limited = record_overhead_is_limited(&run->overhead), ends = false;

	if (recorder_tick(run->recorder) < 0)
		return true;
	if (shows || limited)
		recorder_count(run->recorder, &run->totals);
	if (limited || (shows && run->overhead.scale > 0))
		ends = record_overhead_look(&run->overhead, &run->totals);
	if (shows)
		record_text_progress(&run->text, &run->totals,
				     record_overhead_share(&run->overhead), now - run->started);
	return ends;
}

/* Records until there is a reason to stop. */
static void record_run_record(struct run *run)
{
	struct pollfd fds[] = {
		{ .fd = run->signals.fd, .events = POLLIN },
		{ .fd = recorder_fd(run->recorder), .events = POLLIN },
		{ .fd = run->map_log ? map_log_fd(run->map_log) : -1, .events = POLLIN },
		{ .fd = run->samples ? samples_fd(run->samples) : -1, .events = POLLIN },
		{ .fd = run->watch ? record_watch_fd(run->watch) : -1, .events = POLLIN },
		{ .fd = run->returns ? record_returns_fd(run->returns) : -1, .events = POLLIN }
	};
	uint64_t tick = run->started;
	int wait = run->n_maps ? MAPS_MS : TICK_MS;

	for (;;) {
		uint64_t now, deadline = run->args->for_ns;

		poll(fds, ARRAY_SIZE(fds), wait);
		now = clock_ns(CLOCK_MONOTONIC);
		read_maps(run);
		if (run->map_log)
			map_log_read(run->map_log);
		if (record_run_take_own(run, now - tick >= TICK_NS) < 0)
			return;
		if (record_run_read_signals(run) || fds[1].revents)
			return;
		if (run->has_command && child_ended(&run->child))
			return;
		if ((deadline && now - run->started >= deadline) || was_switched_off(run))
			return;
		if (run->args->max_bytes && recorder_bytes(run->recorder) >= run->args->max_bytes)
			return;
		if (now - tick >= TICK_NS) {
			tick = now;
			if (tick_ends(run, now))
				return;
		}
	}
}

/* In a ring that is kept the old makes room for the new, and is not lost. */
static void count_kept(struct run *run)
{
	if (!run->args->keep_last)
		return;
	run->overwritten = run->totals.lost;
	run->totals.lost = 0;
}

static bool was_lossy(const struct run *run)
{
	return run->totals.lost || (run->samples && samples_count(run->samples).lost) ||
	       (run->watch && record_watch_lost(run->watch)) ||
	       (run->returns && record_returns_lost(run->returns));
}

/* The command's own end, which the events need not tell: a signal can come from a task that is not recorded. */
static void note_status(const struct run *run, struct strbuf *info)
{
	int status = run->child.status;

	if (!run->has_command || run->child.pid)
		return;
	if (WIFSIGNALED(status))
		quote_addf(info, "status: pid %d, signal %d%s\n", run->command, WTERMSIG(status),
			   WCOREDUMP(status) ? ", core dumped" : "");
	else if (WIFEXITED(status))
		quote_addf(info, "status: pid %d, exit code %d\n", run->command,
			   WEXITSTATUS(status));
}

static void note_end(const struct run *run, struct strbuf *info)
{
	note_status(run, info);
	quote_addf(info, "seconds: %.6f\nevents: %" PRIu64 "\nlost: %" PRIu64 "\n",
		   (double)(run->stopped - run->started) / 1e9, run->totals.events,
		   run->totals.lost);
	if (run->missed)
		quote_addf(info, "missed: %" PRIu64 "\n", run->missed);
	if (run->args->keep_last)
		quote_addf(info, "overwritten: %" PRIu64 "\n", run->overwritten);
	for (size_t i = 0; i < run->n_untraced; i++)
		quote_addf(info, "%s%d", i ? " " : FOLLOWED_UNTRACED ": ", (int)run->untraced[i]);
	if (run->n_untraced)
		strbuf_addc(info, '\n');
	record_overhead_note(&run->overhead, info);
	record_price_note(&run->price, run->plan, info);
	quote_addf(info, "complete: %s\n",
		   run->failure.code ? "no" : (was_lossy(run) ? "no, events were lost" : "yes"));
}

static int record_run_finish(struct run *run, struct trace_out_result *ret_result,
			     struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf info = { 0 };
	_cleanup_free_ struct trace_out_option *maps = NULL;
	const struct trace_out_option *log = NULL;
	size_t n_maps = 0;
	int n_log = 0, r;

	record_run_switch_off(run);
	record_text_clear(&run->text);
	recorder_stop(run->recorder, &run->totals, &run->failure);
	count_kept(run);
	run->missed = plan_missed(run->plan, run->session);
	if (run->args->last_ns)
		run->kept_ns = recorder_keep_last(run->recorder, run->args->last_ns);
	if (run->args->date)
		recorder_add_date(run->recorder);
	if (run->samples)
		record_samples_end(run->samples, run->recorder, &info, &run->failure);
	if (run->watch)
		record_watch_end(run->watch, &info, &run->failure);
	if (run->returns)
		record_returns_end(run->returns, &info, &run->failure);
	record_price_end(&run->price);
	note_end(run, &info);
	if (run->map_log && map_log_read(run->map_log) == 0)
		n_log = map_log_options(run->map_log, &log);
	if (n_log < 0)
		n_log = 0;
	maps = mem_zalloc(run->n_maps + (size_t)n_log + 1, sizeof(*maps));
	for (int i = 0; maps && i < n_log; i++)
		maps[n_maps++] = log[i];
	for (size_t i = 0; maps && i < run->n_maps; i++)
		if (run->maps[i].len)
			maps[n_maps++] =
				(struct trace_out_option){ TRACE_ID_PROCMAPS, run->maps[i].s,
							   (uint32_t)run->maps[i].len + 1 };
	r = recorder_finish(run->recorder, strbuf_str(&info), maps, n_maps, ret_result, err);
	if (r == 0)
		recording_note_remove(&run->note);
	return r;
}

static int record_run_put_back(struct run *run, struct fathom_err *err)
{
	struct session *session = TAKE_PTR(run->session);

	if (run->args->keep)
		return session_keep(session, err);
	return put_session_back(run->action, session, err);
}

static void record_run_wait_for_command(struct run *run)
{
	if (!run->has_command || child_ended(&run->child))
		return;
	if (!run->args->quiet)
		quote_printf(run->action->messages,
			     "fathom %s: the recording is done; waiting for the command to end\n",
			     run->action->name);
	while (!child_ended(&run->child)) {
		struct pollfd fd = { .fd = run->signals.fd, .events = POLLIN };
		struct signalfd_siginfo info;

		poll(&fd, 1, TICK_MS);
		while (read(run->signals.fd, &info, sizeof(info)) == sizeof(info))
			if (info.ssi_signo != SIGCHLD)
				child_signal(&run->child, SIGTERM);
	}
}

static void record_run_done(struct run *run)
{
	record_run_switch_off(run);
	record_watch_free(run->watch, run->child.pid);
	record_returns_free(run->returns);
	recorder_free(run->recorder);
	if (run->session)
		record_run_put_back(run, NULL);
	child_done(&run->child);
	free(run->switches);
	for (size_t i = 0; i < run->n_maps; i++)
		strbuf_done(&run->maps[i]);
	free(run->maps);
	free(run->untraced);
	samples_free(run->samples);
	map_log_free(run->map_log);
	unwinder_free(run->unwinder);
	new_file_done(&run->file);
	/* What is committed and not finished stays noted. */
	if (run->committed)
		recording_note_done(&run->note);
	else
		recording_note_remove(&run->note);
	/* The next command that is run has them as this one had. */
	if (run->signals.fd >= 0)
		sigaction(SIGXFSZ, &run->too_large, NULL);
	plan_signals_done(&run->signals);
}

static int record_run_fail(struct run *run, const struct fathom_err *err)
{
	action_failed(run->action, err);
	/* Nobody should take an older recording for the one that was meant. */
	if (!run->committed && !run->args->file && access(run->output, F_OK) == 0)
		quote_printf(run->action->messages, "  nothing was recorded; '%s' is unchanged\n",
			     run->output);
	return EXIT_NOT_RUN;
}

/* 127 and 126 for a command that is not there or cannot be run, as env(1) has it. */
static int record_run_fail_to_go(struct run *run, const struct fathom_err *err)
{
	int code = run->has_command && !run->child.pid ? child_exit_code(&run->child) :
							 EXIT_NOT_RUN;

	record_run_fail(run, err);
	return code;
}

/* Another version, or compressed: the recording is written anew. */
static int record_run_convert(struct run *run, struct fathom_err *err)
{
	const struct record_args *args = run->args;
	struct trace_dat_options options = { .version = (unsigned)args->file_version,
					     .compression = (enum compression)args->compression,
					     .level = 1 };
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	int r;

	if (args->compress && !args->compression)
		options.compression = COMPRESSION_ZSTD;
	if (options.compression == COMPRESSION_UNKNOWN)
		options.compression = COMPRESSION_ZSTD; /* "any" */
	if ((options.compression == COMPRESSION_NONE && args->file_version != 6) || args->file)
		return 0;
	r = new_file_open_over(&file, &run->file, err);
	if (r == 0)
		r = trace_dat_convert_fd(run->file.fd, run->output, &options, file.fd, err);
	return r < 0 ? r : new_file_commit(&file, err);
}

/* The file is valid all the same. */
static int fail_to_finish(struct run *run, const struct fathom_err *err)
{
	struct fathom_err later = { 0 };

	if (record_run_put_back(run, &later) < 0)
		action_failed(run->action, &later);
	if (err->code == -ENOSPC)
		quote_printf(
			run->action->messages,
			"fathom record: the disk is full: the recording ends early; '%s' is unfinished "
			"but can be read, and 'fathom recover' finishes it when there is room\n",
			run->output);
	else
		action_failed(run->action, err);
	record_run_wait_for_command(run);
	return EXIT_NOT_RUN;
}

/* Of watched memory, no hit is an answer. */
static bool record_run_is_empty(const struct run *run)
{
	return !run->totals.events && !run->totals.lost && !run->watch &&
	       (!run->samples || !samples_count(run->samples).samples);
}

static int record_run_conclude(struct run *run, const struct trace_out_result *result)
{
	int code = EXIT_OK;

	run->args->is_made = !run->failure.code;
	record_overhead_tell(&run->overhead, run->action);
	run->text.has_own = run->samples || run->watch;
	record_text_summary(&run->text, run->output, &run->totals, result,
			    run->stopped - run->started);
	run->args->is_empty = record_run_is_empty(run);
	if (run->args->is_empty && !run->args->quiet)
		record_empty_tell(&run->args->plan, run->has_command, run->action->messages);
	if (run->args->last_ns && run->kept_ns < run->args->last_ns &&
	    run->kept_ns < run->stopped - run->started && !run->args->quiet)
		quote_printf(run->action->messages,
			     "  the buffers held the last %.3f s only; use a larger -b than %lu\n",
			     (double)run->kept_ns / 1e9, run->plan->buffers[0].size_kb);
	if (run->args->ret_missed)
		*run->args->ret_missed = run->missed;
	else if (run->missed)
		quote_printf(run->action->messages,
			     "fathom record: probes have missed %" PRIu64
			     " hits: what they record of "
			     "calls is missing there\n",
			     run->missed);
	if (run->samples)
		record_samples_tell(run->samples, run->args, run->action);
	if (run->watch)
		record_watch_tell(run->watch, run->action, run->args->quiet);
	record_run_wait_for_command(run);
	if (run->has_command)
		code = child_exit_code(&run->child);
	if (run->failure.code) {
		if (run->failure.code == -ENOSPC)
			quote_printf(run->action->messages,
				     "fathom record: the disk is full: the recording ends early; "
				     "what was written is in '%s'\n",
				     run->output);
		else
			action_failed(run->action, &run->failure);
		return EXIT_NOT_RUN;
	}
	if (run->is_left || (run->args->strict && was_lossy(run)))
		return EXIT_NOT_RUN;
	return code;
}

static int record_run_prepare(struct run *run, char **argv, int argc, struct fathom_err *err)
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
	record_overhead_init(&run->overhead, run->args, run->has_command);
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

int record_run(const struct action *action, struct record_args *args, int argc, char **argv)
{
	_cleanup_(record_run_done) struct run run = { .action = action,
						      .args = args,
						      .plan = &args->plan.plan,
						      .output = args->output ?: "trace.dat",
						      .child = CHILD_NONE,
						      .has_command = argc > 0,
						      .file = NEW_FILE_NONE,
						      .note = RECORDING_NOTE_NONE,
						      .signals = PLAN_SIGNALS_NONE };
	struct fathom_err err = { 0 };
	struct trace_out_result result;

	record_text_init(&run.text, action, args->quiet, run.plan);
	if (record_run_prepare(&run, argv, argc, &err) < 0)
		return record_run_fail(&run, &err);
	if (record_run_go(&run, argv, &err) < 0)
		return record_run_fail_to_go(&run, &err);
	record_run_record(&run);
	if (record_run_finish(&run, &result, &err) < 0)
		return fail_to_finish(&run, &err);
	if (record_run_put_back(&run, &err) < 0) {
		action_failed(action, &err);
		run.is_left = true;
	}
	if (record_run_convert(&run, &err) < 0)
		return record_run_fail(&run, &err);
	return record_run_conclude(&run, &result);
}

int record_run_unseen(const struct action *action, struct record_args *args, int argc, char **argv)
{
	int code = record_run(action, args, argc, argv);

	return code == EXIT_OK && args->is_empty ? EXIT_EMPTY : code;
}
