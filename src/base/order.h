/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparisons of numbers, for qsort(). */
#ifndef FATHOM_BASE_ORDER_H
#define FATHOM_BASE_ORDER_H

#include <stdint.h>

/* The larger one comes first. */
static inline int order_falling(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

#endif
