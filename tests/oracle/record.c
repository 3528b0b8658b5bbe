/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record.h"

#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* splitmix64 */
static uint64_t next(struct record *record)
{
	uint64_t z = record->seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static void put(struct record *record, struct event_abi abi, size_t at, unsigned size,
		uint64_t value)
{
	if (at + size > RECORD_MAX)
		return;
	for (unsigned i = 0; i < size; i++) {
		unsigned shift = 8 * (abi.big_endian ? size - 1 - i : i);

		record->bytes[at + i] = (unsigned char)(value >> shift);
	}
}

static void put_text(struct record *record, size_t at, size_t len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_/.";

	for (size_t i = 0; i < len && at + i < RECORD_MAX; i++)
		record->bytes[at + i] =
			(unsigned char)letters[next(record) % (sizeof(letters) - 1)];
}

static void put_noise(struct record *record, size_t at, size_t len)
{
	for (size_t i = 0; i < len && at + i < RECORD_MAX; i++)
		record->bytes[at + i] = (unsigned char)next(record);
}

/* Returns an address of one of the two families that have a text. */
static void put_sockaddr(struct record *record, struct event_abi abi, size_t at, size_t len)
{
	bool v6 = len >= 28 && next(record) % 2;

	put_noise(record, at, len);
	put(record, abi, at, 2, v6 ? 10 : 2);
	if (v6 && next(record) % 2)
		memset(record->bytes + at + 10, 0, 8);
}

/* Counts must stay within the arrays that they refer to. */
static bool has_counts(const struct event_format *format)
{
	return format->print &&
	       (strstr(format->print, "__print_hex") || strstr(format->print, "__print_array") ||
		strstr(format->print, "*p") || strstr(format->print, ".*s"));
}

static uint64_t number(struct record *record, const struct event_format *format,
		       const struct event_field *field, unsigned i)
{
	if (has_counts(format))
		return next(record) % 5;
	switch (i) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	default:
		break;
	}
	if (field->size == 8 && next(record) % 3 == 0)
		return next(record) % 2 ? SYMBOL_BASE + next(record) % (SYMBOLS * SYMBOL_SIZE) :
					  PRINTK_BASE + 16 * (next(record) % PRINTKS);
	switch (next(record) % 4) {
	case 0:
		return next(record) % 16;
	case 1:
		return 1ULL << next(record) % 64;
	case 2:
		return 0 - (next(record) % 200);
	default:
		return next(record);
	}
}

static void fill_fixed(struct record *record, const struct event_format *format,
		       const struct event_field *field, unsigned i)
{
	size_t len;

	switch (field->kind) {
	case EVENT_FIELD_INT:
	case EVENT_FIELD_POINTER:
		put(record, format->abi, field->offset, field->size,
		    number(record, format, field, i));
		break;
	case EVENT_FIELD_BOOL:
		put(record, format->abi, field->offset, 1, next(record) % 2);
		break;
	case EVENT_FIELD_STRING:
		len = field->size ? (i == 1 ? field->size : next(record) % field->size) : 0;
		put_text(record, field->offset, len);
		break;
	default:
		if (field->elem_size == 1 && field->size >= 28 && format->print &&
		    strstr(format->print, "%pIS"))
			put_sockaddr(record, format->abi, field->offset, field->size);
		else
			put_noise(record, field->offset, field->size);
	}
}

static size_t dynamic_len(struct record *record, const struct event_format *format,
			  const struct event_field *field, unsigned i)
{
	switch (field->kind) {
	case EVENT_FIELD_STRING:
		return (has_counts(format) ? 8 : 1) + (i == 1 ? 200 : next(record) % 20);
	case EVENT_FIELD_BITMASK:
	case EVENT_FIELD_CPUMASK:
		return (size_t)format->abi.long_size * (1 + next(record) % 3);
	case EVENT_FIELD_SOCKADDR:
		return next(record) % 2 ? 16 : 28;
	default:
		/* At least the counts that has_counts() leaves. */
		return (size_t)(field->elem_size ? field->elem_size : 8) * (5 + next(record) % 4);
	}
}

/* Puts the data of a dynamic field after everything else. */
static void fill_dynamic(struct record *record, const struct event_format *format,
			 const struct event_field *field, unsigned i)
{
	size_t len = dynamic_len(record, format, field, i);
	size_t at = record->len;

	if (field->size == 0) {
		len = 32;
		at = field->offset;
	} else if (field->place == EVENT_PLACE_REL_LOC) {
		put(record, format->abi, field->offset, 4,
		    len << 16 | (at - field->offset - field->size));
	} else {
		put(record, format->abi, field->offset, field->size, len << 16 | at);
	}
	if (field->kind == EVENT_FIELD_STRING)
		put_text(record, at, len - 1);
	else if (field->kind == EVENT_FIELD_SOCKADDR)
		put_sockaddr(record, format->abi, at, len);
	else
		put_noise(record, at, len);
	record->len = MIN((at + len + 3) & ~(size_t)3, RECORD_MAX);
}

static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h;
}

void record_make(struct record *record, const struct event_format *format, unsigned i)
{
	memset(record->bytes, 0, sizeof(record->bytes));
	record->len = 0;
	record->seed = hash(format->name) + i;
	for (uint32_t f = 0; f < format->n_fields; f++) {
		const struct event_field *field = &format->fields[f];
		size_t end = field->offset + field->size;

		if (end > record->len && end < RECORD_MAX)
			record->len = end;
		if (field->place == EVENT_PLACE_FIXED && field->size)
			fill_fixed(record, format, field, i);
	}
	record->len = (record->len + 3) & ~(size_t)3;
	for (uint32_t f = 0; f < format->n_fields; f++)
		if (format->fields[f].place != EVENT_PLACE_FIXED || !format->fields[f].size)
			fill_dynamic(record, format, &format->fields[f], i);
	put(record, format->abi, 0, 2, (uint64_t)format->id);
}
