/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/input/reading-parts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/quote.h"
#include "read/cursor.h"
#include "read/trace.h"
#include "render/kit/table.h"
#include "render/report/report.h"

/* The clock is read once for as many bytes, which are several thousand events. */
#define CHECK_BYTES (UINT64_C(128) << 10)

/* The index of SIGTERM. */
#define CAUGHT_TERM 1

static const int caught[] = { SIGINT, [CAUGHT_TERM] = SIGTERM };

/* Used by the signal handler, which has no argument. */
static volatile sig_atomic_t reading_signal;

/* The reading that recordings become part of. */
static struct reading *reading;

static void reading_catch(int sig)
{
	if (reading_signal) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	reading_signal = sig;
}

static void reading_take_signals(struct reading *begun)
{
	struct sigaction action = { .sa_handler = reading_catch, .sa_flags = SA_RESTART };

	reading_signal = 0;
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++) {
		sigaction(caught[i], NULL, &begun->before[i]);
		/* In the background of a shell without job control, they are ignored. */
		if (begun->before[i].sa_handler != SIG_IGN)
			sigaction(caught[i], &action, NULL);
	}
	begun->takes_signals = true;
}

static void reading_give_signal(struct reading *begun, size_t i)
{
	if (begun->takes_signals)
		sigaction(caught[i], &begun->before[i], NULL);
}

static void reading_give_signals(struct reading *begun)
{
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++)
		reading_give_signal(begun, i);
	begun->takes_signals = false;
}

void reading_begin(const struct action *action, unsigned flags)
{
	_Static_assert(ARRAY_SIZE(caught) == READING_SIGNALS, "an action for each of them");

	reading_end();
	reading = mem_zalloc(1, sizeof(*reading));
	if (!reading)
		return;
	progress_init(&reading->line, action->messages);
	if (flags & READING_QUIET)
		reading->line.interval = 0;
	reading->last_shown = reading->line.now();
	reading->interrupted = &reading_signal;
	if (!(flags & READING_WHOLE))
		reading_take_signals(reading);
}

void reading_prints(const struct out *out)
{
	struct stat st;

	if (!reading)
		return;
	if (out->terminal) {
		reading->line.interval = 0;
	} else if (fstat(out->fd, &st) < 0 || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
		reading->line.interval = 0;
		reading_give_signals(reading);
	}
	/* The pager has its own use for Ctrl-C. */
	if (out->pager)
		reading_give_signal(reading, CAUGHT_TERM);
}

/* Finds the times between which the events are. */
static void reading_measure(struct reading_file *file)
{
	_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor = NULL;
	struct fathom_event event;

	file->is_measured = true;
	if (fathom_cursor_new(file->trace, file->window, &cursor, NULL) < 0)
		return;
	cursor_unwatch(cursor);
	if (fathom_cursor_next(cursor, &event) <= 0)
		return;
	file->first = event.time;
	if (fathom_cursor_last(cursor, 1, NULL) == 0 && fathom_cursor_next(cursor, &event) > 0)
		file->last = event.time;
}

/* Which part of it was read up to @time, in percent; events at the end are not in doubt until all are read. */
static unsigned reading_percent(const struct reading_file *file, uint64_t time)
{
	if (time <= file->first || file->last <= file->first)
		return 0;
	if (time >= file->last)
		return 100;
	return (unsigned)(100.0 * (double)(time - file->first) /
			  (double)(file->last - file->first));
}

static void reading_show(struct reading_file *file, uint64_t time)
{
	struct reading *of = file->of;
	uint64_t now = of->line.now();
	double seconds = (double)(now - of->last_shown) / 1e9;

	if (!file->is_measured)
		reading_measure(file);
	progress_update(&of->line, "reading: %u %%, %.0f MB/s, '%s'", reading_percent(file, time),
			seconds > 0 ? (double)of->bytes / 1e6 / seconds : 0, file->path);
	of->last_shown = now;
	of->bytes = 0;
}

bool reading_page(void *data, uint64_t time, uint32_t bytes)
{
	struct reading_file *file = data;
	struct reading *of = file->of;

	of->bytes += bytes;
	of->unchecked += bytes;
	if (of->unchecked >= CHECK_BYTES) {
		of->unchecked = 0;
		if (progress_due(&of->line))
			reading_show(file, time);
	}
	if (!*of->interrupted)
		return false;
	/* While the rest of the file can still be read. */
	if (!file->is_measured)
		reading_measure(file);
	of->is_cut = true;
	return true;
}

void reading_loads(const char *name)
{
	if (reading && progress_due(&reading->line))
		progress_update(&reading->line, "loading symbols: '%s'", name);
}

int reading_watch(struct fathom_trace *trace, const char *path)
{
	struct reading_file *file;

	if (!reading)
		return 0;
	file = mem_zalloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	*file = (struct reading_file){
		.next = reading->files, .of = reading, .trace = trace, .path = path
	};
	reading->files = file;
	trace->watch = (struct trace_watch){ .page = reading_page, .data = file };
	return 0;
}

static struct reading_file *reading_find(const struct fathom_trace *trace)
{
	struct reading_file *file = reading ? reading->files : NULL;

	while (file && file->trace != trace)
		file = file->next;
	return file;
}

void reading_limit(struct fathom_trace *trace, const struct fathom_window *window)
{
	struct reading_file *file = reading_find(trace);

	if (file)
		file->window = window;
}

void reading_finish(void)
{
	if (!reading)
		return;
	progress_finish(&reading->line);
	reading->line.interval = 0;
	reading_give_signals(reading);
}

int reading_report(const struct action *action, const struct fathom_trace *trace, bool quiet)
{
	const struct reading_file *file = reading_find(trace);
	char time[TIME_TEXT_SIZE];

	if (!file || !trace->is_cut)
		return EXIT_OK;
	if (!quiet)
		quote_printf(action->messages,
			     "fathom %s: interrupted: the result covers %u %% of '%s', up to %s\n",
			     action->name, reading_percent(file, trace->cut), file->path,
			     time_text(trace->cut, !report_clock_in_nanoseconds(trace, 0), false,
				       time));
	return EXIT_SIGNAL + *reading->interrupted;
}

int reading_failed(const struct action *action, struct fathom_err *err)
{
	int code;

	reading_finish();
	if (!reading || !reading->is_cut)
		return action_failed(action, err);
	code = EXIT_SIGNAL + *reading->interrupted;
	err_prefix(err, "interrupted before the end of the recording");
	action_failed(action, err);
	return code;
}

void reading_end(void)
{
	if (!reading)
		return;
	reading_finish();
	while (reading->files) {
		struct reading_file *file = reading->files;

		reading->files = file->next;
		free(file);
	}
	free(TAKE_PTR(reading));
}
