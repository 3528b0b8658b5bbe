/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The value of a field in one record, by the kind in which it is written. Outputs that show all
 * fields (columns, JSON, exports) read values here and differ only in how they write each kind.
 * Values borrow the record, which is untrusted: all bytes lie within it.
 */
#ifndef FATHOM_FORMAT_EVENT_EVENT_VALUE_H
#define FATHOM_FORMAT_EVENT_EVENT_VALUE_H

#include "format/event/event-format.h"

enum event_value_kind {
	EVENT_VALUE_SIGNED, /* numbers, extended to 64 bits */
	EVENT_VALUE_UNSIGNED,
	EVENT_VALUE_BOOL,
	EVENT_VALUE_ADDRESS,
	EVENT_VALUE_STRING, /* text, not NUL-terminated */
	EVENT_VALUE_ELEMENTS, /* numbers, see event_value_element() */
	EVENT_VALUE_BITS, /* see event_value_next_bit() */
	EVENT_VALUE_BYTES,
};

struct event_value {
	enum event_value_kind kind;
	enum event_value_kind element; /* the kind of each element */
	struct event_abi abi;
	uint8_t elem_size;
	bool is_signed; /* the elements */
	uint64_t number; /* of the first four kinds */
	const unsigned char *bytes;
	size_t size; /* of the bytes */
	size_t n; /* elements */
};

/*
 * Reads the value of @field. Returns false if it is not within the record: @ret_value then has its
 * kind, without elements, bits or bytes.
 */
bool event_value_read(const struct event_format *format, const struct event_field *field,
		      const void *record, size_t len, struct event_value *ret_value);
/* Returns element @i, which is less than @n. */
uint64_t event_value_element(const struct event_value *value, size_t i);
/*
 * Finds the first bit from *@bit on that is set, and stores its number there. Masks consist of
 * longs of the kernel; bytes after the last whole one are ignored. Returns false if there is none.
 */
bool event_value_next_bit(const struct event_value *value, size_t *bit);

#endif
