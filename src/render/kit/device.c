/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/device.h"

#include <inttypes.h>

#include "base/quote.h"

#define MINOR_BITS 20

void device_put(struct strbuf *buf, uint32_t device)
{
	quote_addf(buf, "%" PRIu32 ":%" PRIu32, device >> MINOR_BITS,
		   device & ((1U << MINOR_BITS) - 1));
}

const char *device_operation(char operation)
{
	switch (operation) {
	case 'R':
		return "read";
	case 'W':
		return "write";
	case 'D':
		return "discard";
	case 'F':
		return "flush";
	default:
		return "other";
	}
}
