/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers and the stack of the test itself, captured inside a known chain of functions
 * without frame pointers: own_stack_take() calls qsort(), which calls a function that calls a
 * function that calls the one that captures it.
 */
#ifndef FATHOM_TESTS_OWN_STACK_H
#define FATHOM_TESTS_OWN_STACK_H

#include <stddef.h>
#include <stdint.h>

#define OWN_STACK_FRAMES 64

struct own_stack {
	uint64_t regs[33]; /* by DWARF number */
	uint8_t *bytes; /* up to the start of the stack; NULL: unsupported architecture */
	size_t size;
	/*
	 * Frames found by the C library; the first is in the same function as ours, at another
	 * address.
	 */
	void *backtrace[OWN_STACK_FRAMES];
	int n_backtrace;
	/* Return addresses of the functions, innermost first; the third is in the C library. */
	const void *returns[3];
	const void *last; /* return address of own_stack_take() */
};

/* Captured once; lives as long as the process. */
const struct own_stack *own_stack_take(void);

#endif
