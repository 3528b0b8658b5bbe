/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a recording after tracing has ended: the file, the kernel's settings, the messages.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "actions/plan/left-sessions.h"
#include "actions/record/record-empty.h"
#include "actions/record/record-overhead.h"
#include "actions/record/record-price.h"
#include "actions/record/record-returns.h"
#include "actions/record/record-run-parts.h"
#include "actions/record/record-samples.h"
#include "actions/record/record-text.h"
#include "actions/record/record-watch.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/strbuf.h"
#include "format/file/trace-file.h"
#include "read/context/followed.h"
#include "record/command/child.h"
#include "record/file/left-recordings.h"
#include "record/recorder.h"
#include "record/unwind/map-log.h"
#include "write/trace-dat.h"

#define TICK_MS 100

void record_run_switch_off(struct record_run *run)
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
	run->used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - run->used_ns;
}

/* With --keep-last, overwritten events are not lost. */
static void count_kept(struct record_run *run)
{
	if (!run->args->keep_last)
		return;
	run->overwritten = run->totals.lost;
	run->totals.lost = 0;
}

static bool was_lossy(const struct record_run *run)
{
	return run->totals.lost || (run->samples && samples_count(run->samples).lost) ||
	       (run->watch && record_watch_lost(run->watch)) ||
	       (run->returns && record_returns_lost(run->returns));
}

/* The command's exit status, which may not follow from the events: the sender of a signal may not be recorded. */
static void note_status(const struct record_run *run, struct strbuf *info)
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

static void note_end(const struct record_run *run, struct strbuf *info)
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
		quote_addf(info, "%s%d", i ? " " : FOLLOWED_RECORDER ": ", (int)run->untraced[i]);
	if (run->n_untraced)
		strbuf_addc(info, '\n');
	if (run->hides & PLAN_HIDES_EVENTS)
		quote_addf(info, FOLLOWED_OWN_CPU ": %.6f seconds\n", (double)run->used_ns / 1e9);
	else if (run->hides)
		quote_addf(info, FOLLOWED_OWN_CALLS ": %.6f seconds\n", (double)run->used_ns / 1e9);
	record_overhead_note(&run->overhead, info);
	record_price_note(&run->price, run->plan, info);
	quote_addf(info, "complete: %s\n",
		   run->failure.code ? "no" : (was_lossy(run) ? "no, events were lost" : "yes"));
}

int record_run_finish(struct record_run *run, struct trace_out_result *ret_result,
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

int record_run_put_back(struct record_run *run, struct fathom_err *err)
{
	struct session *session = TAKE_PTR(run->session);

	if (run->args->keep)
		return session_keep(session, err);
	return put_session_back(run->action, session, err);
}

static void record_run_wait_for_command(struct record_run *run)
{
	if (!run->has_command || child_ended(&run->child))
		return;
	if (!run->args->quiet)
		quote_printf(run->action->messages,
			     "fathom %s: recording finished; waiting for the command to exit\n",
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

int record_run_fail(struct record_run *run, const struct fathom_err *err)
{
	action_failed(run->action, err);
	/* An older recording must not be mistaken for this one. */
	if (!run->committed && !run->file.named && !run->args->file &&
	    access(run->output, F_OK) == 0)
		quote_printf(run->action->messages, "  nothing was recorded; '%s' is unchanged\n",
			     run->output);
	return EXIT_NOT_RUN;
}

/* 127 or 126 if the command was not found or cannot be executed, as for env(1). */
int record_run_fail_to_go(struct record_run *run, const struct fathom_err *err)
{
	int code = run->has_command && !run->child.pid ? child_exit_code(&run->child) :
							 EXIT_NOT_RUN;

	record_run_fail(run, err);
	return code;
}

/* Rewrites the recording in another version, or compressed. */
int record_run_convert(struct record_run *run, struct fathom_err *err)
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

/* The file is valid anyway. */
int record_run_fail_to_finish(struct record_run *run, const struct fathom_err *err)
{
	struct fathom_err later = { 0 };

	if (record_run_put_back(run, &later) < 0)
		action_failed(run->action, &later);
	if (err->code == -ENOSPC)
		quote_printf(
			run->action->messages,
			"fathom record: disk full: recording ended early; '%s' is unfinished but can be "
			"read; 'fathom recover' finishes it once there is space\n",
			run->output);
	else
		action_failed(run->action, err);
	record_run_wait_for_command(run);
	return EXIT_NOT_RUN;
}

/* For watched memory, no hit is a result. */
static bool record_run_is_empty(const struct record_run *run)
{
	return !run->totals.events && !run->totals.lost && !run->watch &&
	       (!run->samples || !samples_count(run->samples).samples);
}

int record_run_conclude(struct record_run *run, const struct trace_out_result *result)
{
	int code = EXIT_OK;

	run->args->is_made = !run->failure.code;
	record_overhead_report(&run->overhead, run->action);
	run->text.has_own = run->samples || run->watch;
	run->text.has_samples = run->samples && run->args->sample_hz;
	record_text_summary(&run->text, run->output, &run->totals, result,
			    run->stopped - run->started);
	run->args->is_empty = record_run_is_empty(run);
	if (run->args->is_empty && !run->args->quiet)
		record_empty_report(&run->args->plan, run->has_command, run->action->messages);
	if (run->args->last_ns && run->kept_ns < run->args->last_ns &&
	    run->kept_ns < run->stopped - run->started && !run->args->quiet)
		quote_printf(
			run->action->messages,
			"  the buffers held only the last %.3f s; use -b with more than %lu KB\n",
			(double)run->kept_ns / 1e9, run->plan->buffers[0].size_kb);
	if (run->args->ret_missed)
		*run->args->ret_missed = run->missed;
	else if (run->missed)
		quote_printf(run->action->messages,
			     "fathom record: probes missed %" PRIu64
			     " hits, which are not in the recording\n",
			     run->missed);
	if (run->samples)
		record_samples_report(run->samples, run->args, run->action);
	if (run->watch)
		record_watch_report(run->watch, run->action, run->args->quiet);
	record_text_next(&run->text, run->output, &run->totals);
	record_run_wait_for_command(run);
	if (run->has_command)
		code = child_exit_code(&run->child);
	if (run->failure.code) {
		if (run->failure.code == -ENOSPC)
			quote_printf(
				run->action->messages,
				"fathom record: disk full: recording ended early; '%s' has what "
				"was written\n",
				run->output);
		else
			action_failed(run->action, &run->failure);
		return EXIT_NOT_RUN;
	}
	if (run->is_left || (run->args->strict && was_lossy(run)))
		return EXIT_NOT_RUN;
	return code;
}
