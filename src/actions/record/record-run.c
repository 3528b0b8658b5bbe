/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "actions/plan/plan-run.h"
#include "actions/record/record-overhead.h"
#include "actions/record/record-returns.h"
#include "actions/record/record-run-parts.h"
#include "actions/record/record-text.h"
#include "actions/record/record-watch.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/strbuf.h"
#include "record/command/child.h"
#include "record/file/left-recordings.h"
#include "record/recorder.h"
#include "record/samples/samples.h"
#include "record/session/session.h"
#include "record/unwind/map-log.h"
#include "record/unwind/proc-maps.h"
#include "record/unwind/unwinder.h"

#define TICK_MS 100
#define MAPS_MS 10 /* while mappings are logged */
#define TICK_NS 1000000000ULL /* interval at which the file is updated */

static int switch_samples_on(void *data)
{
	return samples_switch(data, true);
}

/*
 * The process that becomes the command enables tracing. If its memory is watched, it is held for a
 * moment after that.
 */
static int go_command(struct record_run *run, char **argv, struct fathom_err *err)
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
 * perf reports task names from the moment its events are opened; /proc has those of tasks that ran
 * before.
 */
static int switch_samples(struct record_run *run)
{
	int r = recorder_name_tasks(run->recorder);

	if (r == 0)
		r = samples_switch(run->samples, true);
	return r;
}

static int record_run_switch_on(struct record_run *run, char **argv, struct fathom_err *err)
{
	int r;

	if (run->has_command)
		return go_command(run, argv, err);
	r = run->samples ? switch_samples(run) : 0;
	if (r < 0)
		return err_set_errno(err, r, "cannot enable sampling");
	for (size_t i = 0; r == 0 && i < run->plan->n; i++)
		if (write(run->switches[i], "1", 1) < 0)
			r = err_set_errno(err, negative_errno(), "cannot enable tracing");
	return r;
}

static void begin_overhead(struct record_run *run)
{
	if (!(run->overhead.scale > 0))
		return;
	record_run_helpers(run, run->overhead.pids);
	recorder_count(run->recorder, &run->totals);
	record_overhead_begin(&run->overhead, &run->totals);
}

static int record_run_go(struct record_run *run, char **argv, struct fathom_err *err)
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
	run->used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	/* If we are killed while the command starts, the file contains its activity so far. */
	if (run->has_command && !run->args->file)
		r = new_file_name(&run->file, err);
	if (r == 0)
		r = record_run_switch_on(run, argv, err);
	/* Only now does it replace an older recording. */
	if (r == 0 && !run->args->file)
		r = new_file_commit(&run->file, err);
	run->committed = r == 0;
	return r;
}

/* A trigger of --until has disabled tracing. */
static bool was_switched_off(const struct record_run *run)
{
	char line[8];

	return run->args->plan.until &&
	       file_read_line(run->plan->buffers[0].place->fd, "tracing_on", line, sizeof(line)) >
		       0 &&
	       line[0] == '0';
}

/* Reads pending signals; returns whether one of them ends the recording. */
static bool record_run_read_signals(struct record_run *run)
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

/* For processes that have exited, the last known value is kept. */
static void read_maps(struct record_run *run)
{
	for (size_t i = 0; i < run->n_maps; i++)
		proc_maps_read("", run->plan->pids[i], &run->maps[i]);
}

/* Data from sources other than the kernel's ring buffers. */
static int record_run_take_own(struct record_run *run, bool all)
{
	int r = run->samples ? samples_take(run->samples, all) : 0;

	if (r == 0 && run->watch)
		r = record_watch_take(run->watch, all);
	return r == 0 && run->returns ? record_returns_take(run->returns, all) : r;
}

/* Called about once a second; returns whether to stop. */
static bool tick_ends(struct record_run *run, uint64_t now)
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
static void record_run_record(struct record_run *run)
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

static void record_run_done(struct record_run *run)
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
	/* A file that is committed but unfinished stays listed. */
	if (run->committed)
		recording_note_done(&run->note);
	else
		recording_note_remove(&run->note);
	/* The next command starts with the same dispositions as this one. */
	if (run->signals.fd >= 0)
		sigaction(SIGXFSZ, &run->too_large, NULL);
	plan_signals_done(&run->signals);
}

int record_run(const struct action *action, struct record_args *args, int argc, char **argv)
{
	_cleanup_(record_run_done) struct record_run run = { .action = action,
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
		return record_run_fail_to_finish(&run, &err);
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
