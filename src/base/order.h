/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparison functions for qsort(3), and binary search in sorted arrays. */
#ifndef FATHOM_BASE_ORDER_H
#define FATHOM_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Sorts in descending order. */
static inline int order_falling(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* For qsort(3): sorts elements of type uint64_t in ascending order. */
static inline int order_rising_u64(const void *a, const void *b)
{
	return order_falling(*(const uint64_t *)b, *(const uint64_t *)a);
}

/*
 * Returns how many of the @n elements of @list, which have @size bytes each and are sorted by a
 * uint64_t at @offset, are less than or equal to @key.
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

/*
 * Returns the index of the first of the @n elements of @list, of @size bytes each and sorted, that
 * is not less than @key. @compare is as for bsearch(), with the key first.
 */
static inline size_t order_place(const void *key, const void *list, size_t n, size_t size,
				 int (*compare)(const void *key, const void *element))
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(key, (const char *)list + middle * size) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
