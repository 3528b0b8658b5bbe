/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls as a tree, in the form of the kernel's own file `trace` with the tracer
 * function_graph: braces, durations with marks, a banner where a CPU changes to
 * another task, arrows around interrupts, and other events as comments.
 *
 * Functions of programs are calls around those of the kernel, where a recording has them. Results
 * that its own probes tell stand behind the end of the call, as those do that the kernel records
 * if they are asked for.
 *
 * Whether a call is one line is known when its CPU's next event comes. Until then
 * the lines behind it wait, up to GRAPH_WAIT_MAX of them.
 *
 * It follows CPUs, not tasks as calls.h does: the kernel prints the braces by the depths of a CPU's events, and
 * the text has to be the same.
 */
#ifndef FATHOM_RENDER_REPORT_GRAPH_H
#define FATHOM_RENDER_REPORT_GRAPH_H

#include "base/strbuf.h"
#include "render/report/report-run.h"

#define GRAPH_WAIT_MAX 65536
/* Levels for which the function that was entered is remembered, as in the kernel. */
#define GRAPH_DEPTH_MAX 50

/* What a line is about: the beginning of a call, or its end. */
struct graph_call {
	uint64_t func, duration;
	int64_t result;
	int depth;
	int kind; /* of its beginning: which event that is */
	bool is_user; /* a function of a program */
	bool no_duration; /* nobody knows when it began */
	bool has_result;
};

/* A line that waits, or is ready. */
struct graph_line {
	struct strbuf buf; /* the text; the event's bytes while it waits */
	struct fathom_event event; /* the entry */
	struct graph_call call;
	bool ready;
};

struct graph_cpu {
	bool used;
	int32_t pid; /* that ran last */
	int depth;
	uint64_t functions[GRAPH_DEPTH_MAX]; /* entered, by depth; 0: none */
	uint64_t waiting; /* number of its line that waits, + 1 */
};

struct graph_formats;
struct event_stream;

/* Zero-initialised is ready. */
struct graph {
	struct graph_line *lines; /* a ring */
	size_t cap;
	uint64_t first, next; /* numbers of the lines in it */
	struct graph_cpu *cpus;
	size_t n_cpus;
	struct graph_formats *formats;
	struct event_stream *stream; /* NULL: events are all there is */
	struct report_input *input; /* while an event is written */
	struct text *text;
	unsigned cpu_width;
	bool nomem; /* lines are missing */
};

void graph_write_head(struct text *text);
/* A writer for struct report_run; @data is the struct graph. Works for one input. */
void graph_write(void *data, struct report_input *input, struct fathom_event *event,
		 struct text *text);
/* Writes the lines that still wait. -ENOMEM when some had to be left out, else 0. */
int graph_write_end(struct graph *graph, struct report_input *input, struct text *text);
void graph_done(struct graph *graph);

#endif
