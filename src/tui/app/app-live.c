/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows a file while it is recorded. What a view shows is always a snapshot: the file is opened
 * again and again through one descriptor, each time as far as it has been written, and views are
 * loaded again from that. Invisible views keep the snapshot that they were loaded from, so there
 * are at most as many snapshots as views. At the end of a recording, the recorder moves data within
 * the file: nothing is read until that is done, and everything afterwards.
 */
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "read/trace.h"
#include "render/kit/amount.h"
#include "render/kit/duration.h"
#include "tui/app/app.h"

/* How often to look at the file. */
#define LOOK_NS 500000000
/* The same while the recorder moves data. */
#define SOON_NS 100000000
/*
 * Limits the share of time spent on reading: the next look comes after this many times the duration
 * of the last one, but not later than REST_MAX.
 */
#define REST	 3
#define REST_MAX 10000000000
/* How long to wait for a complete picture before showing an incomplete one. */
#define STAYS_NS 1000000000
/* Timestamps of files are coarse: a recent one may hide another change. */
#define YOUNG_NS 2000000000

void app_live_begin(struct app *app, int fd)
{
	struct app_live *live = &app->live;

	live->fd = fd;
	live->on = app->tui.trace->file.state.stage != TRACE_FINISHED;
	app->tui.follows = live->on;
	if (live->on)
		app_follow(app);
	else
		tui_say(&app->tui, false, "this recording is complete");
}

void app_live_done(struct app *app)
{
	struct app_live *live = &app->live;

	for (unsigned i = 0; i < live->n_old; i++)
		fathom_trace_free(live->old[i]);
	fathom_trace_free(live->trace);
	report_free(live->report);
}

void app_live_hold(struct app *app)
{
	app->live.settles = false;
	app->tui.follows = false;
}

void app_live_toggle(struct app *app)
{
	struct app_live *live = &app->live;

	if (!live->on) {
		tui_say(&app->tui, true, "this file is not being recorded");
		return;
	}
	app->tui.follows = !app->tui.follows;
	live->bytes = live->look_at = 0;
}

static bool app_live_is_used(const struct app *app, const struct fathom_trace *trace)
{
	for (unsigned i = 0; i < app_n_tabs; i++)
		if (app->views[i]->trace == trace)
			return true;
	return false;
}

/* Releases snapshots that no view uses. A view that failed to load may use any of them. */
static void app_live_collect(struct app *app)
{
	struct app_live *live = &app->live;
	unsigned n = 0;

	for (unsigned i = 0; i < live->n_old; i++)
		if (live->stuck || app_live_is_used(app, live->old[i]))
			live->old[n++] = live->old[i];
		else
			fathom_trace_free(live->old[i]);
	live->n_old = n;
}

static uint64_t count_bytes(const struct fathom_trace *trace)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < trace->n_streams; i++)
		bytes += trace->streams[i].cpu->size;
	return bytes;
}

/* Takes ownership of @trace and shows it from now on. */
static void app_live_show(struct app *app, struct fathom_trace *trace, struct report *report,
			  uint64_t now)
{
	struct app_live *live = &app->live;
	struct fathom_err err = { 0 };

	/* There is space: each view has at most one old snapshot, and this one has none. */
	if (live->trace)
		live->old[live->n_old++] = live->trace;
	live->trace = trace;
	live->begun = now;
	live->settles = true;
	if (app_use_trace(app, trace, report, &err) < 0) {
		live->stuck = true;
		tui_say(&app->tui, true, "%.200s", err.message);
	}
	app_live_collect(app);
}

/* The recording is complete. Its last part has names of tasks and other things. */
static void app_live_end(struct app *app, uint64_t now)
{
	static const struct report_options plain;
	struct app_live *live = &app->live;
	struct fathom_trace *trace;
	struct fathom_err err = { 0 };

	if (trace_open_kept_fd(live->fd, 0, &trace, &err) < 0 ||
	    (!live->report && report_new(trace, &plain, NULL, &live->report, &err) < 0)) {
		tui_say(&app->tui, true, "%.200s", err.message);
		live->on = false;
		return;
	}
	app_live_show(app, trace, live->report, now);
	live->on = live->moves = app->tui.follows = false;
	tui_say(&app->tui, false, "the recording has ended");
}

/* Returns whether the recorder has died: it would hold the lock. */
static bool is_left(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return false;
	flock(fd, LOCK_UN);
	return true;
}

static void look_for_recorder(struct app *app)
{
	struct app_live *live = &app->live;

	/* Check twice, because it may just have finished. */
	if (!is_left(live->fd)) {
		live->n_left = 0;
	} else if (++live->n_left > 1) {
		live->on = app->tui.follows = false;
		tui_say(&app->tui, true, "the recorder was killed: use 'fathom recover %.100s'",
			app->tui.path);
	}
}

/* Returns whether the file has changed since the last look. */
static bool has_changed(struct app_live *live)
{
	struct timespec now = { 0 };
	struct stat st;
	bool same;

	if (fstat(live->fd, &st) < 0)
		return false;
	clock_gettime(CLOCK_REALTIME, &now);
	same = live->bytes && live->size == st.st_size &&
	       live->changed.tv_sec == st.st_mtim.tv_sec &&
	       live->changed.tv_nsec == st.st_mtim.tv_nsec;
	live->size = st.st_size;
	live->changed = st.st_mtim;
	return !same || (now.tv_sec - st.st_mtim.tv_sec) * 1000000000LL < YOUNG_NS;
}

static void app_live_update(struct app *app, uint64_t now)
{
	struct app_live *live = &app->live;
	struct fathom_trace *trace;
	uint64_t bytes;

	if (!has_changed(live) && !live->moves) {
		look_for_recorder(app);
		return;
	}
	/* While its header is rewritten, the file cannot be read; try again next time. */
	if (trace_open_kept_fd(live->fd, FATHOM_OPEN_NO_MAP, &trace, NULL) < 0)
		return;
	live->moves = trace->file.state.stage == TRACE_PACKING;
	bytes = count_bytes(trace);
	if (trace->file.state.stage == TRACE_FINISHED) {
		fathom_trace_free(trace);
		app_live_end(app, now);
	} else if (live->moves || !app->tui.follows || bytes == live->bytes || live->stuck) {
		fathom_trace_free(trace);
		look_for_recorder(app);
	} else {
		live->bytes = bytes;
		app_live_show(app, trace, app->tui.report, now);
	}
}

void app_live_look(struct app *app, uint64_t now)
{
	struct app_live *live = &app->live;

	/* Let the view finish reading first, unless the data has moved. */
	if (live->settles && !app->works) {
		uint64_t rest = REST * (now - live->begun);

		live->settles = false;
		rest = now + (rest < REST_MAX ? rest : REST_MAX);
		live->look_at = live->look_at > rest ? live->look_at : rest;
	}
	if (!live->on || now < live->look_at || (app->works && app->tui.follows && !live->moves))
		return;
	live->look_at = now + LOOK_NS;
	app_live_update(app, now);
	if (live->moves)
		live->look_at = now + SOON_NS;
}

int app_live_wait(const struct app *app, uint64_t now)
{
	if (!app->live.on)
		return -1;
	return now < app->live.look_at ? (int)((app->live.look_at - now) / 1000000 + 1) : 0;
}

bool app_live_keeps_picture(const struct app *app)
{
	const struct app_live *live = &app->live;

	if (live->moves)
		return true;
	return live->settles && app->works && clock_ns(CLOCK_MONOTONIC) - live->begun < STAYS_NS;
}

void app_live_put(const struct app *app, struct strbuf *buf)
{
	const struct tui *tui = &app->tui;
	char span[DURATION_SIZE], amount[AMOUNT_SIZE];

	if (!app->live.on)
		return;
	strbuf_adds(buf, "live");
	if (!tui->raw_times)
		strbuf_addf(buf, " %s", duration_text(tui->last_time - tui->first_time, span));
	strbuf_addf(buf, " %s, %s   ", amount_text(count_bytes(tui->trace), amount),
		    app->live.moves ? "being completed" :
		    tui->follows    ? "following (F pauses)" :
				      "paused (F resumes)");
}
