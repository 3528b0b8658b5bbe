/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/export/export-field.h"

#include "base/quote.h"

enum export_value export_field_value(const struct event_field *field)
{
	switch (field->kind) {
	case EVENT_FIELD_INT:
	case EVENT_FIELD_BOOL:
	case EVENT_FIELD_POINTER:
		return EXPORT_VALUE_NUMBER;
	case EVENT_FIELD_STRING:
		return EXPORT_VALUE_STRING;
	default:
		return EXPORT_VALUE_TEXT;
	}
}

static void export_field_put_address(struct report *report, uint64_t address, struct text *text)
{
	uint64_t start;
	const char *name = report_symbol(report, address, &start);

	if (!name) {
		text_str(text, "0x");
		text_hex(text, address);
		return;
	}
	quote_text_str(text, name);
	if (address != start) {
		text_str(text, "+0x");
		text_hex(text, address - start);
	}
}

static void export_field_put_elements(const struct event_format *format,
				      const struct event_field *field,
				      const struct fathom_event *event, struct report *report,
				      struct text *text)
{
	uint64_t value;

	for (size_t i = 0;
	     !text->cut && event_field_element(format, field, event->data, event->size, i, &value);
	     i++) {
		if (i)
			text_char(text, ' ');
		if (field->kind == EVENT_FIELD_STACK)
			export_field_put_address(report, value, text);
		else if (field->is_signed)
			text_s64(text, (int64_t)value);
		else
			text_u64(text, value);
	}
}

/* Appends the numbers of the bits that are set; masks are stored as longs of the kernel. */
static void export_field_put_bits(const struct event_format *format, const unsigned char *bytes,
				  size_t size, struct text *text)
{
	size_t word = format->abi.long_size == 4 ? 4 : 8, bits = size / word * word * 8;
	const char *between = "";

	for (size_t i = 0; i < bits && !text->cut; i++) {
		size_t at = i / 8;

		if (format->abi.big_endian)
			at = at / word * word + (word - 1 - at % word);
		if (!(bytes[at] >> i % 8 & 1))
			continue;
		text_str(text, between);
		text_u64(text, i);
		between = " ";
	}
}

void export_field_text(const struct event_format *format, const struct event_field *field,
		       const struct fathom_event *event, struct report *report, struct text *text)
{
	const unsigned char *bytes;
	size_t size;

	switch (field->kind) {
	case EVENT_FIELD_ARRAY:
	case EVENT_FIELD_STACK:
		export_field_put_elements(format, field, event, report, text);
		return;
	default:
		break;
	}
	if (!event_field_bytes(format, field, event->data, event->size, &bytes, &size))
		return;
	if (field->kind == EVENT_FIELD_BITMASK || field->kind == EVENT_FIELD_CPUMASK) {
		export_field_put_bits(format, bytes, size, text);
		return;
	}
	for (size_t i = 0; i < size && !text->cut; i++)
		text_hex_byte(text, bytes[i], false);
}
