/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/chart/heat.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/quote.h"
#include "render/kit/duration.h"
#include "render/kit/table.h"

#define LABEL_WIDTH 12
#define SHADES	    4

/* Finds the first and last row that are not empty. Returns the highest count, or 0 if all are. */
static uint32_t find_rows(const struct heat *heat, unsigned *ret_first, unsigned *ret_last)
{
	uint32_t most = 0;

	*ret_first = HEAT_ROWS;
	*ret_last = 0;
	for (unsigned row = 0; row < HEAT_ROWS; row++) {
		for (size_t i = 0; i < heat->columns; i++) {
			if (!heat->counts[row][i])
				continue;
			if (row < *ret_first)
				*ret_first = row;
			*ret_last = row;
			if (heat->counts[row][i] > most)
				most = heat->counts[row][i];
		}
	}
	return most;
}

static void heat_put_row(struct strbuf *buf, const struct heat *heat, unsigned row, uint32_t most,
			 bool utf8)
{
	static const char *const blocks[] = { " ", "\u2591", "\u2592", "\u2593", "\u2588" };
	static const char *const letters[] = { " ", ".", ":", "*", "#" };
	const char *const *shades = utf8 ? blocks : letters;
	char text[DURATION_SIZE];
	size_t end = heat->columns;

	while (end && !heat->counts[row][end - 1])
		end--;
	quote_addf(buf, "%*s |", LABEL_WIDTH - 2, duration_text(heat_row_start(row), text));
	for (size_t i = 0; i < end; i++) {
		uint64_t count = heat->counts[row][i];

		quote_adds(buf, shades[(count * SHADES + most - 1) / most]);
	}
	strbuf_addc(buf, '\n');
}

void heat_put(struct strbuf *buf, struct heat *heat, bool raw_times, const struct out *out)
{
	size_t room = out->width > LABEL_WIDTH + 16 ? out->width - LABEL_WIDTH : 16;
	char from[TIME_TEXT_SIZE], to[TIME_TEXT_SIZE], width[DURATION_SIZE];
	unsigned first, last;
	uint32_t most;
	size_t used;

	if (!heat->width)
		return;
	while (heat->columns > room)
		heat_fold(heat);
	most = find_rows(heat, &first, &last);
	for (unsigned row = first; row <= last; row++)
		heat_put_row(buf, heat, row, most, out->utf8);
	strbuf_pad(buf, ' ', LABEL_WIDTH - 1);
	strbuf_addc(buf, '+');
	strbuf_pad(buf, '-', heat->columns);
	strbuf_addc(buf, '\n');
	time_text(heat->origin, raw_times, false, from);
	time_text(heat->origin + heat->columns * heat->width, raw_times, false, to);
	strbuf_pad(buf, ' ', LABEL_WIDTH);
	quote_adds(buf, from);
	used = strlen(from) + strlen(to);
	strbuf_pad(buf, ' ', used + 1 < heat->columns ? heat->columns - used : 2);
	quote_addf(buf, "%s\n", to);
	strbuf_pad(buf, ' ', LABEL_WIDTH);
	quote_addf(buf, "column: %s, highest count: %" PRIu32 "\n",
		   duration_text(heat->width, width), most);
}

void heat_json(const struct heat *heat, struct json *json, const char *key)
{
	unsigned first, last;

	if (!heat->width) {
		json_null(json, key);
		return;
	}
	find_rows(heat, &first, &last);
	json_begin_object(json, key);
	json_u64(json, "from_time_ns", heat->origin);
	json_u64(json, "column_ns", heat->width);
	json_begin_array(json, "rows");
	for (unsigned row = first; row <= last; row++) {
		json_begin_object(json, NULL);
		json_u64(json, "from_ns", heat_row_start(row));
		json_u64(json, "to_ns", row + 1 < HEAT_ROWS ? heat_row_start(row + 1) : UINT64_MAX);
		json_begin_array(json, "counts");
		for (size_t i = 0; i < heat->columns; i++)
			json_u64(json, NULL, heat->counts[row][i]);
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
}
