/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/report/watch-change.h"

#include <inttypes.h>
#include <stdio.h>

/* Larger numbers are easier to recognize in hexadecimal. */
#define DECIMAL_MAX 1000000

#define NUMBER_SIZE 24

/* Interprets @value as a signed number of @length bytes. */
static int64_t as_number(uint64_t value, unsigned length)
{
	unsigned unused = length && length < 8 ? 64 - 8 * length : 0;

	return (int64_t)(value << unused) >> unused;
}

static bool watch_change_is_large(uint64_t value, unsigned length)
{
	int64_t number = as_number(value, length);

	return number > DECIMAL_MAX || number < -DECIMAL_MAX;
}

static void watch_change_print_value(uint64_t value, unsigned length, bool hex,
				     char text[NUMBER_SIZE])
{
	if (hex)
		snprintf(text, NUMBER_SIZE, "%#" PRIx64, value);
	else
		snprintf(text, NUMBER_SIZE, "%" PRId64, as_number(value, length));
}

void watch_change_print(const struct watch_change *change, char text[WATCH_CHANGE_SIZE])
{
	bool hex = change->hex || watch_change_is_large(change->value, change->length) ||
		   (change->has_old && watch_change_is_large(change->old, change->length));
	char old[NUMBER_SIZE] = "?", value[NUMBER_SIZE];

	if (change->executes || !change->has_value) {
		snprintf(text, WATCH_CHANGE_SIZE, "%s",
			 change->executes ? "reached" : "the value could not be read");
		return;
	}
	watch_change_print_value(change->value, change->length, hex, value);
	if (change->has_old)
		watch_change_print_value(change->old, change->length, hex, old);
	/* Hardware does not distinguish reads from writes. */
	if (change->reads && change->has_old && change->old == change->value)
		snprintf(text, WATCH_CHANGE_SIZE, "%s (unchanged)", value);
	else
		snprintf(text, WATCH_CHANGE_SIZE, "%s %s %s", old, change->utf8 ? "→" : "->",
			 value);
}
