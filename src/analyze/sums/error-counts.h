/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts of errors by errno. Fixed size: allocates nothing and cannot fail. */
#ifndef FATHOM_ANALYZE_SUMS_ERROR_COUNTS_H
#define FATHOM_ANALYZE_SUMS_ERROR_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* Number of entries. The last one counts all further errors, as code 0. */
#define ERROR_COUNTS_MAX 8

struct error_count {
	int64_t code; /* positive: 13 for EACCES */
	uint64_t count;
};

/* Empty when zero-initialized. */
struct error_counts {
	struct error_count list[ERROR_COUNTS_MAX];
	size_t n;
};

void error_counts_add(struct error_counts *counts, int64_t code, uint64_t count);
/*
 * Returns the errno of the result of a system call, such as 13 for EACCES; 0 if the call succeeded.
 */
int64_t error_code(int64_t result);
/*
 * The same for the result of any kernel function. Functions that return an int may leave the upper
 * half of the register zero: the result is then read as an int, as the kernel does when it prints
 * return values.
 */
int64_t error_code_of_call(int64_t result);

#endif
