/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders a trace as text, one event per line, in the format of `trace-cmd report` 3.4. The text of
 * an event is that of its renderer (event-renderer.h) or of the kernel's print format. Besides the
 * event, its text depends on state that the report keeps: task names from earlier events, and
 * guessed call depths. So events must be rendered in chronological order. Not thread-safe.
 *
 * Text is appended to a struct text; lines that exceed its size are cut. If memory is exhausted,
 * the text may be wrong, and report_nomem() returns true.
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
	REPORT_RETVAL_AUTO, /* errors in decimal, others in hexadecimal */
	REPORT_RETVAL_SKIP,
	REPORT_RETVAL_DECIMAL,
	REPORT_RETVAL_HEX,
};

/* The words for enum report_time, in the same order. */
#define REPORT_TIMES "absolute relative delta"
enum report_time {
	REPORT_TIME_ABSOLUTE,
	REPORT_TIME_RELATIVE, /* to the first event */
	REPORT_TIME_DELTA, /* to the event before */
};

struct report_options {
	bool compat_31; /* as trace-cmd 3.1: no flags, no arguments of functions */
	bool latency; /* -l */
	bool raw; /* -R: fields instead of the print format */
	bool nanoseconds; /* -t */
	bool raw_time; /* timestamps are not in nanoseconds */
	bool time_diff; /* --ts-diff */
	bool plain; /* -N: no renderers */
	bool boundary; /* show where sub-buffers begin */
	bool debug; /* the same, and the offsets of pages and events */
	enum report_time time;

	/* Text of functions */
	bool parent; /* with their callers */
	bool no_indent; /* don't indent by depth */
	bool offset; /* with the offset in the function */
	/* Text of calls */
	bool tail_name; /* name of the function after the closing brace */
	bool depth;
	enum report_retval retval;

	/*
	 * Called once per event format: return whether to use no renderer, and whether to show
	 * fields only.
	 */
	bool (*no_handler)(const void *data, const char *system, const char *name);
	bool (*raw_event)(const void *data, const char *system, const char *name);
	const void *match_data;

	/* Escape sequences around names and lost events; NULL: no colour. */
	const char *color_name, *color_lost, *color_end;
};

struct report;

/*
 * Reads symbols and task names from the trace. @options and anything it refers to, @trace and
 * @kallsyms are not copied and must outlive the report. If @kallsyms is not NULL, its symbols are
 * used instead of those of the trace. Returns 0 or a negative errno.
 */
int report_new(struct fathom_trace *trace, const struct report_options *options,
	       const struct kallsyms *kallsyms, struct report **ret_report, struct fathom_err *err);
void report_free(struct report *report);
DEFINE_CLEANUP(struct report, report_free);

/*
 * Symbolizes user addresses from now on; call this before the first line. @symbols must outlive the
 * report. @time_offset is the offset that was added to the times of events, in ns.
 */
void report_use_user_symbols(struct report *report, struct user_symbols *symbols,
			     int64_t time_offset);

/*
 * Appends the line of @event with its newline, and before it a line about lost events, if any.
 * @lookahead is the source of the event, or NULL, in which case a call never makes a single line.
 */
void report_line(struct report *report, struct fathom_event *event, struct lookahead *lookahead,
		 struct text *text);

/* Appends what follows the name of the event in its line. */
void report_event_text(struct report *report, struct fathom_event *event, struct text *text);

/* Appends "function(arguments)" if the event starts a call. Returns false if it does not. */
bool report_call_text(struct report *report, struct fathom_event *event, struct text *text);
struct probed_function;
/*
 * Returns the user function that starts or ends with this event, according to the probes that
 * fathom set, or NULL. Valid as long as the report.
 */
const struct probed_function *report_user_function(struct report *report,
						   const struct fathom_event *event);

/* Access to the report's state, for filters and writers. Valid as long as the report. */
struct event_table *report_events(struct report *report);
struct tasks *report_tasks(struct report *report);
const struct kallsyms *report_kallsyms(const struct report *report);
/*
 * Returns the symbol that contains @address, and its start, or NULL. Valid as long as the report.
 */
const char *report_symbol(struct report *report, uint64_t address, uint64_t *ret_start);
/* Returns whether the times of this buffer are in nanoseconds. */
bool report_in_nanoseconds(const struct report *report, size_t buffer);
/* The same for a trace without a report. */
bool report_clock_in_nanoseconds(const struct fathom_trace *trace, size_t buffer);
/* Returns whether memory was exhausted, so that lines may be wrong. */
bool report_nomem(const struct report *report);
/* Returns the common_flags of an event, or 0 if it has none. */
unsigned report_flags(struct report *report, const struct fathom_event *event);

#endif
