/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a view is: something that draws a trace into an area of the screen, understands some keys, and
 * does long work a slice at a time, so that a key is always answered at once. Each view has a file of
 * its own, and is known by its struct view_ops alone.
 */
#ifndef FATHOM_TUI_VIEW_H
#define FATHOM_TUI_VIEW_H

#include <fathom/cursor.h>

#include "base/strbuf.h"
#include "render/report/report-filter.h"
#include "render/report/report.h"
#include "tui/cells.h"
#include "tui/keys.h"

/* A key, and what it does; the help is made from these. Several keys may do one thing. */
struct view_key {
	uint32_t keys[3]; /* 0 behind the last */
	const char *what;
};

/*
 * What part of the trace all views show: all that was pushed onto the stack of scopes, together. A view
 * reads no more than @window, hands tui_wants() to whoever asks for single events, and begins anew in its
 * load() when the scope has changed.
 */
enum scope_kind {
	SCOPE_ALL,
	SCOPE_FILTER,
	SCOPE_TASK,
	SCOPE_CPU,
	SCOPE_TIME,
};

struct scope {
	enum scope_kind kind; /* what was pushed last */
	struct fathom_window window; /* times and CPU; for a cursor */
	bool has_pid; /* only @pid: others are read all the same, for it is they who keep it waiting */
	int32_t pid;
	bool has_cpu; /* only @cpu, which @window refers to */
	uint32_t cpu;
	char filter[256]; /* of SCOPE_FILTER, in the language of fathom-filter(7); else "" */
};

#define TUI_NAME_SIZE 128

/* What the chosen line of a view is about, as far as it is about that. */
struct view_choice {
	bool has_pid, has_cpu, has_time;
	int32_t pid;
	uint32_t cpu;
	uint64_t from, to; /* when it happened; both ends belong to it */
	bool failed; /* it is a call that failed */
	char name[TUI_NAME_SIZE]; /* of the function, system call or event; "": it has none */
	const char *text; /* what is to be looked for there; NULL: nothing is */
};

struct view_ops;
struct helper;

/* The second file, which the first is compared with. */
struct tui_other {
	struct fathom_trace *trace; /* NULL: there is none */
	struct report *report;
	const char *path;
	uint64_t first_time, last_time;
};

/* What views share. */
struct tui {
	struct fathom_trace *trace;
	struct report *report;
	const char *path;
	struct tui_other other;
	bool raw_times; /* they are no nanoseconds */
	const struct scope *scope;
	struct report_filter filter; /* of all scopes */
	bool filtered; /* there is one */
	uint64_t first_time, last_time; /* of all events */
	bool follows; /* the trace grows, and its end is looked at */
	uint64_t place; /* the time that is looked at; a view that is turned to goes there */
	/* Set by tui_show(), for after the key: the view to turn to, and what it is to choose there. */
	const struct view_ops *to_view;
	struct view_choice target;
	/* The same: is to be pushed; SCOPE_ALL: nothing. See tui_push_time() and the like. */
	struct scope wish;
	struct helper *helper; /* NULL: there is none */
	char subject[TUI_NAME_SIZE]; /* the name that was chosen last, in another view; "": none */
	bool edit; /* set by a view, for after the key: the source of @subject is to be opened in the editor */
	bool wants_work; /* set by a view that draws: it has got something to do */
	char message[256]; /* for the last line, until the next key; "": none */
	bool message_bad;
};

struct tui_view;

struct view_ops {
	const char *name;
	const struct view_key *keys;
	size_t n_keys;
	size_t size; /* of the view's own struct, which begins with a struct tui_view */
	/* The scope is new, or this is the first time. 0 or a negative errno. */
	int (*load)(struct tui_view *view, struct fathom_err *err);
	void (*done)(struct tui_view *view);
	/* Goes to tui->place; tui->target tells more of what is wanted there, if somebody else asked. */
	void (*turn_to)(struct tui_view *view);
	void (*draw)(struct tui_view *view, struct cells *cells, const struct cells_area *area);
	/* Adds where it is. */
	void (*status)(struct tui_view *view, struct strbuf *buf);
	/* False: it does not know this key. */
	bool (*key)(struct tui_view *view, uint32_t key);
	/* Looks for a text. */
	int (*search)(struct tui_view *view, const char *text, bool up);
	/* Goes to a time, which is in the scope. */
	int (*go)(struct tui_view *view, uint64_t time);
	/* Goes to the end of what is shown, which grows; NULL: it shows all of it anyway. */
	void (*follow)(struct tui_view *view);
	/* Some of its work: 1: there is more; 0: no; -ENOENT: the search found nothing; an errno. */
	int (*work)(struct tui_view *view, uint64_t until);
	void (*cancel)(struct tui_view *view);
	/* Chooses what is in a row of the area; true: it was chosen before. NULL: the mouse chooses nothing. */
	bool (*click)(struct tui_view *view, unsigned row);
	/* Tells what is chosen, in zeroed @ret_choice; NULL, or false: nothing is. */
	bool (*choice)(struct tui_view *view, struct view_choice *ret_choice);
};

struct tui_view {
	const struct view_ops *ops;
	struct tui *tui;
	bool loaded;
	struct fathom_trace *trace; /* that it was loaded from last */
};

extern const struct view_ops view_replay, view_functions, view_syscalls, view_events, view_story,
	view_source, view_timeline, view_flame, view_compare;

/* What the last line says until the next key. */
void tui_say(struct tui *tui, bool bad, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Limit what all views show, until Esc: to a part of the time, where both ends belong to it; to a task; to a
 * CPU. To be called by a view that answers a key; it happens once that is done. The view is loaded anew.
 */
void tui_push_time(struct tui *tui, uint64_t from, uint64_t to);
void tui_push_task(struct tui *tui, int32_t pid);
void tui_push_cpu(struct tui *tui, uint32_t cpu);
/* Turns to view @in, where what @what tells is chosen. The same holds for it. */
void tui_show(struct tui *tui, const struct view_ops *in, const struct view_choice *what);
/* Adds "12.345 to 12.400 (55 ms)", as far as there are events. */
void tui_put_times(const struct tui *tui, uint64_t from, uint64_t to, struct strbuf *buf);
/* The name that a text begins with, up to what no name has in it; "" if there is none. */
void tui_take_name(const char *text, char ret_name[TUI_NAME_SIZE]);
/* Is the event in the scope? For struct feed and others; @tui is the struct tui. */
bool tui_wants(void *tui, const struct fathom_event *event);
/* The same for a view that finds the task of the scope in another way; there must be a filter. */
bool tui_filter_passes(void *tui, const struct fathom_event *event);
/* Is there anything that tui_wants() would leave out? */
bool tui_wants_less(const struct tui *tui);
/* "nothing happened here", or what else is to be said when there is nothing to show. */
const char *tui_why_empty(const struct tui *tui, const char *otherwise);

#endif
