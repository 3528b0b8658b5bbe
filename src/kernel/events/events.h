/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of the running kernel, and the fields of an event as its `format` file lists them. For
 * display and checks only; format/event/ decodes events. Each result owns its strings, until the
 * corresponding _done(). @tracefs is a descriptor of the tracefs directory. Functions return 0 or a
 * negative errno.
 */
#ifndef FATHOM_KERNEL_EVENTS_EVENTS_H
#define FATHOM_KERNEL_EVENTS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"

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
	char *text; /* contents of available_events; names point into it */
};

struct layout_field {
	const char *type; /* "unsigned short", "__data_loc char[]" */
	const char *name; /* including array bounds: "comm[16]" */
	unsigned offset;
	unsigned size;
	bool is_signed;
	bool common; /* present in every event */
};

struct event_layout {
	unsigned id;
	struct layout_field *fields;
	size_t n_fields;
	const char *print_fmt; /* "" if the format has none */
	struct arena arena; /* owns all strings and fields */
};

/* Lists events, sorted by subsystem and name. */
int events_read(int tracefs, struct events *ret_events, struct fathom_err *err);
void events_done(struct events *events);

/* Reads events/SYSTEM/NAME/format. @ret_format is to be released with event_layout_done(). */
int event_layout_read(int tracefs, const char *system, const char *name,
		      struct event_layout *ret_format, struct fathom_err *err);
/* The same from @text. Returns -EINVAL if that is not an event format, or -ENOMEM. */
int event_layout_parse(const char *text, struct event_layout *ret_format);
void event_layout_done(struct event_layout *format);

#endif
