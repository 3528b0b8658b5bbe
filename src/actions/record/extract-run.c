/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/extract-run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "actions/plan/left-sessions.h"
#include "actions/plan/plan-run.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "read/context/followed.h"
#include "record/file/left-recordings.h"
#include "record/file/metadata.h"
#include "record/file/recover.h"
#include "record/recorder.h"
#include "record/session/session-env.h"

struct extract {
	const struct action *action;
	const struct extract_args *args;
	const char *output;
	struct session_use use;
	bool *was_on; /* per buffer */
	struct new_file file;
	struct recording_note note; /* the path of the file, in case we are killed */
	bool committed; /* the file has got its name */
	struct recorder *recorder;
	struct recorder_totals totals;
};

static void extract_done(struct extract *extract)
{
	recorder_free(extract->recorder);
	session_use_done(&extract->use);
	free(extract->was_on);
	new_file_done(&extract->file);
	/* A file that is committed but unfinished stays listed. */
	if (extract->committed)
		recording_note_done(&extract->note);
	else
		recording_note_remove(&extract->note);
}

static bool extract_run_is_on(int place, const char *file)
{
	char line[8];

	return file_read_line(place, file, line, sizeof(line)) > 0 && line[0] == '1';
}

/* Reading a buffer that fills as fast would not end; a snapshot does not change. */
static int extract_run_stop(struct extract *extract, struct fathom_err *err)
{
	struct session_use *use = &extract->use;
	int r = 0;

	extract->was_on = mem_zalloc(use->n, sizeof(bool));
	if (!extract->was_on)
		return err_nomem(err);
	for (size_t i = 0; i < use->n && r == 0 && !extract->args->snapshot; i++) {
		extract->was_on[i] = extract_run_is_on(use->places[i]->fd, "tracing_on");
		r = session_set(use->session, use->places[i], "tracing_on", "0", err);
	}
	return r;
}

/* Resumes tracing where it was enabled. */
static int extract_run_resume(struct extract *extract, struct fathom_err *err)
{
	struct session_use *use = &extract->use;
	int r = 0;

	for (size_t i = 0; extract->was_on && i < use->n && r == 0; i++)
		if (extract->was_on[i])
			r = session_set(use->session, use->places[i], "tracing_on", "1", err);
	return r;
}

/* The tasks and CPUs that the events are limited to now; tasks that exited may be missing. */
static void describe_limits(int place, struct strbuf *info)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	bool children = extract_run_is_on(place, "options/event-fork");
	char *rest, mask[2048];

	if (file_read(place, "set_event_pid", &text) < 0)
		return;
	rest = text.s;
	for (char *line, *before = NULL; rest && (line = str_next_line(&rest)); before = line)
		quote_addf(info, "%s%s", before ? " " : FOLLOWED_PIDS ": ", line);
	if (text.len)
		strbuf_addc(info, '\n');
	if (file_read_line(place, "tracing_cpumask", mask, sizeof(mask)) > 0)
		quote_addf(info, FOLLOWED_CPUS ": %s\n", mask);
	if (children)
		quote_adds(info, FOLLOWED_CHILDREN ": yes\n");
}

static void extract_run_describe(const struct extract *extract, struct strbuf *info)
{
	time_t now = time(NULL);
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm);
	quote_addf(info, "session: %s\nsetup: %s\nextracted: %s\n", extract->use.detached.id,
		   extract->use.detached.command, text);
	if (extract->use.n)
		describe_limits(extract->use.places[0]->fd, info);
}

static unsigned metadata_wanted(const struct session_use *use)
{
	unsigned flags = METADATA_SYMBOLS;

	for (size_t i = 0; i < use->n; i++)
		if (extract_run_is_on(use->places[i]->fd, "options/func-args") ||
		    extract_run_is_on(use->places[i]->fd, "options/funcgraph-args"))
			flags |= METADATA_TYPES;
	return flags;
}

static int extract_run_make_recorder(struct extract *extract, struct fathom_err *err)
{
	const struct session_use *use = &extract->use;
	_cleanup_strbuf_ struct strbuf info = { 0 };
	_cleanup_free_ struct recorder_buffer *buffers = mem_zalloc(use->n, sizeof(*buffers));
	struct recorder_spec spec = { .root = "",
				      .env = session_env(use->session),
				      .tracefs = session_env(use->session)->tracefs.fd,
				      .buffers = buffers,
				      .n_buffers = use->n,
				      .metadata = metadata_wanted(use),
				      .pump = { .snapshot = extract->args->snapshot },
				      .keep_rings = true };
	int r;

	if (!buffers)
		return err_nomem(err);
	for (size_t i = 0; i < use->n; i++)
		buffers[i] = (struct recorder_buffer){ use->buffers[i]->name, use->places[i]->fd };
	extract_run_describe(extract, &info);
	spec.info = strbuf_str(&info);
	r = recording_create(extract->output, extract->args->mode, &extract->file, err);
	if (r < 0)
		return r;
	recording_note_write(session_env(use->session)->journals, use->detached.id, &extract->file,
			     &extract->note);
	spec.fd = extract->file.fd;
	r = recorder_new(&spec, &extract->recorder, err);
	if (r == 0)
		r = new_file_commit(&extract->file, err);
	extract->committed = r == 0;
	return r;
}

static int extract_run_write_file(struct extract *extract, struct trace_out_result *ret_result,
				  struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf info = { 0 };
	struct fathom_err failure = { 0 };
	int r, failed = recorder_stop(extract->recorder, &extract->totals, &failure);

	if (extract->args->date)
		recorder_add_date(extract->recorder);
	quote_addf(&info, "events: %" PRIu64 "\nlost: %" PRIu64 "\ncomplete: %s\n",
		   extract->totals.events, extract->totals.lost,
		   failed < 0		? "no" :
		   extract->totals.lost ? "no, events were lost" :
					  "yes");
	r = recorder_finish(extract->recorder, strbuf_str(&info), NULL, 0, ret_result, err);
	if (r == 0)
		recording_note_remove(&extract->note);
	if (failed == -ENOSPC)
		return err_set(err, failed,
			       "disk full: '%s' has a part of the events, the rest is still in the "
			       "buffers",
			       extract->output);
	return failed < 0 ? err_set(err, failed, "%s", fathom_err_text(&failure)) : r;
}

static int end_session(struct extract *extract, struct fathom_err *err)
{
	if (extract->args->keep)
		return extract_run_resume(extract, err);
	return put_session_back(extract->action, TAKE_PTR(extract->use.session), err);
}

/* Otherwise the events still in the buffers would be overwritten. */
static void warn_stopped(const struct extract *extract)
{
	bool stopped = false;

	for (size_t i = 0; i < extract->use.n; i++)
		stopped |= extract->was_on[i];
	if (stopped)
		quote_printf(extract->action->messages,
			     "fathom extract: tracing is paused to preserve the buffers; 'fathom "
			     "restart' resumes it\n");
}

static void extract_run_report(const struct extract *extract, const struct trace_out_result *result)
{
	const struct recorder_totals *totals = &extract->totals;

	if (extract->args->quiet)
		return;
	if (extract->args->snapshot)
		quote_printf(extract->action->messages,
			     "fathom extract: wrote the snapshot, %.1f MB, to '%s'\n",
			     (double)result->size / 1e6, extract->output);
	else
		quote_printf(extract->action->messages,
			     "fathom extract: wrote %" PRIu64 " events, %.1f MB, to '%s'\n",
			     totals->events, (double)result->size / 1e6, extract->output);
	if (totals->lost)
		quote_printf(
			extract->action->messages,
			"  lost %" PRIu64
			" events: buffer overrun, the %s; use a larger -b with 'fathom start'\n",
			totals->lost,
			extract_run_is_on(extract->use.places[0]->fd, "options/overwrite") ?
				"oldest were overwritten" :
				"newest were dropped");
}

static void extract_run_next(const struct extract *extract)
{
	if (extract->args->quiet)
		return;
	if (str_eq(extract->output, "trace.dat"))
		quote_printf(extract->action->messages, "  next: 'fathom report'\n");
	else
		quote_printf(extract->action->messages, "  next: 'fathom report %s'\n",
			     extract->output);
}

/* From pausing the session to its end, or until it resumes. */
static int extract_run_work(struct extract *extract, struct fathom_err *err)
{
	struct trace_out_result result;
	int r = extract_run_stop(extract, err);

	if (r == 0)
		r = plan_run_symbols(extract->use.session, err);
	if (r == 0)
		r = extract_run_make_recorder(extract, err);
	if (r < 0) {
		/* Nothing was taken from the buffers. */
		extract_run_resume(extract, NULL);
		return r;
	}
	r = extract_run_write_file(extract, &result, err);
	if (r < 0) {
		warn_stopped(extract);
		return r;
	}
	extract_run_report(extract, &result);
	/* An open file prevents the removal of the instance. */
	recorder_free(TAKE_PTR(extract->recorder));
	r = end_session(extract, err);
	if (r == 0 && !extract->args->keep && !extract->args->quiet)
		quote_printf(extract->action->messages,
			     "  the session has ended and its settings are restored\n");
	extract_run_next(extract);
	return r;
}

int extract_run(const struct action *action, const struct extract_args *args)
{
	_cleanup_(extract_done) struct extract extract = { .action = action,
							   .args = args,
							   .output = args->output ?: "trace.dat",
							   .file = NEW_FILE_NONE,
							   .note = RECORDING_NOTE_NONE };
	struct fathom_err err = { 0 };
	sigset_t ends, before;
	int r;

	signal(SIGXFSZ, SIG_IGN);
	/* A signal between pausing and resuming would leave the session paused. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigaddset(&ends, SIGQUIT);
	sigprocmask(SIG_BLOCK, &ends, &before);
	r = session_use_open(&args->session, &extract.use, &err);
	if (r == 0)
		r = extract_run_work(&extract, &err);
	if (r < 0)
		r = action_failed(action, &err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}
