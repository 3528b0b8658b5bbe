/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renderers, that is, code for events whose text is not that of the kernel's print format, and
 * their common functions. To add one, write a file event-NAME.c with a table of struct
 * event_renderer, and list it in event-renderers.c.
 *
 * Records are untrusted: fields may be missing, or lie outside the event. Renderers read them with
 * rendering_number() and its relatives, which check that. They append to the text of struct
 * rendering, which drops anything beyond its size. Lack of memory is reported by report_nomem().
 * Reports are not thread-safe.
 */
#ifndef FATHOM_RENDER_REPORT_EVENT_RENDERER_H
#define FATHOM_RENDER_REPORT_EVENT_RENDERER_H

#include <string.h>

#include "format/event/event-format.h"
#include "read/event-table.h"
#include "render/report/report.h"

/* The number of fields that a renderer can have. */
#define RENDERER_FIELDS 12

/* The event being rendered. Valid during a call of print(). */
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
	const char *fields[RENDERER_FIELDS]; /* looked up once per format, for rendering_number() */
	/* Returns whether the kernel's own text should follow. */
	bool (*print)(const struct rendering *rendering);
};

/* Data computed once per event format. Owned by the report, in its arena. */
struct event_plan {
	struct event_entry *entry; /* NULL: unknown event */
	const struct event_renderer *renderer; /* NULL: the kernel's text */
	const struct event_field *fields[RENDERER_FIELDS]; /* of the renderer; NULL: missing */
	const struct print_program *program; /* NULL: cannot be parsed */
	void *data; /* private to the renderer, see rendering_keep() */
	uint32_t flags, preempt; /* offsets of common fields; UINT32_MAX: missing */
	uint32_t migrate, lock_depth;
	bool raw;
	bool is_usual; /* the line begins with the common fields only */
	bool same_order; /* the record has the byte order of this machine */
	uint32_t head_len;
	const char *head; /* " name: " and spaces */
};

/* Returns the renderer for an event, or NULL. In event-renderers.c. */
const struct event_renderer *event_renderer_find(const char *system, const char *name);

struct json;
/*
 * Appends "main+0x12 [/usr/bin/app]" if the report has user symbols, otherwise the address. If
 * @returned, the address is a return address. In event-user.c, as are the next three.
 */
void rendering_user_address(const struct rendering *rendering, int32_t pid, uint64_t address,
			    bool returned);
/* Returns the renderer for events with user addresses, or NULL. */
const struct event_renderer *event_user_renderer(const struct event_format *format);
/*
 * Returns the renderer for the user function probes that fathom records, or NULL if the event is
 * none of them.
 */
const struct event_renderer *event_user_function_renderer(const struct report *report,
							  const struct event_format *format);
/*
 * Appends members to the open object of an event: the user function, if it is such a probe; and, if
 * the report has user symbols, an array "user_symbols" for user addresses and samples.
 */
void event_user_json(struct json *json, struct report *report, const struct event_format *format,
		     const struct fathom_event *event);

/* The slow paths of the next two functions, in event-renderer.c. */
bool rendering_number_slow(const struct rendering *rendering, const struct event_field *field,
			   uint64_t *ret_value);
bool rendering_need_slow(const struct rendering *rendering, unsigned i, uint64_t *ret_value);

/* Reads the @i-th field of the renderer, without sign extension. Returns false if it is missing. */
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

/* The same; if the field is missing, appends "<CANT FIND FIELD x>". */
bool rendering_find(const struct rendering *rendering, unsigned i, uint64_t *ret_value);
/* The same with an exclamation mark, or " x=INVALID!". */
static inline bool rendering_need(const struct rendering *rendering, unsigned i,
				  uint64_t *ret_value)
{
	return rendering_number(rendering, i, ret_value) ||
	       rendering_need_slow(rendering, i, ret_value);
}

/* The same; if the field is missing, appends 'CAN'T FIND FIELD "x"'. */
bool rendering_show(const struct rendering *rendering, unsigned i, uint64_t *ret_value);
/*
 * Returns the name of the symbol that contains @address, for rendering_put_symbol(), and the
 * symbol's start, or NULL. Valid as long as the report.
 */
const char *rendering_symbol(const struct rendering *rendering, uint64_t address,
			     uint64_t *ret_start);
/* Appends the words from offset @from to the end of the record as arguments of @function. */
void rendering_arguments(const struct rendering *rendering, uint32_t from, const char *function);
/* Appends " 123.456789", in the format of the line's own time. */
void rendering_time(const struct rendering *rendering, uint64_t time);
/*
 * Allocates zeroed memory for @plan->data that lives as long as the report. Returns NULL if memory
 * is exhausted.
 */
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
