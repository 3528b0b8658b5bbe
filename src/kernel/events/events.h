/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events that this kernel offers, sorted by subsystem and name, and what an event's
 * `format` file says about its fields: split into lines, not interpreted.
 */
#ifndef FATHOM_KERNEL_EVENTS_EVENTS_H
#define FATHOM_KERNEL_EVENTS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct event {
	const char *system;
	const char *name;
	bool enabled; /* in the top-level buffer */
};

struct events {
	struct event *list;
	size_t n;
	size_t n_systems;
	size_t n_enabled;
	char *text; /* available_events; names point into it */
};

struct layout_field {
	const char *type; /* "unsigned short", "__data_loc char[]" */
	const char *name; /* with what belongs to the declarator: "comm[16]" */
	unsigned offset;
	unsigned size;
	bool is_signed;
	bool common; /* every event has it */
};

struct event_layout {
	unsigned id;
	struct layout_field *fields;
	size_t n_fields;
	const char *print_fmt; /* "" when there is none */
	struct arena arena; /* owns all of it */
};

/* Reads the list below the tracefs directory @tracefs; untouched on failure. */
int events_read(int tracefs, struct events *ret_events, struct fathom_err *err);
void events_done(struct events *events);

/* Reads events/SYSTEM/NAME/format. */
int event_layout_read(int tracefs, const char *system, const char *name,
		      struct event_layout *ret_format, struct fathom_err *err);
/* The same from @text. 0, -EINVAL when it is no event format, -ENOMEM. */
int event_layout_parse(const char *text, struct event_layout *ret_format);
void event_layout_done(struct event_layout *format);

#endif
