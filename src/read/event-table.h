/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The event descriptions of a trace by id. Only the ids are read at first; a
 * description is parsed when its first event comes, and its print expression when
 * that is to be printed. So a file with thousands of descriptions opens at once.
 * Not for several threads.
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
	const struct event_format *format; /* once it is read */
	const struct print_program *program; /* once it is compiled; NULL: it has none */
	int id;
	enum event_state format_state, program_state;
};

struct probed_functions;

struct event_table {
	/* What events of functions in programs tell of; the caller's. NULL: there are none. */
	const struct probed_functions *users;
	struct arena arena;
	struct event_abi abi;
	struct event_entry *entries; /* in the order of the file */
	size_t n;
	struct event_entry **by_id; /* EVENT_TABLE_IDS of them */
	bool nomem; /* something could not be read for lack of memory */
};

/* @trace must outlive the table. 0 or a negative errno. */
int event_table_init(struct event_table *table, struct fathom_trace *trace, struct fathom_err *err);
void event_table_done(struct event_table *table);

/* The event with that id, its format read; NULL when there is none, or it cannot be read. */
struct event_entry *event_table_find(struct event_table *table, unsigned id);
/* The first event of that name; @system may be NULL. Reads formats until it is found. */
struct event_entry *event_table_find_name(struct event_table *table, const char *system,
					  const char *name);
/* Reads the format of the entry: NULL, and the reason in @err (may be NULL), when it cannot be. */
const struct event_format *event_table_format(struct event_table *table, struct event_entry *entry,
					      struct fathom_err *err);
/* Compiles its print expression, likewise. */
const struct print_program *event_table_program(struct event_table *table,
						struct event_entry *entry, struct fathom_err *err);

#endif
