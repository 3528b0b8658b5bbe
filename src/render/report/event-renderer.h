/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events with a text of their own, and what the functions that write it have at
 * hand. To add one: a file event-NAME.c with a table of struct event_renderer,
 * named in event-renderers.c.
 */
#ifndef FATHOM_RENDER_REPORT_EVENT_RENDERER_H
#define FATHOM_RENDER_REPORT_EVENT_RENDERER_H

#include <string.h>

#include "format/event/event-format.h"
#include "read/event-table.h"
#include "read/context/tasks.h"
#include "render/report/report.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/btf/parameters.h"
#include "symbols/kernel/printk.h"

/* Fields that a renderer may name. */
#define RENDERER_FIELDS 12

/* An event that is being written. */
struct rendering {
	struct report *report;
	const struct event_plan *plan;
	struct fathom_event *event;
	struct lookahead *lookahead;
	struct text *text;
};

struct event_renderer {
	const char *system;
	const char *name;
	const char *fields[RENDERER_FIELDS]; /* found once for each format; see rendering_field() */
	/* True: the kernel's own text follows. */
	bool (*print)(const struct rendering *rendering);
};

/* All that is worked out once for each kind of event. */
struct event_plan {
	struct event_entry *entry; /* NULL: the event is not known */
	const struct event_renderer *renderer; /* NULL: the kernel's text */
	const struct event_field *fields[RENDERER_FIELDS]; /* of the renderer; NULL: not there */
	const struct print_program *program; /* NULL: it cannot be parsed */
	void *data; /* a renderer's own, from the report's arena */
	uint32_t flags, preempt; /* offsets of common fields; UINT32_MAX: not there */
	uint32_t migrate, lock_depth;
	bool raw;
	bool is_usual; /* what stands before its text is no more than the usual */
	bool same_order; /* the record's byte order is ours */
	uint32_t head_len;
	const char *head; /* " name: " and blanks */
};

/* event-renderers.c: the renderer for an event, or NULL. */
const struct event_renderer *event_renderer_find(const char *system, const char *name);

struct json;
/* event-user.c: "main+0x12 [/usr/bin/app]", for reports that were given names; else the address. */
void rendering_user_address(const struct rendering *rendering, int32_t pid, uint64_t address,
			    bool returned);
/* The renderer of what has addresses of programs, or NULL. */
const struct event_renderer *event_user_renderer(const struct event_format *format);
/* The same of the events of functions of programs that a recording has probes on; NULL: it is none. */
const struct event_renderer *event_user_function_renderer(const struct report *report,
							  const struct event_format *format);
/*
 * Appends the function of a program to the object of such an event; and, if the report has names, an
 * array "user_symbols" to that of one with addresses of a program, or of a sample.
 */
void event_user_json(struct json *json, struct report *report, const struct event_format *format,
		     const struct fathom_event *event);

/* event-renderer.c: what the two below do when it is not simple. */
bool rendering_number_slow(const struct rendering *rendering, const struct event_field *field,
			   uint64_t *ret_value);
bool rendering_need_slow(const struct rendering *rendering, unsigned i, uint64_t *ret_value);

/* A number, not widened by its sign, of the @i-th field of the renderer. False: not there. */
static inline bool rendering_number(const struct rendering *rendering, unsigned i,
				    uint64_t *ret_value)
{
	const struct event_field *field = rendering->plan->fields[i];
	const struct fathom_event *event = rendering->event;
	const unsigned char *bytes = event->data;
	uint32_t word;

	if (!field)
		return false;
	if (rendering->plan->same_order && field->size == 8 && field->offset <= UINT16_MAX &&
	    field->offset + 8 <= event->size) {
		memcpy(ret_value, bytes + field->offset, 8);
		return true;
	}
	if (rendering->plan->same_order && field->size == 4 && field->offset <= UINT16_MAX &&
	    field->offset + 4 <= event->size) {
		memcpy(&word, bytes + field->offset, 4);
		*ret_value = word;
		return true;
	}
	return rendering_number_slow(rendering, field, ret_value);
}

/* The same, and the text says so when it is not there: "<CANT FIND FIELD x>!". */
static inline bool rendering_need(const struct rendering *rendering, unsigned i,
				  uint64_t *ret_value)
{
	return rendering_number(rendering, i, ret_value) ||
	       rendering_need_slow(rendering, i, ret_value);
}

/* The same for renderers that show what is missing as "CAN'T FIND FIELD "x"". */
bool rendering_show(const struct rendering *rendering, unsigned i, uint64_t *ret_value);
/*
 * The name of the symbol that @address is in, for rendering_put_symbol(), and where it starts; NULL when
 * there is none.
 */
const char *rendering_symbol(const struct rendering *rendering, uint64_t address,
			     uint64_t *ret_start);
/* The words from offset @from to the end of the record as arguments of @function. */
void rendering_arguments(const struct rendering *rendering, uint32_t from, const char *function);
/* " 123.456789", as the line's own time is written. */
void rendering_time(const struct rendering *rendering, uint64_t time);
/* Memory for @plan->data, zeroed and kept as long as the report; NULL without memory. */
void *rendering_keep(const struct rendering *rendering, size_t size);

extern const struct event_renderer event_function_renderers[];
extern const struct event_renderer event_graph_renderers[];
extern const struct event_renderer event_sched_renderers[];
extern const struct event_renderer event_kmem_renderers[];
extern const struct event_renderer event_hrtimer_renderers[];
extern const struct event_renderer event_kvm_renderers[];
extern const struct event_renderer event_kvm_mmu_renderers[];
extern const struct event_renderer event_futex_renderers[];
extern const struct event_renderer event_tlb_renderers[];
extern const struct event_renderer event_mac80211_renderers[];
extern const struct event_renderer event_sample_renderers[];

#endif
