/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace as text, an event per line, as `trace-cmd report` of version 3.4 writes
 * it. Some events have a text of their own (see event-renderer.h), the others that
 * of their kernel. What the text of an event depends on beside the event itself is
 * kept here: names learned on the way, and guessed call depths.
 */
#ifndef FATHOM_RENDER_REPORT_REPORT_H
#define FATHOM_RENDER_REPORT_REPORT_H

#include <stdbool.h>

#include <fathom/err.h>
#include <fathom/trace.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "read/lookahead.h"

struct event_entry;
struct event_table;
struct kallsyms;
struct tasks;
struct user_symbols;

enum report_retval {
	REPORT_RETVAL_AUTO, /* errors in decimal, all else in hexadecimal */
	REPORT_RETVAL_SKIP,
	REPORT_RETVAL_DECIMAL,
	REPORT_RETVAL_HEX,
};

enum report_time {
	REPORT_TIME_ABSOLUTE,
	REPORT_TIME_RELATIVE, /* to the first event */
	REPORT_TIME_DELTA, /* to the event before */
};

struct report_options {
	bool compat_31; /* as trace-cmd 3.1: no flags, no arguments of functions */
	bool latency; /* -l */
	bool raw; /* -R: fields instead of the kernel's text */
	bool nanoseconds; /* -t */
	bool raw_time; /* times are no nanoseconds */
	bool time_diff; /* --ts-diff */
	bool plain; /* -N: no text of our own for any event */
	bool boundary; /* show where sub-buffers begin */
	bool debug; /* the same, and where they and the events lie */
	enum report_time time;

	/* Text of functions */
	bool parent; /* with their callers */
	bool no_indent; /* not indented by depth */
	bool offset; /* with the offset in the function */
	/* Text of calls */
	bool tail_name; /* the function's name behind the closing brace */
	bool depth;
	enum report_retval retval;

	/* Called for each event's format once: is its own text not wanted, or fields only? */
	bool (*no_handler)(const void *data, const char *system, const char *name);
	bool (*raw_event)(const void *data, const char *system, const char *name);
	const void *match_data;

	/* Escape sequences around names and lost events; NULL without colour. */
	const char *color_name, *color_lost, *color_end;
};

struct report;

/*
 * @options (with what it refers to) and @trace must outlive the report. Symbols and
 * task names are read here, from the trace; @kallsyms may give other symbols (NULL:
 * those of the trace). 0 or a negative errno.
 */
int report_new(struct fathom_trace *trace, const struct report_options *options,
	       const struct kallsyms *kallsyms, struct report **ret_report, struct fathom_err *err);
void report_free(struct report *report);
DEFINE_CLEANUP(struct report, report_free);

/*
 * Has addresses of programs shown with names. To be called before the first line; @symbols must outlive
 * the report. @time_offset is what the times of events that are shown have been moved by.
 */
void report_use_user_symbols(struct report *report, struct user_symbols *symbols,
			     int64_t time_offset);

/*
 * Appends the line of @event, with its line break, and before it one that tells about
 * lost events. @lookahead is where the event comes from, or NULL: then a call is
 * never one line.
 */
void report_line(struct report *report, struct fathom_event *event, struct lookahead *lookahead,
		 struct text *text);

/* Appends what stands behind the name of the event in its line. */
void report_event_text(struct report *report, struct fathom_event *event, struct text *text);

/* Appends "function(arguments)" of the event, which begins a call. False: it does not. */
bool report_call_text(struct report *report, struct fathom_event *event, struct text *text);
struct probed_function;
/* The function of a program that begins or ends, by an event of the recording's own; NULL: none does. */
const struct probed_function *report_user_function(struct report *report,
						   const struct fathom_event *event);

/* What the report knows, for filters and others. */
struct event_table *report_events(struct report *report);
struct tasks *report_tasks(struct report *report);
const struct kallsyms *report_kallsyms(const struct report *report);
/* The symbol that @address is in and where it starts, or NULL. */
const char *report_symbol(struct report *report, uint64_t address, uint64_t *ret_start);
/* Are the times of this buffer nanoseconds? */
bool report_in_nanoseconds(const struct report *report, size_t buffer);
/* The same for a trace that is not being shown. */
bool report_clock_in_nanoseconds(const struct fathom_trace *trace, size_t buffer);
/* Was memory short, so that a line is not what it should be? */
bool report_nomem(const struct report *report);
/* The bits of common_flags, 0 where an event has none. */
unsigned report_flags(struct report *report, const struct fathom_event *event);

#endif
