/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads values of fields from untrusted records. */
#include <string.h>

#include "format/event/c-type.h"
#include "format/event/event-format.h"

uint64_t event_read_number(struct event_abi abi, const unsigned char *p, unsigned size)
{
	const bool swap = abi.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint16_t n2;
	uint32_t n4;
	uint64_t n8;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&n2, p, sizeof(n2));
		return swap ? __builtin_bswap16(n2) : n2;
	case 4:
		memcpy(&n4, p, sizeof(n4));
		return swap ? __builtin_bswap32(n4) : n4;
	case 8:
		memcpy(&n8, p, sizeof(n8));
		return swap ? __builtin_bswap64(n8) : n8;
	default:
		return 0;
	}
}

const struct event_field *event_field_find_len(const struct event_format *format, const char *name,
					       size_t len)
{
	for (uint32_t i = 0; i < format->n_fields; i++) {
		const struct event_field *field = &format->fields[i];

		if (strncmp(field->name, name, len) == 0 && field->name[len] == '\0')
			return field;
	}
	return NULL;
}

const struct event_field *event_field_find(const struct event_format *format, const char *name)
{
	return event_field_find_len(format, name, strlen(name));
}

static bool dynamic_bytes(const struct event_format *format, const struct event_field *field,
			  const unsigned char *record, size_t len, const unsigned char **ret_bytes,
			  size_t *ret_len)
{
	uint64_t loc;
	size_t offset;
	size_t size;

	if (field->place == EVENT_PLACE_OFFSET) {
		offset = event_read_number(format->abi, record + field->offset, 2);
		if (offset > len)
			return false;
		*ret_bytes = record + offset;
		*ret_len = strnlen((const char *)record + offset, len - offset);
		return true;
	}
	if (field->size != 4)
		return false;
	loc = event_read_number(format->abi, record + field->offset, 4);
	offset = loc & 0xffff;
	size = loc >> 16;
	if (field->place == EVENT_PLACE_REL_LOC)
		offset += field->offset + field->size;
	if (offset > len || size > len - offset)
		return false;
	*ret_bytes = record + offset;
	*ret_len = size;
	return true;
}

bool event_field_bytes(const struct event_format *format, const struct event_field *field,
		       const void *record, size_t len, const unsigned char **ret_bytes,
		       size_t *ret_len)
{
	if (field->offset > len || field->size > len - field->offset)
		return false;
	if (field->place != EVENT_PLACE_FIXED)
		return dynamic_bytes(format, field, record, len, ret_bytes, ret_len);
	*ret_bytes = (const unsigned char *)record + field->offset;
	*ret_len = field->size ? field->size : len - field->offset;
	return true;
}

bool event_field_element(const struct event_format *format, const struct event_field *field,
			 const void *record, size_t len, size_t i, uint64_t *ret_value)
{
	const unsigned char *bytes;
	size_t size;

	if (!field->elem_size || !event_field_bytes(format, field, record, len, &bytes, &size) ||
	    i >= size / field->elem_size)
		return false;
	*ret_value = c_type_narrow(event_read_number(format->abi, bytes + i * field->elem_size,
						     field->elem_size),
				   field->elem_size, field->is_signed);
	return true;
}

bool event_field_u64(const struct event_format *format, const struct event_field *field,
		     const void *record, size_t len, uint64_t *ret_value)
{
	uint64_t value;

	if (!event_field_element(format, field, record, len, 0, &value))
		return false;
	*ret_value = c_type_narrow(value, field->elem_size, false);
	return true;
}

bool event_field_s64(const struct event_format *format, const struct event_field *field,
		     const void *record, size_t len, int64_t *ret_value)
{
	uint64_t value;

	if (!event_field_element(format, field, record, len, 0, &value))
		return false;
	*ret_value = (int64_t)value;
	return true;
}

bool event_field_string(const struct event_format *format, const struct event_field *field,
			const void *record, size_t len, const char **ret_text, size_t *ret_len)
{
	const unsigned char *bytes;
	size_t size;

	if (field->kind != EVENT_FIELD_STRING ||
	    !event_field_bytes(format, field, record, len, &bytes, &size))
		return false;
	*ret_text = (const char *)bytes;
	*ret_len = strnlen((const char *)bytes, size);
	return true;
}
