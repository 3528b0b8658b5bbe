/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The internals of a report, for the renderers and writers in this folder. */
#ifndef FATHOM_RENDER_REPORT_REPORT_PARTS_H
#define FATHOM_RENDER_REPORT_REPORT_PARTS_H

#include "base/quote.h"
#include "read/context/tasks.h"
#include "render/report/event-renderer.h"
#include "symbols/btf/parameters.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/printk.h"
#include "symbols/probe/probed-functions.h"

/*
 * Sizes of cached texts. Lines are assembled by copies of exactly these sizes, which compile to a
 * few moves; the excess is overwritten by the next part.
 */
#define WHO_SIZE     64
#define SECONDS_SIZE 32
#define FLAGS_SIZE   5 /* for letters that are the same in all kernels */
#define HEAD_SIZE    32

/* "            comm-pid   [cpu]" of the last task on a CPU. */
struct report_who {
	int32_t pid;
	uint32_t len;
	size_t tasks; /* number of known task names at that time; a newer one may be this task's */
	char text[WHO_SIZE];
};

/* A function in a guessed stack. */
struct report_function {
	const char *name; /* NULL: end of the stack */
	uint64_t key; /* the first bytes of the name, for fast comparison */
};

/* The functions that seem to be active on a CPU; the outermost is the first. */
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
	struct probed_functions users; /* user functions that the recording has probes on */
	const struct kallsyms *kallsyms;
	struct kallsyms_cache cache;
	struct printk printk;
	struct parameters parameters;
	struct user_symbols *user_symbols; /* not owned; NULL: user addresses are not symbolized */
	int64_t user_time_offset; /* offset that was added to the times of events, in ns */
	struct tasks tasks;
	struct print_env env;
	struct event_plan **plans; /* by event ID; NULL: not yet made */
	/*
	 * Makes and stores the plan for events with this ID; never returns NULL. A pointer, because
	 * plans refer to renderers, and some renderers need the plan of another event.
	 */
	const struct event_plan *(*make_plan)(struct report *report, unsigned id);
	struct event_plan unknown; /* for events without a format */
	struct report_cpu *cpus;
	size_t n_cpus;
	bool *in_nanoseconds; /* by index of the buffer */
	size_t n_buffers;
	struct event_entry *graph_exit; /* funcgraph_exit; NULL: none */

	/* About the line before */
	uint64_t last_time; /* 0: none */
	uint64_t first_time;
	bool has_first;
	uint64_t seconds; /* what seconds_text contains */
	uint32_t seconds_len;
	char seconds_text[SECONDS_SIZE];
	bool nomem; /* see report_nomem() */
	bool is_usual; /* the options allow the fast path of report-line.c */

	/* The letters of the flags column: three by common_flags, two by common_preempt_count. */
	char flag_letters[256][4];
	char preempt_letters[256][2];
};

/*
 * Makes the state of @cpu. Returns NULL if memory is exhausted or @cpu is too large. In
 * report-state.c.
 */
struct report_cpu *report_make_cpu(struct report *report, uint32_t cpu);
static inline struct report_cpu *report_cpu(struct report *report, uint32_t cpu)
{
	if (__builtin_expect(cpu < report->n_cpus, 1))
		return &report->cpus[cpu];
	return report_make_cpu(report, cpu);
}

/* Returns the plan for events with this ID; never NULL. */
static inline const struct event_plan *report_plan(struct report *report, uint16_t id)
{
	const struct event_plan *plan = report->plans[id];

	return __builtin_expect(plan != NULL, 1) ? plan : report->make_plan(report, id);
}

/* Appends a name returned by rendering_symbol(). */
static inline void rendering_put_symbol(const struct rendering *rendering, const char *name)
{
	if (__builtin_expect(rendering->report->kallsyms->is_odd, 0))
		quote_text_str(rendering->text, name);
	else
		text_padded_str(rendering->text, name);
}

/* Makes the letters of the flags column. In report-line.c, as is the next one. */
void report_line_init(struct report *report);
/* Appends what precedes the event's own text. */
void report_line_head(struct report *report, const struct event_plan *plan,
		      const struct fathom_event *event, struct text *text);
struct cursor_place;
/*
 * Append " [time:offset]" of a page, and " [delta:offset:size]" of an event with what follows it.
 * In report-debug.c.
 */
void report_debug_page(const struct cursor_place *place, struct text *text);
void report_debug_event(const struct cursor_place *place, uint32_t size, struct text *text);
/* Appends a time of @buffer in the format chosen by the options, without space or colon. */
void report_time_text(struct report *report, size_t buffer, uint64_t time, struct text *text);

#endif
