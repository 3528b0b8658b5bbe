/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The event formats of a trace by ID. Initially, only the IDs are read; a format is parsed when its
 * first event is read, and its print expression is compiled when it is first printed. A file with
 * thousands of formats therefore opens quickly.
 *
 * Not thread-safe, because lookups parse on demand. Entries, formats and programs belong to the
 * table, and are valid until event_table_done(). The trace must outlive the table.
 */
#ifndef FATHOM_READ_EVENT_TABLE_H
#define FATHOM_READ_EVENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>
#include <fathom/trace.h>

#include "base/arena.h"
#include "format/event/event-format.h"
#include "format/print.h"

/* common_type has 16 bits. */
#define EVENT_TABLE_IDS 65536

enum event_state {
	EVENT_UNREAD,
	EVENT_READ,
	EVENT_FAILED,
};

struct event_entry {
	const struct fathom_format_text *text;
	const struct event_format *format; /* NULL until parsed */
	/* NULL until compiled, or without a print expression */
	const struct print_program *program;
	int id;
	enum event_state format_state, program_state;
};

struct probed_functions;

struct event_table {
	/* Definitions of user function probes, owned by the caller; NULL: none. */
	const struct probed_functions *users;
	struct arena arena;
	struct event_abi abi;
	struct event_entry *entries; /* in the order of the file */
	size_t n;
	struct event_entry **by_id; /* EVENT_TABLE_IDS pointers */
	bool nomem; /* something could not be parsed for lack of memory */
};

/* Returns 0 or a negative errno. Not concurrent with other calls for @trace that load sections. */
int event_table_init(struct event_table *table, struct fathom_trace *trace, struct fathom_err *err);
void event_table_done(struct event_table *table);

/* Returns the event with that ID, its format parsed, or NULL if there is none or it is invalid. */
struct event_entry *event_table_find(struct event_table *table, unsigned id);
/*
 * Returns the first event of that name; @system may be NULL. Parses candidates until one is valid.
 */
struct event_entry *event_table_find_name(struct event_table *table, const char *system,
					  const char *name);
/*
 * Returns the format of the entry, parsing it if necessary, or NULL with the reason in @err, which
 * may be NULL.
 */
const struct event_format *event_table_format(struct event_table *table, struct event_entry *entry,
					      struct fathom_err *err);
/* The same for its print program. */
const struct print_program *event_table_program(struct event_table *table,
						struct event_entry *entry, struct fathom_err *err);

#endif
