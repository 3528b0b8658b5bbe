/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing what a kernel offers for tracing, one item at a time: for people, as bare
 * names, or as JSON.
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
#include "render/kit/json.h"
#include "render/kit/out.h"

struct list_writer {
	const struct list_format *format;
	struct out *out;
	bool verbose;
	int name_width; /* for what is written in columns */
	struct strbuf buf; /* JSON that was not written yet */
	struct json json;
	int err; /* 0, or -ENOMEM when JSON was lost */
};

/* A function and what the kernel's type information says about it. */
struct list_function {
	const struct function *function;
	const char *prototypes; /* one per line */
	int n_prototypes; /* more than one: not known which of them is the right one */
	bool of_source; /* the compiler made this function out of the one in the prototype */
	bool last_of_name; /* no other function of the same name follows */
	size_t dropped; /* entries of the kernel's list under this name that are no functions */
};

/* Numbers of the overview: negative where something could not be read. */
struct list_overview {
	const char *release; /* of the kernel */
	const char *where; /* tracefs */
	long functions, events, systems, events_enabled;
	long tracers, clocks, options, probes, instances;
	const char *tracer, *clock; /* the current ones, "" when not known */
};

struct list_format {
	void (*begin)(struct list_writer *w, const char *kind, size_t n);
	void (*function)(struct list_writer *w, const struct list_function *f);
	/* @format is NULL unless the writer is verbose. */
	void (*event)(struct list_writer *w, const struct event *e,
		      const struct event_layout *format);
	/* @is_switch: it is on or off by itself; else one of several is chosen. */
	void (*setting)(struct list_writer *w, const struct setting *s, bool is_switch);
	void (*probe)(struct list_writer *w, const struct dynamic_event *e);
	void (*instance)(struct list_writer *w, const struct instance *i);
	void (*overview)(struct list_writer *w, const struct list_overview *o);
	void (*end)(struct list_writer *w);
};

extern const struct list_format list_text;
/* The names alone, one per line. */
extern const struct list_format list_names;
/* Names of functions as the kernel's own list has them: "NAME [MODULE]". */
extern const struct list_format list_names_and_modules;
extern const struct list_format list_json;

/* Writes @text to a terminal or file with control characters made visible as '?'. */
void list_put_text(struct out *out, const char *text);

#endif
