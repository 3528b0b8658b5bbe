/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *result_text(int64_t result, char buf[RESULT_SIZE])
{
	const char *name = result < 0 && result >= -4095 ? strerrorname_np((int)-result) : NULL;

	if (name)
		snprintf(buf, RESULT_SIZE, "-%s", name);
	else if (result > -4096 && result <= INT32_MAX)
		snprintf(buf, RESULT_SIZE, "%" PRId64, result);
	else
		snprintf(buf, RESULT_SIZE, "0x%" PRIx64, (uint64_t)result);
	return buf;
}

void json_errors(struct json *json, const struct error_counts *errors)
{
	for (size_t i = 0; i < errors->n; i++) {
		int64_t code = errors->list[i].code;

		json_begin_object(json, NULL);
		json_string(json, "error", code ? strerrorname_np((int)code) : NULL);
		json_s64(json, "errno", code);
		json_u64(json, "count", errors->list[i].count);
		json_end_object(json);
	}
}
