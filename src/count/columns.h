/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the keys and the value of a plan come from, for given event formats, and the layout of keys
 * in memory. Keys of both ways to evaluate a plan have this layout, so their bytes can be compared.
 *
 * A key is the concatenation of its columns: numbers have 8 bytes, extended according to their
 * sign, in host byte order; texts are padded with NULs.
 *
 * Names in keys mean the same as in filters (fathom-filter(7)): comm, pid, tgid, cpu and event are
 * facts about the counted event, EVENT.FIELD is always a field. func is a fact about functions, and
 * a field of events. A field can be that of a begin if the events that end it lack it.
 */
#ifndef FATHOM_COUNT_COLUMNS_H
#define FATHOM_COUNT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "count/plan.h"
#include "format/event/event-format.h"

#define COUNT_COMM_SIZE 16
#define COUNT_TEXT_SIZE 64 /* longer texts are cut, and always end with a NUL */
/* The longest key, in words of 8 bytes. */
#define COUNT_KEY_WORDS (COUNT_KEYS_MAX * COUNT_TEXT_SIZE / 8)

enum count_column_kind {
	COUNT_COLUMN_NUMBER,
	COUNT_COLUMN_TEXT,
	COUNT_COLUMN_ADDRESS, /* shown as a function, if there is one */
	COUNT_COLUMN_EVENT, /* index of a struct count_site */
	COUNT_COLUMN_STACK, /* see count_live_stack(); -1: unknown */
};

enum count_fact {
	COUNT_FACT_NONE, /* the other side of the pair has it */
	COUNT_FACT_FIELD, /* @field */
	COUNT_FACT_PID,
	COUNT_FACT_TGID,
	COUNT_FACT_CPU,
	COUNT_FACT_COMM,
	COUNT_FACT_EVENT,
	COUNT_FACT_FUNC,
	COUNT_FACT_KSTACK,
	COUNT_FACT_USTACK,
	COUNT_FACT_LATENCY, /* only as the value */
};

/* The origin of one value at one site. */
struct count_from {
	enum count_fact fact;
	const struct event_field *field; /* of COUNT_FACT_FIELD */
};

/* A kind of event that the plan observes: a begin, or one that is counted. */
struct count_site {
	const struct count_source *source;
	const struct event_format *format;
	bool is_begin;
	const struct filter *filter; /* of the plan, if it applies here and is bound; or NULL */
	/* Set by count_columns_init(): */
	struct count_from keys[COUNT_KEYS_MAX];
	struct count_from value;
	struct count_from pair; /* COUNT_FACT_NONE: the thread */
};

struct count_column {
	const char *name; /* as in the plan */
	enum count_column_kind kind;
	bool is_signed;
	uint32_t offset, size; /* in the key, in bytes; multiples of 8 */
};

/* Fields that are elements of arrays, "args[0]", in all sites together. */
#define COUNT_ELEMENTS_MAX 64

/* Must not be moved once initialized: sites refer to @elements. */
struct count_columns {
	struct count_column keys[COUNT_KEYS_MAX];
	size_t n_keys;
	uint32_t key_size; /* in bytes; 0: no keys */
	bool has_value;
	bool is_signed; /* the value */
	bool is_time; /* the value is in ns */
	bool is_address; /* the value */
	struct event_field elements[COUNT_ELEMENTS_MAX];
	size_t n_elements;
};

/*
 * Resolves the names of @plan at the @n @sites, whose source, format and is_begin are set. Returns
 * 0, or a negative errno with the name in @err: -ENOENT if a name is unknown, -EINVAL if it cannot
 * be a key or a value; @columns is undefined then.
 */
int count_columns_init(struct count_columns *columns, const struct count_plan *plan,
		       struct count_site *sites, size_t n, struct fathom_err *err);

/* Returns whether the field is text, either in the record or that a pointer refers to. */
bool count_field_is_text(const struct event_field *field);
/* Returns whether the field is a pointer to text outside of the record. */
bool count_field_is_pointer_to_text(const struct event_field *field);

#endif
