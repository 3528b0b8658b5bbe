/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/event/event-value.h"

#include <string.h>

#include "format/event/c-type.h"

/* The kind of a number or of each element. */
static enum event_value_kind event_value_element_kind(const struct event_field *field)
{
	if (field->kind == EVENT_FIELD_STACK || field->is_address)
		return EVENT_VALUE_ADDRESS;
	return field->is_signed ? EVENT_VALUE_SIGNED : EVENT_VALUE_UNSIGNED;
}

static enum event_value_kind event_value_kind(const struct event_field *field)
{
	switch (field->kind) {
	case EVENT_FIELD_INT:
		return event_value_element_kind(field);
	case EVENT_FIELD_BOOL:
		return EVENT_VALUE_BOOL;
	case EVENT_FIELD_POINTER:
		return EVENT_VALUE_ADDRESS;
	case EVENT_FIELD_STRING:
		return EVENT_VALUE_STRING;
	case EVENT_FIELD_ARRAY:
	case EVENT_FIELD_STACK:
		return field->elem_size ? EVENT_VALUE_ELEMENTS : EVENT_VALUE_BYTES;
	case EVENT_FIELD_BITMASK:
	case EVENT_FIELD_CPUMASK:
		return EVENT_VALUE_BITS;
	default:
		return EVENT_VALUE_BYTES;
	}
}

uint64_t event_value_element(const struct event_value *value, size_t i)
{
	uint64_t number = event_read_number(value->abi, value->bytes + i * value->elem_size,
					    value->elem_size);

	return c_type_narrow(number, value->elem_size, value->is_signed);
}

bool event_value_read(const struct event_format *format, const struct event_field *field,
		      const void *record, size_t len, struct event_value *ret_value)
{
	struct event_value *value = ret_value;

	*value = (struct event_value){ .kind = event_value_kind(field),
				       .abi = format->abi,
				       .elem_size = field->elem_size,
				       .is_signed = field->is_signed };
	if (!event_field_bytes(format, field, record, len, &value->bytes, &value->size))
		return false;
	switch (value->kind) {
	case EVENT_VALUE_STRING:
		value->size = strnlen((const char *)value->bytes, value->size);
		return true;
	case EVENT_VALUE_ELEMENTS:
		value->element = event_value_element_kind(field);
		value->n = value->size / field->elem_size;
		return true;
	case EVENT_VALUE_BITS:
	case EVENT_VALUE_BYTES:
		return true;
	default:
		break;
	}
	if (!field->elem_size || value->size < field->elem_size)
		return false;
	value->number =
		c_type_narrow(event_read_number(format->abi, value->bytes, field->elem_size),
			      field->elem_size, value->kind == EVENT_VALUE_SIGNED);
	return true;
}

bool event_value_next_bit(const struct event_value *value, size_t *bit)
{
	size_t word = value->abi.long_size == 4 ? 4 : 8, bytes = value->size / word * word;

	for (size_t i = *bit; i / 8 < bytes; i++) {
		size_t at = i / 8;

		if (value->abi.big_endian)
			at = at / word * word + (word - 1 - at % word);
		if (value->bytes[at] >> i % 8 & 1) {
			*bit = i;
			return true;
		}
	}
	return false;
}
