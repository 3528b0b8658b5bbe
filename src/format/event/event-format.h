/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The `format` text of an event, parsed: name, ID and fields. All memory comes from the arena given
 * to event_format_parse() and is valid as long as that arena; the text itself is not referenced. A
 * format is immutable once parsed, so threads can share it.
 *
 * Values are read from a record by field. Records are untrusted: the caller passes the length of
 * the record, and a value that is not entirely within it does not exist. What is returned by
 * pointer points into the record.
 */
#ifndef FATHOM_FORMAT_EVENT_EVENT_FORMAT_H
#define FATHOM_FORMAT_EVENT_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"

/* Limits on a format; a text that exceeds them is rejected. */
#define EVENT_FORMAT_TEXT_MAX	((size_t)256 << 10)
#define EVENT_FORMAT_FIELDS_MAX 4096

/* Properties of the machine on which the events were recorded. */
struct event_abi {
	uint8_t long_size; /* 4 or 8 bytes */
	bool big_endian;
};

enum event_field_kind {
	EVENT_FIELD_INT, /* one number of 1, 2, 4 or 8 bytes */
	EVENT_FIELD_BOOL,
	EVENT_FIELD_POINTER, /* a kernel or user address */
	EVENT_FIELD_STRING, /* text; ends at a NUL or at the end of its space */
	EVENT_FIELD_ARRAY, /* numbers of elem_size bytes */
	EVENT_FIELD_BITMASK, /* bits in longs */
	EVENT_FIELD_CPUMASK, /* the same, one bit per CPU */
	EVENT_FIELD_SOCKADDR, /* a struct sockaddr of any family */
	EVENT_FIELD_STACK, /* addresses, innermost first */
	EVENT_FIELD_BYTES, /* a struct, or a type that is unknown */
};

enum event_field_place {
	EVENT_PLACE_FIXED, /* @size bytes at @offset; size 0: up to the end of the record */
	EVENT_PLACE_DATA_LOC, /* a u32 at @offset: length << 16 | offset in the record */
	EVENT_PLACE_REL_LOC, /* the same, with the offset relative to the end of that u32 */
	/* a u16 at @offset: an offset in the record; the text there ends at a NUL */
	EVENT_PLACE_OFFSET,
};

struct event_field {
	const char *name;
	const char *type; /* as in the text: "char[16]", "__data_loc char[]" */
	uint32_t offset;
	uint32_t size; /* bytes in the fixed part of the record */
	uint32_t count; /* elements of a fixed array; 0: not an array */
	uint8_t elem_size; /* bytes of the number or of one element; 0: unknown */
	uint8_t kind; /* enum event_field_kind */
	uint8_t place; /* enum event_field_place */
	bool is_signed; /* the number or the elements */
	bool is_common; /* one of the common fields */
	bool is_address; /* an unsigned number, or elements, that are addresses */
};

struct event_format {
	const char *system;
	const char *name;
	int id;
	struct event_abi abi;
	uint32_t n_fields;
	struct event_field *fields; /* common fields first */
	const char *print; /* the text after "print fmt:", or NULL; not NUL-terminated */
	size_t print_len;
};

/*
 * Parses the text of a format. If a field is given twice, the first definition is used. Returns 0
 * or a negative errno; @err has the byte offset.
 */
int event_format_parse(const char *text, size_t len, const char *system, struct event_abi abi,
		       struct arena *arena, struct event_format **ret_format,
		       struct fathom_err *err);

/* Returns the field of that name, common or not, or NULL. */
const struct event_field *event_field_find(const struct event_format *format, const char *name);
const struct event_field *event_field_find_len(const struct event_format *format, const char *name,
					       size_t len);

/*
 * Returns where the bytes of the field are (for a dynamic field, those that its location refers
 * to). Returns false if they are not within the record.
 */
bool event_field_bytes(const struct event_format *format, const struct event_field *field,
		       const void *record, size_t len, const unsigned char **ret_bytes,
		       size_t *ret_len);
/* For numbers, booleans and pointers, and the first element of an array. False: no such value. */
bool event_field_u64(const struct event_format *format, const struct event_field *field,
		     const void *record, size_t len, uint64_t *ret_value);
bool event_field_s64(const struct event_format *format, const struct event_field *field,
		     const void *record, size_t len, int64_t *ret_value);
/* Reads element @i of a field of any kind that has numbers as elements. */
bool event_field_element(const struct event_format *format, const struct event_field *field,
			 const void *record, size_t len, size_t i, uint64_t *ret_value);
/* Returns text in place, not NUL-terminated. */
bool event_field_string(const struct event_format *format, const struct event_field *field,
			const void *record, size_t len, const char **ret_text, size_t *ret_len);

/* Returns whether the event is text written to the trace: trace_printk(), trace_marker. */
bool event_format_is_message(const struct event_format *format);
/* Reads a number of @size (1, 2, 4, 8) bytes in the byte order of @abi, without sign extension. */
uint64_t event_read_number(struct event_abi abi, const unsigned char *p, unsigned size);

#endif
