/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The viewer without its terminal: keys go in, a screen of cells comes out. It owns the views, what part
 * of the trace they all show, and the line at the bottom where texts are typed.
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
	uint64_t time; /* 0: it is not set */
	uint32_t view; /* in which it was; the key of its tab */
	char note[128];
};

/* app-live.c: a file that is being recorded; all is zero if it is none. */
struct app_live {
	bool on; /* it is not at its end */
	int fd;
	bool moves; /* the recorder puts it together: nothing can be read */
	bool settles; /* the view reads what is new: what it showed stays until it has */
	bool stuck; /* a view could not be loaded, so that nothing old can be let go of */
	unsigned n_left; /* times that no recorder was seen */
	uint64_t look_at; /* by the monotonic clock */
	uint64_t begun; /* when the view began to read what was new */
	uint64_t bytes; /* that it had when it was read last; 0: it is to be */
	off_t size;
	struct timespec changed;
	struct fathom_trace *trace; /* that is shown; NULL: the first, which is not ours */
	struct fathom_trace *old[APP_VIEWS_MAX + 2]; /* that views still have, and the last */
	unsigned n_old;
	struct report *report; /* NULL: until the end the first one does */
};

struct app {
	struct tui tui;
	struct tui_view *views[APP_VIEWS_MAX]; /* in the order of app_tabs[] */
	unsigned current, before; /* the view that is seen; the one that was */
	struct scopes scopes;
	enum app_prompt prompt;
	char typed[256];
	size_t n_typed;
	char searched[128];
	bool searched_up;
	bool search_next; /* is to be done when the work is */
	struct app_mark marks[APP_MARKS];
	unsigned last_mark; /* the one that a note is for */
	bool help;
	struct lines help_lines; /* none is selected */
	bool works; /* there is work to be done */
	bool quit;
	bool marked; /* since the state was kept */
	bool exports; /* the helper is at it */
	bool copies; /* the chosen line is to be copied: app_copy() */
	struct app_live live;
	struct cells_area area; /* of the view, when it was drawn last */
	unsigned rows, cols; /* of the screen, then */
	struct strbuf line; /* for drawing */
};

/* @trace and @report must outlive it. 0 or a negative errno; then there is nothing to release. */
int app_init(struct app *app, struct fathom_trace *trace, struct report *report, const char *path,
	     struct fathom_err *err);
void app_done(struct app *app);
/* A second file, to be compared with; it must outlive it, too. 0 or a negative errno. */
int app_compare(struct app *app, struct fathom_trace *trace, struct report *report,
		const char *path, struct fathom_err *err);

void app_key(struct app *app, uint32_t key);
/* Some of what is to be done, until that time of the monotonic clock. True: there is more. */
bool app_work(struct app *app, uint64_t until);
/* The screen has the size that it is to have. */
void app_draw(struct app *app, struct cells *cells);

enum app_mouse {
	APP_CLICK,
	APP_WHEEL_UP,
	APP_WHEEL_DOWN,
};

/* app-mouse.c: something happened there; on what is chosen a click is as Enter. */
void app_mouse(struct app *app, enum app_mouse what, unsigned row, unsigned col);
/* The chosen line, as it would be on a wide screen with so many rows. 0, -ENOENT: there is none, or -ENOMEM. */
int app_copy(struct app *app, unsigned rows, struct strbuf *ret_text);

/* tui.edit is set: the terminal is the editor's until this returns. */
void app_edit(struct app *app);

/* app-state.c: adds what is to be kept until the next look at the trace; takes it up again. */
void app_state_put(const struct app *app, struct strbuf *buf);
void app_state_take(struct app *app, const char *text);
/* @with_view: also turns to the view in which it was set. */
void app_go_to_mark(struct app *app, uint32_t letter, bool with_view);

/*
 * app-live.c: the trace was read without a map from @fd, which stays the caller's: it is followed as it grows. To be
 * called from time to time: shows what is new. How many milliseconds until then; -1: never.
 */
void app_live_begin(struct app *app, int fd);
void app_live_look(struct app *app, uint64_t now);
int app_live_wait(const struct app *app, uint64_t now);

/* The rest is for the files app-*.c. */

/* What is shown stays until app_live_toggle(); which does it, too. */
void app_live_hold(struct app *app);
void app_live_toggle(struct app *app);
/* Has the view nothing better to show than what is on the screen? */
bool app_live_keeps_picture(const struct app *app);
/* Adds "live 12.3 s 4.5 MB, following: F holds   "; nothing if it is not live. */
void app_live_put(const struct app *app, struct strbuf *buf);
void app_live_done(struct app *app);

/* app-view.c: the view that is seen. */
struct tui_view *app_view(struct app *app);
/* To the view of a number, in the order of app_tabs[]. */
void app_turn_to(struct app *app, unsigned number);
/* To the view of a key; nothing happens if there is none. */
void app_turn_to_key(struct app *app, uint32_t key);
/* The view that is seen goes there, looks for what was typed, goes to the end. */
void app_go(struct app *app, uint64_t time);
void app_search(struct app *app, bool up);
void app_follow(struct app *app);
/* Narrows what all views show. 0, or a negative errno, when it could not be and nothing has changed. */
int app_push(struct app *app, const struct scope *what);
/* Takes the last of that away, if there is any. */
void app_pop(struct app *app);
/* All views have to begin anew, with the scope on top; the one that is seen does. 0 or a negative errno. */
int app_use_scope(struct app *app, struct fathom_err *err);
/* Shows another trace, and reads it with @report; both must outlive the views. 0 or a negative errno. */
int app_use_trace(struct app *app, struct fathom_trace *trace, struct report *report,
		  struct fathom_err *err);
/* When the first and the last event happened; untouched when there is none. 0 or a negative errno. */
int app_find_times(struct fathom_trace *trace, uint64_t *ret_first, uint64_t *ret_last,
		   struct fathom_err *err);

/* app-tabs.c: a view and the key that turns to it, in the order in which Tab goes through them. */
struct app_tab {
	uint32_t key;
	const struct view_ops *ops;
	const char *brief; /* its name where there is little room; NULL: the same */
};
extern const struct app_tab app_tabs[];
extern const unsigned app_n_tabs;
/* The tab in a column of the screen that was drawn last; app_n_tabs: there is none. */
unsigned app_tab_at(const struct app *app, unsigned col);
void app_draw_tabs(struct app *app, struct cells *cells, const struct cells_area *area);

/* app-export.c: asks the helper to write what is shown into a file of this name; looks whether it is done. */
void app_export(struct app *app, const char *name);
void app_export_work(struct app *app);

/* app-prompt.c: begins to type; takes a key while app->prompt is set; draws the last line. */
void app_begin_prompt(struct app *app, enum app_prompt prompt);
void app_type(struct app *app, uint32_t key);
void app_draw_prompt(struct app *app, struct cells *cells, const struct cells_area *area);

/* app-help.c: all keys, from the tables: those of the view that is seen, and @keys, that all views know. */
size_t app_help_lines(const struct app *app, size_t n);
void app_draw_help(struct app *app, const struct view_key *keys, size_t n, struct cells *cells,
		   const struct cells_area *area);

#endif
