/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The viewer without its terminal: takes keys, draws into cells. It owns the views, the scope of
 * all views, and the line for typing at the bottom. Runs in one thread; long work is done in slices
 * by app_work(), so that keys are always answered at once. It opens no files: it may be in the
 * sandbox, and asks the helper.
 */
#ifndef FATHOM_TUI_APP_APP_H
#define FATHOM_TUI_APP_APP_H

#include <sys/types.h>
#include <time.h>

#include "tui/lines.h"
#include "tui/scope.h"
#include "tui/view.h"

#define APP_VIEWS_MAX 9
#define APP_MARKS     26

enum app_prompt {
	PROMPT_NONE,
	PROMPT_SEARCH,
	PROMPT_SEARCH_UP,
	PROMPT_FILTER,
	PROMPT_COMMAND,
	PROMPT_MARK, /* the next key is a letter */
	PROMPT_TO_MARK,
};

struct app_mark {
	uint64_t time; /* in ns; 0: not set */
	uint32_t view; /* the one in which it was set; the key of its tab */
	char note[128];
};

/* For app-live.c: a file that is being recorded. Zero if the trace is complete. */
struct app_live {
	bool on; /* the recording continues */
	int fd;
	bool moves; /* the recorder moves data: nothing can be read */
	bool settles; /* the view reads new data: the old picture remains until it has */
	bool stuck; /* a view failed to load, so no snapshot can be released */
	unsigned n_left; /* how often no recorder was found */
	uint64_t look_at; /* when to look again, by CLOCK_MONOTONIC */
	uint64_t begun; /* when the view started to read new data */
	uint64_t bytes; /* size at the last look; 0: read in any case */
	off_t size;
	struct timespec changed;
	struct fathom_trace *trace; /* the current snapshot, owned; NULL: the first trace */
	struct fathom_trace *old[APP_VIEWS_MAX + 2]; /* owned; used by views, and the latest */
	unsigned n_old;
	struct report *report; /* owned; NULL: the first report is used until the end */
};

struct app {
	struct tui tui;
	struct tui_view *views[APP_VIEWS_MAX]; /* owned; in the order of app_tabs[] */
	unsigned current, before; /* the visible view, and the previous one */
	struct scopes scopes;
	enum app_prompt prompt;
	char typed[256];
	size_t n_typed;
	char searched[128];
	bool searched_up;
	bool search_next; /* repeat the search when the current work is done */
	struct app_mark marks[APP_MARKS];
	unsigned last_mark; /* the one that a note is for */
	bool help;
	struct lines help_lines; /* has no selection */
	bool works; /* there is work to do */
	bool quit;
	bool marked; /* marks have changed since the state was saved */
	bool exports; /* the helper is exporting */
	bool copies; /* the caller should copy the selected line: app_copy() */
	struct app_live live;
	struct cells_area area; /* of the view, when it was last drawn */
	unsigned rows, cols; /* of the screen, at that time */
	struct strbuf line; /* scratch, for drawing */
};

/*
 * @trace, @report and @path are not copied and must outlive @app. Returns 0 or a negative errno, in
 * which case there is nothing to release.
 */
int app_init(struct app *app, struct fathom_trace *trace, struct report *report, const char *path,
	     struct fathom_err *err);
void app_done(struct app *app);
/*
 * Adds a second file to compare with, which must also outlive @app. Returns 0 or a negative errno.
 */
int app_compare(struct app *app, struct fathom_trace *trace, struct report *report,
		const char *path, struct fathom_err *err);

void app_key(struct app *app, uint32_t key);
/* Works until @until (CLOCK_MONOTONIC, in ns). Returns whether there is more to do. */
bool app_work(struct app *app, uint64_t until);
/* Draws everything. The cells must have the size of the screen. */
void app_draw(struct app *app, struct cells *cells);

enum app_mouse {
	APP_CLICK,
	APP_WHEEL_UP,
	APP_WHEEL_DOWN,
};

/*
 * Handles the mouse; a click on the selected line is like Enter. In app-mouse.c, as is the next
 * one.
 */
void app_mouse(struct app *app, enum app_mouse what, unsigned row, unsigned col);
/*
 * Renders the selected line as on a wide screen with this many rows. Returns 0, -ENOENT if nothing
 * is selected, or -ENOMEM.
 */
int app_copy(struct app *app, unsigned rows, struct strbuf *ret_text);

/* Call when tui.edit is set: starts the editor, which owns the terminal until this returns. */
void app_edit(struct app *app);

/*
 * Append the state to be saved until the trace is viewed again, and restore it. Invalid lines are
 * skipped. In app-state.c, as is the next one.
 */
void app_state_put(const struct app *app, struct strbuf *buf);
void app_state_take(struct app *app, const char *text);
/* Goes to a mark; with @with_view, turns to the view in which it was set. */
void app_go_to_mark(struct app *app, uint32_t letter, bool with_view);

/*
 * Follows the trace as it grows. It must have been opened from @fd without a memory map; @fd
 * remains the caller's, and must stay open until app_done(). app_live_look() shows new data;
 * app_live_wait() returns in how many ms to call it, or -1 for never. In app-live.c.
 */
void app_live_begin(struct app *app, int fd);
void app_live_look(struct app *app, uint64_t now);
int app_live_wait(const struct app *app, uint64_t now);

/* The rest is private to app-*.c. */

/* Stop following until app_live_toggle(), which toggles that. */
void app_live_hold(struct app *app);
void app_live_toggle(struct app *app);
/* Returns whether to keep the picture on the screen, because the view has nothing better. */
bool app_live_keeps_picture(const struct app *app);
/* Appends "live 12.3 s 4.5 MB, following: F holds   "; nothing if the trace is complete. */
void app_live_put(const struct app *app, struct strbuf *buf);
void app_live_done(struct app *app);

/* Returns the current view. In app-view.c, as are the following. */
struct tui_view *app_view(struct app *app);
/* Turns to view @number of app_tabs[]. */
void app_turn_to(struct app *app, unsigned number);
/* Turns to the view with this key, if there is one. */
void app_turn_to_key(struct app *app, uint32_t key);
/* Let the current view go to a time, search for what was typed, and go to the end. */
void app_go(struct app *app, uint64_t time);
void app_search(struct app *app, bool up);
void app_follow(struct app *app);
/* Pushes a scope, which limits all views. Returns 0, or a negative errno if nothing has changed. */
int app_push(struct app *app, const struct scope *what);
/* Removes the topmost scope, if any was pushed. */
void app_pop(struct app *app);
/*
 * Applies the topmost scope: all views must be loaded again, the current one at once. Returns 0 or
 * a negative errno.
 */
int app_use_scope(struct app *app, struct fathom_err *err);
/*
 * Shows another trace, for which @report must be; both must outlive the views. Returns 0 or a
 * negative errno.
 */
int app_use_trace(struct app *app, struct fathom_trace *trace, struct report *report,
		  struct fathom_err *err);
/*
 * Finds the times of the first and the last event, in ns. Leaves them untouched if there is none.
 * Returns 0 or a negative errno.
 */
int app_find_times(struct fathom_trace *trace, uint64_t *ret_first, uint64_t *ret_last,
		   struct fathom_err *err);

/* A view and its key, in the order in which Tab visits them. In app-tabs.c. */
struct app_tab {
	uint32_t key;
	const struct view_ops *ops;
	const char *brief; /* its name if there is little space; NULL: the full name */
};
extern const struct app_tab app_tabs[];
extern const unsigned app_n_tabs;
/* Returns the index of the tab in a column of the screen, as it was last drawn, or app_n_tabs. */
unsigned app_tab_at(const struct app *app, unsigned col);
void app_draw_tabs(struct app *app, struct cells *cells, const struct cells_area *area);

/*
 * Ask the helper to export the visible events to a file with this name, and check whether it is
 * done. In app-export.c.
 */
void app_export(struct app *app, const char *name);
void app_export_work(struct app *app);

/* Start typing, take a key while app->prompt is set, and draw the last line. In app-prompt.c. */
void app_begin_prompt(struct app *app, enum app_prompt prompt);
void app_type(struct app *app, uint32_t key);
void app_draw_prompt(struct app *app, struct cells *cells, const struct cells_area *area);

/*
 * All keys, from the tables: those of the current view, and @keys, which work in all views. In
 * app-help.c.
 */
size_t app_help_lines(const struct app *app, size_t n);
void app_draw_help(struct app *app, const struct view_key *keys, size_t n, struct cells *cells,
		   const struct cells_area *area);

#endif
