/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/amount.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/quote.h"

const char *amount_text(uint64_t bytes, char buf[AMOUNT_SIZE])
{
	static const char *const units[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
	double value = (double)bytes / 1000;
	unsigned unit = 0;

	if (bytes < 1000) {
		snprintf(buf, AMOUNT_SIZE, bytes ? "%" PRIu64 " %s" : "%" PRIu64, bytes,
			 bytes == 1 ? "byte" : "bytes");
		return buf;
	}
	/* Values that would be rounded to 1000 are shown as 1.00 of the next unit. */
	for (; value >= 999.5; unit++)
		value /= 1000;
	if (value < 9.995)
		snprintf(buf, AMOUNT_SIZE, "%.2f %s", value, units[unit]);
	else if (value < 99.95)
		snprintf(buf, AMOUNT_SIZE, "%.1f %s", value, units[unit]);
	else
		snprintf(buf, AMOUNT_SIZE, "%.0f %s", value, units[unit]);
	return buf;
}

void amount_put_count(struct strbuf *buf, uint64_t n, const char *one, const char *many)
{
	quote_addf(buf, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

void amount_put_others(struct strbuf *buf, size_t n, const struct out *out)
{
	quote_addf(buf, "%s(", out_style(out, OUT_FAINT));
	amount_put_count(buf, n, "other", "others");
	quote_addf(buf, ")%s\n", out_style(out, OUT_PLAIN));
}
