/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Views: each draws a trace into an area of the screen, understands some keys, and does long work
 * in slices of time, so that keys are always answered at once. A view is a file in views/, known
 * only by its struct view_ops. Everything runs in one thread.
 */
#ifndef FATHOM_TUI_VIEW_H
#define FATHOM_TUI_VIEW_H

#include <fathom/cursor.h>

#include "base/strbuf.h"
#include "render/report/report-filter.h"
#include "render/report/report.h"
#include "tui/cells.h"
#include "tui/keys.h"

/*
 * Keys and their descriptions, from which the help is generated. Several keys may have the same
 * function.
 */
struct view_key {
	uint32_t keys[3]; /* terminated by 0 */
	const char *what;
};

/*
 * The part of the trace that all views show: everything that was pushed onto the stack of scopes,
 * combined. A view reads only @window, selects single events with tui_wants(), and starts again in
 * its load() when the scope has changed.
 */
enum scope_kind {
	SCOPE_ALL,
	SCOPE_FILTER,
	SCOPE_TASK,
	SCOPE_CPU,
	SCOPE_TIME,
};

struct scope {
	enum scope_kind kind; /* the kind that was pushed last */
	struct fathom_window window; /* times and CPU, for a cursor */
	bool has_pid; /* show only @pid; others are also read, because they keep it waiting */
	int32_t pid;
	bool has_cpu; /* show only @cpu, to which @window refers */
	uint32_t cpu;
	char filter[256]; /* of SCOPE_FILTER, see fathom-filter(7); otherwise "" */
};

#define TUI_NAME_SIZE 128

/* The subject of the selected line of a view, as far as it is known. */
struct view_choice {
	bool has_pid, has_cpu, has_time;
	int32_t pid;
	uint32_t cpu;
	uint64_t from, to; /* the time range, including both ends */
	bool failed; /* a failed call */
	char name[TUI_NAME_SIZE]; /* of the function, system call or event; "": none */
	const char *text; /* text to search for; NULL: none. Valid until the view changes */
};

struct view_ops;
struct helper;

/* The second file, with which the first one is compared. Not owned. */
struct tui_other {
	struct fathom_trace *trace; /* NULL: none */
	struct report *report;
	const char *path;
	uint64_t first_time, last_time;
};

/*
 * What views share. Views read it; they modify it through the functions below, and the fields that
 * are documented so. Traces and reports are not owned.
 */
struct tui {
	struct fathom_trace *trace;
	struct report *report;
	const char *path;
	struct tui_other other;
	bool raw_times; /* timestamps are not in nanoseconds */
	const struct scope *scope;
	struct report_filter filter; /* of all scopes */
	bool filtered; /* @filter is used */
	uint64_t first_time, last_time; /* of all events */
	bool follows; /* the trace grows, and the user looks at its end */
	uint64_t place; /* the time being looked at; turn_to() goes there */
	/* Set by tui_show(), for after the key: the view to turn to, and what to select there. */
	const struct view_ops *to_view;
	struct view_choice target;
	/* Likewise: the scope to push; SCOPE_ALL: none. See tui_push_time() and the like. */
	struct scope wish;
	struct helper *helper; /* NULL: none */
	char subject[TUI_NAME_SIZE]; /* the name last selected in another view; "": none */
	bool edit; /* set by a view, for after the key: open the source of @subject in the editor */
	bool wants_work; /* set by draw(): there is new work to do */
	char message[256]; /* for the last line, until the next key; "": none */
	bool message_bad;
};

struct tui_view;

struct view_ops {
	const char *name;
	const struct view_key *keys;
	size_t n_keys;
	size_t size; /* of the view's own struct, which begins with a struct tui_view */
	/* Called first, and when the scope has changed. Returns 0 or a negative errno. */
	int (*load)(struct tui_view *view, struct fathom_err *err);
	void (*done)(struct tui_view *view);
	/* Goes to tui->place. If another view asked for that, tui->target has more details. */
	void (*turn_to)(struct tui_view *view);
	void (*draw)(struct tui_view *view, struct cells *cells, const struct cells_area *area);
	/* Appends the current position. */
	void (*status)(struct tui_view *view, struct strbuf *buf);
	/* Handles a key. Returns false if the key is unknown. */
	bool (*key)(struct tui_view *view, uint32_t key);
	/* Starts a search for text. Returns 0 or a negative errno. */
	int (*search)(struct tui_view *view, const char *text, bool up);
	/* Goes to a time in the scope. Returns 0 or a negative errno. */
	int (*go)(struct tui_view *view, uint64_t time);
	/* Goes to the end, which grows. NULL: the view always shows everything. */
	void (*follow)(struct tui_view *view);
	/*
	 * Works until @until (CLOCK_MONOTONIC, in ns). Returns 1 if there is more, 0 if not,
	 * -ENOENT if a search found nothing, or another negative errno.
	 */
	int (*work)(struct tui_view *view, uint64_t until);
	void (*cancel)(struct tui_view *view);
	/*
	 * Selects the item in a row of the area. Returns true if it was selected before. NULL: not
	 * supported.
	 */
	bool (*click)(struct tui_view *view, unsigned row);
	/*
	 * Describes the selection in *@ret_choice, which is zeroed. Returns false if nothing is
	 * selected. NULL: never.
	 */
	bool (*choice)(struct tui_view *view, struct view_choice *ret_choice);
};

struct tui_view {
	const struct view_ops *ops;
	struct tui *tui;
	bool loaded;
	struct fathom_trace *trace; /* the one it was last loaded from */
};

extern const struct view_ops view_replay, view_functions, view_syscalls, view_events, view_story,
	view_source, view_timeline, view_flame, view_compare;

/*
 * Shows a message in the last line, until the next key. Arguments of %s are quoted when it is
 * drawn.
 */
void tui_say(struct tui *tui, bool bad, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Limit all views, until Esc, to a time range including both ends, to a task, or to a CPU. For
 * views that handle a key: the limit takes effect after that, and loads the view again.
 */
void tui_push_time(struct tui *tui, uint64_t from, uint64_t to);
void tui_push_task(struct tui *tui, int32_t pid);
void tui_push_cpu(struct tui *tui, uint32_t cpu);
/* Turns to view @in and selects @what there, also after the key. @what is copied. */
void tui_show(struct tui *tui, const struct view_ops *in, const struct view_choice *what);
/* Appends "12.345 to 12.400 (55 ms)", limited to the times of events. */
void tui_put_times(const struct tui *tui, uint64_t from, uint64_t to, struct strbuf *buf);
/*
 * Copies the name at the start of a text, up to the first character that names do not contain; ""
 * if there is none.
 */
void tui_take_name(const char *text, char ret_name[TUI_NAME_SIZE]);
/* Returns whether the event is in the scope. For struct feed and others; @tui is the struct tui. */
bool tui_wants(void *tui, const struct fathom_event *event);
/*
 * The same without the task of the scope, for views that handle it themselves. There must be a
 * filter.
 */
bool tui_filter_passes(void *tui, const struct fathom_event *event);
/* Returns whether tui_wants() would exclude anything. */
bool tui_wants_less(const struct tui *tui);
/*
 * Returns what to say if there is nothing to show: @otherwise, or the reason. The string is static,
 * or @otherwise.
 */
const char *tui_why_empty(const struct tui *tui, const char *otherwise);

#endif
