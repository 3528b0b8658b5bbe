/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <time.h>

uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

uint64_t cpu_time_of_sort(size_t n)
{
	uint64_t *numbers = calloc(n, sizeof(*numbers));
	uint64_t seed = 1, start;

	assert_non_null(numbers);
	for (size_t i = 0; i < n; i++)
		numbers[i] = seed = seed * 6364136223846793005U + 1442695040888963407U;
	start = cpu_time();
	qsort(numbers, n, sizeof(*numbers), compare_numbers);
	start = cpu_time() - start;
	for (size_t i = 1; i < n; i++)
		assert_true(numbers[i - 1] <= numbers[i]);
	free(numbers);
	return start;
}
