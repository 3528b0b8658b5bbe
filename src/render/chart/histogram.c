/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/chart/histogram.h"

#include <inttypes.h>
#include <string.h>

#include "base/quote.h"
#include "render/kit/duration.h"

#define BAR_MIN	  10
#define BAR_MAX	  60
#define RANGE_LEN 9 /* width of either end of a range, and of a count */
#define EIGHTHS	  8

/* Row 0 is for 0, row n for values whose highest bit is n - 1. */
static unsigned histogram_row_of(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

static uint64_t row_start(unsigned row)
{
	return row ? (uint64_t)1 << (row - 1) : 0;
}

static void histogram_put_value(struct strbuf *buf, uint64_t value, enum histogram_unit unit)
{
	char text[DURATION_SIZE];

	if (unit == HISTOGRAM_NS)
		quote_addf(buf, "%*s", RANGE_LEN, duration_text(value, text));
	else
		quote_addf(buf, "%*" PRIu64, RANGE_LEN, value);
}

/* Appends a bar of length @part / @whole, at most @width characters. */
static void put_bar(struct strbuf *buf, uint64_t part, uint64_t whole, unsigned width, bool utf8)
{
	/* One to eight eighths of a block. */
	static const char *const blocks[] = { "\u258f", "\u258e", "\u258d", "\u258c",
					      "\u258b", "\u258a", "\u2589", "\u2588" };
	unsigned steps = width * (utf8 ? EIGHTHS : 1);
	/* Counts are below 2^38, so this does not overflow. */
	unsigned n = (unsigned)(part * steps / whole);

	if (part && !n)
		n = 1;
	if (!utf8) {
		strbuf_pad(buf, '#', n);
		return;
	}
	for (; n >= EIGHTHS; n -= EIGHTHS)
		quote_adds(buf, blocks[EIGHTHS - 1]);
	if (n)
		quote_adds(buf, blocks[n - 1]);
}

static unsigned bar_width(const struct out *out, unsigned indent)
{
	unsigned taken = indent + 3 * RANGE_LEN + (unsigned)strlen(" ..   ");

	if (out->width < taken + BAR_MIN)
		return out->cuts && out->width > taken ? out->width - taken : BAR_MIN;
	return out->width - taken > BAR_MAX ? BAR_MAX : out->width - taken;
}

void histogram_put_rows(struct strbuf *buf, const struct histogram_row *rows, size_t n,
			enum histogram_unit unit, unsigned indent, const struct out *out)
{
	unsigned width = bar_width(out, indent);
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].count > most)
			most = rows[i].count;
	for (size_t i = 0; i < n; i++) {
		strbuf_pad(buf, ' ', indent);
		histogram_put_value(buf, rows[i].from, unit);
		strbuf_adds(buf, " ..");
		if (rows[i].to)
			histogram_put_value(buf, rows[i].to, unit);
		else
			strbuf_pad(buf, ' ', RANGE_LEN);
		quote_addf(buf, " %*" PRIu64, RANGE_LEN, rows[i].count);
		if (rows[i].count) {
			strbuf_adds(buf, "  ");
			put_bar(buf, rows[i].count, most, width, out->utf8);
		}
		strbuf_addc(buf, '\n');
	}
}

size_t histogram_rows(const struct spread *spread, struct histogram_row ret_rows[HISTOGRAM_ROWS])
{
	unsigned row = 0, end = HISTOGRAM_ROWS;
	uint64_t counts[HISTOGRAM_ROWS] = { 0 };
	size_t n = 0;

	for (unsigned i = 0; i < spread->n; i++)
		counts[histogram_row_of(spread_bin_start(spread->low + i))] += spread->counts[i];
	while (end > 0 && !counts[end - 1])
		end--;
	while (row < end && !counts[row])
		row++;
	for (; row < end; row++)
		ret_rows[n++] = (struct histogram_row){
			.from = row_start(row),
			.to = row + 1 < HISTOGRAM_ROWS ? row_start(row + 1) : 0,
			.count = counts[row],
		};
	return n;
}

void histogram_put(struct strbuf *buf, const struct spread *spread, enum histogram_unit unit,
		   unsigned indent, const struct out *out)
{
	struct histogram_row rows[HISTOGRAM_ROWS];

	histogram_put_rows(buf, rows, histogram_rows(spread, rows), unit, indent, out);
}
