/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window of the events of a trace: as many rows as the screen has, anywhere in a file of any
 * size. Memory is needed for these rows only. Requests to move are carried out by event_list_work()
 * in slices of time, because a filter that matches few events may have to read all of them. For one
 * thread.
 */
#ifndef FATHOM_TUI_EVENT_LIST_H
#define FATHOM_TUI_EVENT_LIST_H

#include <fathom/cursor.h>

#include "read/page-feed.h"
#include "render/report/report.h"

#define EVENT_TEXT_SIZE 1024
#define EVENT_ROWS_MAX	1000

struct event_row {
	uint64_t time;
	uint64_t missed; /* as in struct fathom_event */
	uint32_t cpu;
	int32_t pid;
	uint16_t id, buffer;
	const char *name; /* of the event; NULL: unknown. Valid as long as the report */
	char *text; /* EVENT_TEXT_SIZE bytes, NUL-terminated */
};

struct event_list_options {
	struct fathom_trace *trace;
	struct report *report; /* of the trace */
	const struct fathom_window *window; /* copied, but not the objects that it refers to */
	/* Returns whether to show an event. NULL: show all. */
	bool (*wanted)(void *data, const struct fathom_event *event);
	void *wanted_data;
};

struct event_list {
	struct event_list_options options;
	struct fathom_window window;
	struct fathom_cursor *head, *tail; /* before the first row, and after the last */
	struct fathom_cursor *finder;
	struct stream_mark *marks; /* scratch: a position in all streams */
	struct event_row *rows; /* EVENT_ROWS_MAX; a ring, in which @n are used from @start on */
	unsigned start, n, want;
	unsigned selected; /* index of a row */
	int64_t pending; /* lines to scroll down; up if negative */
	int64_t to_select; /* lines to move the selection by afterwards */
	uint64_t head_debt,
		tail_debt; /* shown events to pass: the head downwards, the tail upwards */
	bool at_first, at_last; /* nothing is above, or below */
	bool searching, search_up;
	uint64_t search_skip; /* shown events to pass first */
	char needle[128];
	uint64_t n_looked; /* events read by the current work */
};

/*
 * The trace and the report must outlive the list. Returns 0 or a negative errno, in which case
 * there is nothing to release.
 */
int event_list_init(struct event_list *list, const struct event_list_options *options,
		    struct fathom_err *err);
void event_list_done(struct event_list *list);

/* Sets the number of rows. */
void event_list_resize(struct event_list *list, unsigned rows);
const struct event_row *event_list_row(const struct event_list *list, unsigned i);

/* Moves the selection, and scrolls when it leaves the rows. */
void event_list_move(struct event_list *list, int64_t lines);
int event_list_first(struct event_list *list);
int event_list_last(struct event_list *list);
/* Moves to the first event at or after @time. Returns 0 or a negative errno. */
int event_list_seek(struct event_list *list, uint64_t time);
/* Selects the next or previous event whose name or text contains @needle. Returns 0 or -ENOMEM. */
int event_list_search(struct event_list *list, const char *needle, bool up);
/* Discards outstanding requests; events already read remain. */
void event_list_cancel(struct event_list *list);

/*
 * Works on requests until @until (CLOCK_MONOTONIC, in ns). Returns 1 if there is more to do, 0 if
 * everything is done, -ENOENT if a search found nothing, or another negative errno.
 */
int event_list_work(struct event_list *list, uint64_t until);

#endif
