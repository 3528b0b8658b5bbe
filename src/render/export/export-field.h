/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of event fields, for outputs: fast access to numbers, everything else as text. Handles
 * fields that lie outside the event.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_FIELD_H
#define FATHOM_RENDER_EXPORT_EXPORT_FIELD_H

#include <fathom/cursor.h>

#include "base/text.h"
#include "format/bytes.h"
#include "format/event/event-format.h"
#include "render/report/report.h"

enum export_value {
	EXPORT_VALUE_NUMBER,
	EXPORT_VALUE_STRING, /* characters in the event */
	EXPORT_VALUE_TEXT, /* lists, sets of bits, bytes: as text */
};

/* Returns how a field is best represented. */
enum export_value export_field_value(const struct event_field *field);

/*
 * Reads the number in a field, sign-extended if it is signed. Returns false if @field is NULL or
 * not in the event.
 */
static inline bool export_field_number(const struct event_format *format,
				       const struct event_field *field,
				       const struct fathom_event *event, uint64_t *ret_value)
{
	const uint8_t *p = event->data;

	if (__builtin_expect(!field, 0))
		return false;
	if (__builtin_expect(field->place == EVENT_PLACE_FIXED &&
				     format->abi.big_endian == BYTES_HOST_BIG &&
				     field->offset <= UINT16_MAX &&
				     field->offset + field->size <= event->size,
			     1)) {
		p += field->offset;
		if (field->size == 8) {
			*ret_value = load_u64(p, BYTES_HOST_BIG);
			return true;
		}
		if (field->size == 4) {
			uint32_t word = load_u32(p, BYTES_HOST_BIG);

			*ret_value = field->is_signed ? (uint64_t)(int64_t)(int32_t)word : word;
			return true;
		}
	}
	if (field->is_signed)
		return event_field_s64(format, field, event->data, event->size,
				       (int64_t *)ret_value);
	return event_field_u64(format, field, event->data, event->size, ret_value);
}

/*
 * Appends the text of a field whose value is EXPORT_VALUE_TEXT; addresses are symbolized by
 * @report.
 */
void export_field_text(const struct event_format *format, const struct event_field *field,
		       const struct fathom_event *event, struct report *report, struct text *text);

#endif
