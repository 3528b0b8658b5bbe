/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An event's fields as "name=value", for formats without a usable print expression. */
#include <string.h>

#include "format/c-type.h"
#include "format/print.h"

static bool is_text(const unsigned char *p, size_t len)
{
	for (size_t i = 0; i < len && p[i]; i++)
		if ((p[i] < ' ' || p[i] >= 0x7f) && !(p[i] >= '\t' && p[i] <= '\r'))
			return false;
	return true;
}

static void print_bytes(const struct event_field *field, const unsigned char *p, size_t len,
			struct text *text)
{
	if (field->kind == EVENT_FIELD_STRING && is_text(p, len)) {
		text_bytes(text, (const char *)p, strnlen((const char *)p, len));
		return;
	}
	text_str(text, "ARRAY[");
	for (size_t i = 0; i < len && text_room(text); i++) {
		if (i)
			text_str(text, ", ");
		text_hex_byte(text, p[i], false);
	}
	text_char(text, ']');
}

/* A long is mostly an address, so it is shown as one. */
static bool shown_in_hex(const struct event_field *field)
{
	return field->kind == EVENT_FIELD_POINTER ||
	       (strstr(field->type, "long") && (!field->is_signed || field->size == 4));
}

static void print_value(const struct event_field *field, uint64_t value, struct text *text)
{
	if (shown_in_hex(field)) {
		text_str(text, "0x");
		text_hex(text, c_type_narrow(value, field->size, false));
	} else if (field->is_signed) {
		text_s64(text, (int64_t)value);
	} else {
		text_u64(text, value);
	}
}

/* False: the record does not hold the field. */
static bool print_field(const struct event_format *format, const struct event_field *field,
			const void *record, size_t len, struct text *text)
{
	const unsigned char *bytes;
	int64_t value;
	size_t size;

	if (!event_field_bytes(format, field, record, len, &bytes, &size))
		return false;
	if (field->kind != EVENT_FIELD_INT && field->kind != EVENT_FIELD_BOOL &&
	    field->kind != EVENT_FIELD_POINTER) {
		print_bytes(field, bytes, size, text);
		return true;
	}
	if (!event_field_s64(format, field, record, len, &value))
		return false;
	print_value(field, (uint64_t)value, text);
	return true;
}

void event_print_fields(const struct event_format *format, const struct print_env *env,
			const void *record, size_t len, struct text *text)
{
	for (uint32_t i = 0; i < format->n_fields; i++) {
		const struct event_field *field = &format->fields[i];

		if (field->is_common)
			continue;
		text_char(text, ' ');
		text_str(text, field->name);
		text_char(text, '=');
		if (!print_field(format, field, record, len, text))
			text_str(text, PRINT_UNKNOWN);
	}
}
