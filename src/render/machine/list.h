/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the events, functions and settings that a kernel offers for tracing, one item at a time:
 * as text, as plain names, or as JSON or CSV. The caller calls begin(), a function per item, and
 * end(); items are not kept. JSON and CSV are buffered: callers check @err after end() and release
 * @buf and @csv.
 */
#ifndef FATHOM_RENDER_MACHINE_LIST_H
#define FATHOM_RENDER_MACHINE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "kernel/events/dynamic-events.h"
#include "kernel/events/events.h"
#include "kernel/events/functions.h"
#include "kernel/tracefs/instances.h"
#include "kernel/tracefs/settings.h"
#include "render/kit/json-document.h"
#include "render/kit/out.h"

struct list_writer {
	const struct list_format *format;
	struct out *out;
	bool verbose;
	int name_width; /* width of the name column */
	struct strbuf buf; /* JSON that was not yet written */
	struct json json;
	bool as_csv; /* write CSV instead of JSON */
	struct json_csv csv;
	int err; /* 0, or -ENOMEM if JSON or CSV was lost */
};

/* A function, with its prototypes from the kernel's type information. */
struct list_function {
	const struct function *function;
	const char *prototypes; /* one per line */
	int n_prototypes; /* more than one: it is unknown which one is right */
	bool of_source; /* the compiler derived this function from the one in the prototype */
	bool last_of_name; /* no other function of this name follows */
	size_t dropped; /* entries of this name in the kernel's list that are not functions */
};

/* Numbers are negative if they could not be read. */
struct list_overview {
	const char *release; /* the kernel's */
	const char *where; /* the mount point of tracefs */
	long functions, events, systems, events_enabled;
	long tracers, clocks, options, probes, instances;
	const char *tracer, *clock; /* the current ones; "" if unknown */
};

struct list_format {
	void (*begin)(struct list_writer *w, const char *kind, size_t n);
	void (*function)(struct list_writer *w, const struct list_function *f);
	/* @format is NULL unless the writer is verbose. */
	void (*event)(struct list_writer *w, const struct event *e,
		      const struct event_layout *format);
	/* @is_switch: the setting is on or off; otherwise it is one of several values. */
	void (*setting)(struct list_writer *w, const struct setting *s, bool is_switch);
	void (*probe)(struct list_writer *w, const struct dynamic_event *e);
	void (*instance)(struct list_writer *w, const struct instance *i);
	void (*overview)(struct list_writer *w, const struct list_overview *o);
	void (*end)(struct list_writer *w);
};

extern const struct list_format list_text;
/* Plain names, one per line. */
extern const struct list_format list_names;
/* Functions in the format of available_filter_functions: "NAME [MODULE]". */
extern const struct list_format list_names_and_modules;
extern const struct list_format list_json;

/* Prints @text, quoted as in base/quote.h. */
void list_put_text(struct out *out, const char *text);

#endif
