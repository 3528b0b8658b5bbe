/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/sums/error-counts.h"

#define ERROR_MAX 4095 /* results from -4095 to -1 are errors */

void error_counts_add(struct error_counts *counts, int64_t code, uint64_t count)
{
	size_t i = 0;

	while (i < counts->n && counts->list[i].code != code)
		i++;
	if (i == ERROR_COUNTS_MAX) {
		i--;
		counts->list[i].code = 0;
	} else if (i == counts->n) {
		counts->list[counts->n++] = (struct error_count){ .code = code };
	}
	counts->list[i].count += count;
}

int64_t error_code(int64_t result)
{
	return result < 0 && result >= -ERROR_MAX ? -result : 0;
}

int64_t error_code_of_call(int64_t result)
{
	return error_code(result >> 31 == 1 ? (int32_t)(uint32_t)result : result);
}
