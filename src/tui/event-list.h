/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a trace around a place, as many as a screen shows, wherever in a file of any size.
 * Memory is that of these rows. Moving is asked for, and done by event_list_work() a slice of time at
 * once, because a filter that few events pass may have to look at all of them.
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
	const char *name; /* of the event; NULL: it is not known */
	char *text; /* EVENT_TEXT_SIZE bytes */
};

struct event_list_options {
	struct fathom_trace *trace;
	struct report *report; /* of the trace */
	const struct fathom_window *window; /* copied, but not what it refers to */
	/* Is the event to be shown? NULL: all are. */
	bool (*wanted)(void *data, const struct fathom_event *event);
	void *wanted_data;
};

struct event_list {
	struct event_list_options options;
	struct fathom_window window;
	struct fathom_cursor *head, *tail; /* before the first row, and behind the last */
	struct fathom_cursor *finder;
	struct stream_mark *marks; /* scratch; a place of all streams */
	struct event_row *rows; /* EVENT_ROWS_MAX; @n are in use from @start on, round and round */
	unsigned start, n, want;
	unsigned selected; /* a row */
	int64_t pending; /* lines to scroll down, or up when it is negative */
	int64_t to_select; /* lines to move the selection by, when that is done */
	uint64_t head_debt,
		tail_debt; /* shown events to pass: the head downwards, the tail upwards */
	bool at_first, at_last; /* nothing is above, below */
	bool searching, search_up;
	uint64_t search_skip; /* shown events to pass first */
	char needle[128];
	uint64_t n_looked; /* events that the work under way has looked at */
};

/* 0 or a negative errno. */
int event_list_init(struct event_list *list, const struct event_list_options *options,
		    struct fathom_err *err);
void event_list_done(struct event_list *list);

/* How many rows are wanted. */
void event_list_resize(struct event_list *list, unsigned rows);
const struct event_row *event_list_row(const struct event_list *list, unsigned i);

/* Moves the selection, and the rows when it reaches their end. */
void event_list_move(struct event_list *list, int64_t lines);
int event_list_first(struct event_list *list);
int event_list_last(struct event_list *list);
/* To the first event that is not earlier. 0 or a negative errno. */
int event_list_seek(struct event_list *list, uint64_t time);
/* Selects the next event, or the one before, whose name or text has @needle. 0 or -ENOMEM. */
int event_list_search(struct event_list *list, const char *needle, bool up);
/* Forgets what is still to be done, and shows what there is. */
void event_list_cancel(struct event_list *list);

/*
 * Does some of what was asked for, until @until by the monotonic clock. 1: there is more to do; 0: all is done;
 * -ENOENT: the search found nothing; another negative errno.
 */
int event_list_work(struct event_list *list, uint64_t until);

#endif
