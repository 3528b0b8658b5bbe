/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats values of fields by their types alone, and all fields of an event in this way. */
#include <string.h>

#include "base/quote.h"
#include "format/event/c-type.h"
#include "format/print/print-program.h"

static bool print_field_value_is_text(const unsigned char *p, size_t len)
{
	for (size_t i = 0; i < len && p[i]; i++)
		if ((p[i] < ' ' || p[i] >= 0x7f) && !(p[i] >= '\t' && p[i] <= '\r'))
			return false;
	return true;
}

static bool may_be_text(const struct event_field *field)
{
	return field->kind == EVENT_FIELD_STRING || strstr(field->type, "char") ||
	       strstr(field->type, "u8") || strstr(field->type, "s8");
}

/* A trailing newline of an event's last string ends the line. */
static void print_field_value_print_text(const char *s, size_t len, bool is_last, struct text *text)
{
	bool ends_line = is_last && len && s[len - 1] == '\n';

	quote_text(text, s, len - ends_line);
	if (ends_line)
		text_char(text, '\n');
}

static void print_bytes(const struct event_field *field, const unsigned char *p, size_t len,
			bool is_last, struct text *text)
{
	if (may_be_text(field) && print_field_value_is_text(p, len)) {
		print_field_value_print_text((const char *)p, strnlen((const char *)p, len),
					     is_last, text);
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

/* Longs are usually addresses, so print them as such. */
static bool shown_in_hex(const struct event_field *field)
{
	return field->kind == EVENT_FIELD_POINTER ||
	       (strstr(field->type, "long") && (!field->is_signed || field->size == 4));
}

static void print_field_value_print(const struct event_field *field, uint64_t value,
				    struct text *text)
{
	if (shown_in_hex(field)) {
		text_str(text, "0x");
		text_hex(text, c_type_narrow(value, field->size, false));
	} else if (field->is_signed) {
		size_t start = text_len(text);

		text_s64(text, (int64_t)value);
		/* As trace-cmd does. */
		if (field->size == 2)
			text_pad(text, start, 2, false);
	} else {
		text_u64(text, value);
	}
}

bool print_field_is_number(const struct event_field *field)
{
	return field->kind == EVENT_FIELD_INT || field->kind == EVENT_FIELD_BOOL ||
	       field->kind == EVENT_FIELD_POINTER;
}

void print_field(const struct event_format *format, const struct event_field *field,
		 const void *record, size_t len, struct text *text)
{
	bool is_last = field + 1 == format->fields + format->n_fields;
	const unsigned char *bytes;
	int64_t value;
	size_t size;

	if (print_field_is_number(field)) {
		if (event_field_s64(format, field, record, len, &value))
			print_field_value_print(field, (uint64_t)value, text);
		else
			text_str(text, PRINT_UNKNOWN);
	} else if (event_field_bytes(format, field, record, len, &bytes, &size)) {
		print_bytes(field, bytes, size, is_last, text);
	} else if (field->place == EVENT_PLACE_FIXED && field->offset < len) {
		/*
		 * The length of stack traces and the like is that of the data, not that of the
		 * type.
		 */
		print_bytes(field, (const unsigned char *)record + field->offset,
			    len - field->offset, is_last, text);
	} else {
		text_str(text, PRINT_UNKNOWN);
	}
}

void event_print_fields(const struct event_format *format, const struct print_env *env,
			const void *record, size_t len, struct text *text)
{
	for (uint32_t i = 0; i < format->n_fields; i++) {
		const struct event_field *field = &format->fields[i];

		if (field->is_common)
			continue;
		text_char(text, ' ');
		quote_text_str(text, field->name);
		text_char(text, '=');
		print_field(format, field, record, len, text);
	}
}
