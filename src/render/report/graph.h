/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls as a tree, in the format of the kernel's file `trace` with the function_graph tracer:
 * braces, marked durations, a banner for each context switch, arrows around interrupts, other
 * events as comments. User functions, if recorded, are calls around those of the kernel. Results
 * from the recording's own probes follow the end of a call; those recorded by the kernel are shown
 * on request.
 *
 * Unlike calls.h, this follows CPUs rather than tasks, because the kernel prints braces by the
 * depth of each CPU's events, and the text must be identical.
 *
 * Whether a call makes one line is known at the next event of its CPU. Until then, it and the lines
 * after it are kept in a ring, at most GRAPH_WAIT_MAX. Not thread-safe.
 */
#ifndef FATHOM_RENDER_REPORT_GRAPH_H
#define FATHOM_RENDER_REPORT_GRAPH_H

#include "base/strbuf.h"
#include "render/report/report-run.h"

#define GRAPH_WAIT_MAX 65536
/* Levels for which entered functions are remembered; the kernel has the same limit. */
#define GRAPH_DEPTH_MAX 50

/* The start or end of a call, for its line. */
struct graph_call {
	uint64_t func, duration;
	int64_t result;
	int depth;
	int kind; /* which of the two kinds of entry events this is */
	bool is_user; /* a user function */
	bool no_duration; /* its start was not recorded */
	bool has_result;
};

/* A line in the ring. */
struct graph_line {
	struct strbuf buf; /* the text; while it waits, the bytes of the event */
	struct fathom_event event; /* the entry; its data points into @buf */
	struct graph_call call;
	bool ready;
};

struct graph_cpu {
	bool used;
	int32_t pid; /* the last one that ran */
	int depth;
	uint64_t functions[GRAPH_DEPTH_MAX]; /* entered functions by depth; 0: none */
	uint64_t waiting; /* number of its waiting line, plus 1; 0: none */
};

struct graph_formats;
struct event_stream;

/* Empty when zero-initialized. Released with graph_done(). */
struct graph {
	struct graph_line *lines; /* a ring; @cap is a power of two */
	size_t cap;
	uint64_t first, next; /* numbers of the first line in it, and of the next to be added */
	struct graph_cpu *cpus;
	size_t n_cpus;
	struct graph_formats *formats;
	struct event_stream *stream; /* NULL: decoding adds nothing */
	struct report_input *input; /* while an event is written */
	struct text *text;
	unsigned cpu_width;
	bool nomem; /* lines are missing */
};

void graph_write_head(struct text *text);
/* A writer for struct report_run; @data is the struct graph. Supports one input only. */
void graph_write(void *data, struct report_input *input, struct fathom_event *event,
		 struct text *text);
/* Writes the lines that still wait. Returns 0, or -ENOMEM if lines are missing. */
int graph_write_end(struct graph *graph, struct report_input *input, struct text *text);
void graph_done(struct graph *graph);

#endif
