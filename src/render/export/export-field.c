/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/export/export-field.h"

#include "base/quote.h"
#include "format/event/event-value.h"

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

static void export_field_put_elements(const struct event_value *value, struct report *report,
				      struct text *text)
{
	for (size_t i = 0; i < value->n && !text->cut; i++) {
		uint64_t number = event_value_element(value, i);

		if (i)
			text_char(text, ' ');
		if (value->element == EVENT_VALUE_ADDRESS)
			export_field_put_address(report, number, text);
		else if (value->element == EVENT_VALUE_SIGNED)
			text_s64(text, (int64_t)number);
		else
			text_u64(text, number);
	}
}

static void export_field_put_bits(const struct event_value *value, struct text *text)
{
	const char *between = "";

	for (size_t bit = 0; !text->cut && event_value_next_bit(value, &bit); bit++) {
		text_str(text, between);
		text_u64(text, bit);
		between = " ";
	}
}

void export_field_text(const struct event_format *format, const struct event_field *field,
		       const struct fathom_event *event, struct report *report, struct text *text)
{
	struct event_value value;

	if (!event_value_read(format, field, event->data, event->size, &value))
		return;
	switch (value.kind) {
	case EVENT_VALUE_ELEMENTS:
		export_field_put_elements(&value, report, text);
		break;
	case EVENT_VALUE_BITS:
		export_field_put_bits(&value, text);
		break;
	default:
		for (size_t i = 0; i < value.size && !text->cut; i++)
			text_hex_byte(text, value.bytes[i], false);
		break;
	}
}
