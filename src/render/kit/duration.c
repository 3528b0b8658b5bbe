/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/duration.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/quote.h"

const char *duration_text(uint64_t ns, char buf[DURATION_SIZE])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	uint64_t value = ns, rest = 0;
	unsigned unit = 0;

	/* Round to three digits first, so that 999.7 us becomes 1.00 ms. */
	while (value >= 1000 && unit < 3) {
		rest = value % 1000;
		value /= 1000;
		unit++;
	}
	if (value < 10)
		rest = (rest + 5) / 10 * 10;
	else if (value < 100)
		rest = (rest + 50) / 100 * 100;
	else
		rest = (rest + 500) / 1000 * 1000;
	if (rest >= 1000) {
		rest -= 1000;
		value++;
		if (value == 1000 && unit < 3) {
			value = 1;
			unit++;
		}
	}
	if (!ns)
		snprintf(buf, DURATION_SIZE, "0");
	else if (unit == 0 || value >= 100)
		snprintf(buf, DURATION_SIZE, "%" PRIu64 " %s", value, units[unit]);
	else if (value >= 10)
		snprintf(buf, DURATION_SIZE, "%" PRIu64 ".%" PRIu64 " %s", value, rest / 100,
			 units[unit]);
	else
		snprintf(buf, DURATION_SIZE, "%" PRIu64 ".%02" PRIu64 " %s", value, rest / 10,
			 units[unit]);
	return buf;
}

void duration_put(struct strbuf *buf, uint64_t ns)
{
	char text[DURATION_SIZE];

	quote_addf(buf, " %9s", ns ? duration_text(ns, text) : ".");
}

char duration_mark(uint64_t ns)
{
	static const struct {
		uint64_t above;
		char mark;
	} marks[] = { { 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		      { 1000000, '#' },	   { 100000, '!' },    { 10000, '+' } };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (ns > marks[i].above)
			return marks[i].mark;
	return ' ';
}
