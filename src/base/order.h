/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers in order: comparisons for qsort(), and finding one in what is sorted. */
#ifndef FATHOM_BASE_ORDER_H
#define FATHOM_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* The larger one comes first. */
static inline int order_falling(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* For qsort(): the smaller uint64_t comes first. */
static inline int order_rising_u64(const void *a, const void *b)
{
	return order_falling(*(const uint64_t *)b, *(const uint64_t *)a);
}

/*
 * How many of the @n elements of @list, of @size bytes each, have a number at @offset that is not above
 * @key; those with smaller ones come first.
 */
static inline size_t order_count_upto(const void *list, size_t n, size_t size, size_t offset,
				      uint64_t key)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)list + middle * size + offset) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
