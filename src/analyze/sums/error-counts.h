/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often which error was the result. */
#ifndef FATHOM_ANALYZE_SUMS_ERROR_COUNTS_H
#define FATHOM_ANALYZE_SUMS_ERROR_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* Kinds of errors that are counted apart; more are summed in the last one, as 0. */
#define ERROR_COUNTS_MAX 8

struct error_count {
	int64_t code; /* 13 for EACCES */
	uint64_t count;
};

/* Zero-initialised is empty. */
struct error_counts {
	struct error_count list[ERROR_COUNTS_MAX];
	size_t n;
};

void error_counts_add(struct error_counts *counts, int64_t code, uint64_t count);
/* The code of an error, 0: it is none. */
int64_t error_code(int64_t result);
/*
 * The same of any function. Those that return an int may leave the other half of the word empty:
 * such a result is taken as an int, as the kernel does when it shows results.
 */
int64_t error_code_of_call(int64_t result);

#endif
