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
#include "render/report-filter.h"
#include "render/report.h"
#include "tui/cells.h"
#include "tui/keys.h"

/* A key, and what it does; the help is made from these. Several keys may do one thing. */
struct view_key {
	uint32_t keys[3]; /* 0 behind the last */
	const char *what;
};

/* What part of the trace all views show. */
struct scope {
	struct fathom_window window;
	int32_t pid; /* the one that @window has, if it has one */
	uint32_t cpu;
	char filter[256]; /* in the language of fathom-filter(7); "": none */
};

/* What views share. */
struct tui {
	struct fathom_trace *trace;
	struct report *report;
	const char *path;
	bool raw_times; /* they are no nanoseconds */
	const struct scope *scope;
	struct report_filter filter; /* of the scope */
	bool filtered;
	uint64_t first_time, last_time; /* of all events */
	uint64_t place; /* the time that is looked at; a view that is turned to goes there */
	bool to_replay; /* set by a view: @place is to be shown there */
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
	/* Goes where the others are. */
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
	/* Some of its work: 1: there is more; 0: no; -ENOENT: the search found nothing; an errno. */
	int (*work)(struct tui_view *view, uint64_t until);
	void (*cancel)(struct tui_view *view);
};

struct tui_view {
	const struct view_ops *ops;
	struct tui *tui;
	bool loaded;
};

extern const struct view_ops view_replay, view_functions, view_syscalls, view_events;

/* What the last line says until the next key. */
void tui_say(struct tui *tui, bool bad, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
