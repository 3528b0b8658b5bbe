/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel says about one event in its `format` text: name, id and fields.
 * All memory comes from the arena given to event_format_parse() and lives as long
 * as that; after parsing nothing changes, so threads may share it.
 *
 * Values are read from a record by its field. The record's real length is always
 * given, and a value that does not lie within it completely is not there.
 */
#ifndef FATHOM_FORMAT_EVENT_EVENT_FORMAT_H
#define FATHOM_FORMAT_EVENT_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"

/* A format text may not be longer, nor have more fields. */
#define EVENT_FORMAT_TEXT_MAX	((size_t)256 << 10)
#define EVENT_FORMAT_FIELDS_MAX 4096

/* The machine on which the events were recorded. */
struct event_abi {
	uint8_t long_size; /* 4 or 8 */
	bool big_endian;
};

enum event_field_kind {
	EVENT_FIELD_INT, /* one number of 1, 2, 4 or 8 bytes */
	EVENT_FIELD_BOOL,
	EVENT_FIELD_POINTER, /* an address of the kernel or of a program */
	EVENT_FIELD_STRING, /* text, ends at a NUL or where its room ends */
	EVENT_FIELD_ARRAY, /* numbers of elem_size bytes */
	EVENT_FIELD_BITMASK, /* bits in longs */
	EVENT_FIELD_CPUMASK, /* the same, bits are CPUs */
	EVENT_FIELD_SOCKADDR, /* a struct sockaddr of some family */
	EVENT_FIELD_STACK, /* addresses, the innermost first */
	EVENT_FIELD_BYTES, /* a struct, or anything else that is not known closer */
};

enum event_field_place {
	EVENT_PLACE_FIXED, /* at offset, size bytes; 0 bytes: until the end of the record */
	EVENT_PLACE_DATA_LOC, /* at offset stands length << 16 | offset in the record */
	EVENT_PLACE_REL_LOC, /* the same, counted from the end of this number */
	EVENT_PLACE_OFFSET, /* at offset stand 2 bytes, an offset; ends at a NUL */
};

struct event_field {
	const char *name;
	const char *type; /* as in the text, "char[16]", "__data_loc char[]" */
	uint32_t offset;
	uint32_t size; /* in the fixed part of the record */
	uint32_t count; /* elements of a fixed array, 0 when it is none */
	uint8_t elem_size; /* bytes of one element or of the number; 0: not known */
	uint8_t kind; /* enum event_field_kind */
	uint8_t place; /* enum event_field_place */
	bool is_signed; /* the number, or the elements */
	bool is_common; /* one of those that all events have */
};

struct event_format {
	const char *system;
	const char *name;
	int id;
	struct event_abi abi;
	uint32_t n_fields;
	struct event_field *fields; /* the common ones first */
	const char *print; /* the text behind "print fmt:", NULL when there is none */
	size_t print_len;
};

/*
 * Reads one format text. Fields that are given twice keep their first meaning.
 * 0 or a negative errno; @err says at which byte.
 */
int event_format_parse(const char *text, size_t len, const char *system, struct event_abi abi,
		       struct arena *arena, struct event_format **ret_format,
		       struct fathom_err *err);

/* The field of that name, common or not, or NULL. */
const struct event_field *event_field_find(const struct event_format *format, const char *name);
const struct event_field *event_field_find_len(const struct event_format *format, const char *name,
					       size_t len);

/* Where the field's bytes are (behind the location for a dynamic one). False: not in the record. */
bool event_field_bytes(const struct event_format *format, const struct event_field *field,
		       const void *record, size_t len, const unsigned char **ret_bytes,
		       size_t *ret_len);
/* Numbers, booleans and pointers; the first element of an array. False: there is no such value. */
bool event_field_u64(const struct event_format *format, const struct event_field *field,
		     const void *record, size_t len, uint64_t *ret_value);
bool event_field_s64(const struct event_format *format, const struct event_field *field,
		     const void *record, size_t len, int64_t *ret_value);
/* Element @i of a field of any kind whose elements are numbers. */
bool event_field_element(const struct event_format *format, const struct event_field *field,
			 const void *record, size_t len, size_t i, uint64_t *ret_value);
/* Text, not terminated, in place. */
bool event_field_string(const struct event_format *format, const struct event_field *field,
			const void *record, size_t len, const char **ret_text, size_t *ret_len);

/* Is it text that somebody has written into the trace: trace_printk(), trace_marker? */
bool event_format_is_message(const struct event_format *format);
/* Reads a number of @size (1, 2, 4, 8) bytes as @abi stored it; not widened with its sign. */
uint64_t event_read_number(struct event_abi abi, const unsigned char *p, unsigned size);

#endif
