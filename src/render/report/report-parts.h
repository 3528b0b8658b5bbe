/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a report is made of, for the files that make it up. */
#ifndef FATHOM_RENDER_REPORT_REPORT_PARTS_H
#define FATHOM_RENDER_REPORT_REPORT_PARTS_H

#include "base/quote.h"
#include "render/report/event-renderer.h"
#include "symbols/probe/probed-functions.h"

/*
 * Sizes of texts that are kept. The usual line is put together from them by copies of
 * these sizes, which the compiler makes a few moves; what is copied too much is
 * written over.
 */
#define WHO_SIZE     64
#define SECONDS_SIZE 32
#define FLAGS_SIZE   5 /* of the letters that every kernel's events have */
#define HEAD_SIZE    32

/* "            comm-pid   [cpu]" of the task that ran last on a CPU. */
struct report_who {
	int32_t pid;
	uint32_t len;
	size_t tasks; /* how many names were known; a new one may be this task's */
	char text[WHO_SIZE];
};

/* A function in a guessed stack. */
struct report_function {
	const char *name; /* NULL: behind the end of the stack */
	uint64_t key; /* the first bytes of the name, to tell most names apart at once */
};

/* The functions that seem to be active on a CPU, from the outermost. */
struct report_stack {
	struct report_function *functions;
	size_t cap;
};

struct report_cpu {
	struct report_who who;
	struct report_stack stack;
};

struct report {
	struct fathom_trace *trace;
	const struct report_options *options;
	struct arena arena;
	struct event_table events;
	struct kallsyms own_kallsyms;
	struct probed_functions users; /* of programs, with probes of the recording's own */
	const struct kallsyms *kallsyms;
	struct kallsyms_cache cache;
	struct printk printk;
	struct parameters parameters;
	struct user_symbols *user_symbols; /* NULL: addresses of programs get no names */
	int64_t user_time_offset; /* what was added to the times of events */
	struct tasks tasks;
	struct print_env env;
	struct event_plan **plans; /* by event id */
	/*
	 * Makes the plan for events of that id, and keeps it; never NULL. Renderers of events that belong to
	 * others ask for it, too, and are what plans are made of.
	 */
	const struct event_plan *(*make_plan)(struct report *report, unsigned id);
	struct event_plan unknown; /* of events that no format describes */
	struct report_cpu *cpus;
	size_t n_cpus;
	bool *in_nanoseconds; /* by buffer */
	size_t n_buffers;
	struct event_entry *graph_exit; /* funcgraph_exit; NULL: none */

	/* Of the line before */
	uint64_t last_time; /* 0: none */
	uint64_t first_time;
	bool has_first;
	uint64_t seconds; /* these are written in second_text */
	uint32_t seconds_len;
	char seconds_text[SECONDS_SIZE];
	bool nomem; /* see report_nomem() */
	bool is_usual; /* the options are those of the usual line */

	/* The letters of the flags column: three by common_flags, two by common_preempt_count. */
	char flag_letters[256][4];
	char preempt_letters[256][2];
};

/* report-state.c: what is kept for @cpu; NULL without memory. */
struct report_cpu *report_make_cpu(struct report *report, uint32_t cpu);
static inline struct report_cpu *report_cpu(struct report *report, uint32_t cpu)
{
	if (__builtin_expect(cpu < report->n_cpus, 1))
		return &report->cpus[cpu];
	return report_make_cpu(report, cpu);
}

/* The plan for events of that id; never NULL. */
static inline const struct event_plan *report_plan(struct report *report, uint16_t id)
{
	const struct event_plan *plan = report->plans[id];

	return __builtin_expect(plan != NULL, 1) ? plan : report->make_plan(report, id);
}

/* Writes a name of rendering_symbol(). */
static inline void rendering_put_symbol(const struct rendering *rendering, const char *name)
{
	if (__builtin_expect(rendering->report->kallsyms->is_odd, 0))
		quote_text_str(rendering->text, name);
	else
		text_padded_str(rendering->text, name);
}

/* report-line.c: makes the letters of the flags column. */
void report_line_init(struct report *report);
/* All before the event's own text. */
void report_line_head(struct report *report, const struct event_plan *plan,
		      const struct fathom_event *event, struct text *text);
struct cursor_place;
/* report-debug.c: " [time:offset]" of a page; " [delta:offset:size]" of an event, and what follows it. */
void report_debug_page(const struct cursor_place *place, struct text *text);
void report_debug_event(const struct cursor_place *place, uint32_t size, struct text *text);
/* A time of @buffer, as -t and the like ask for, without blank or colon. */
void report_time_text(struct report *report, size_t buffer, uint64_t time, struct text *text);

#endif
