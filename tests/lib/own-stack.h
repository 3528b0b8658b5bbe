/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers and the stack of the test itself, taken in the depth of a known chain of functions that are built without frame
 * pointers: own_stack_take() calls qsort(), which calls a function that calls a function that calls the one that takes it.
 */
#ifndef FATHOM_TESTS_OWN_STACK_H
#define FATHOM_TESTS_OWN_STACK_H

#include <stddef.h>
#include <stdint.h>

#define OWN_STACK_FRAMES 64

struct own_stack {
	uint64_t regs[33]; /* by their numbers in DWARF */
	uint8_t *bytes; /* from the stack pointer up to where the process began; NULL: not known on this machine */
	size_t size;
	/* As the C library finds them; the first is in the same function as ours, but elsewhere. */
	void *backtrace[OWN_STACK_FRAMES];
	int n_backtrace;
	/* Where the functions return to, from the innermost; the third is in the C library. */
	const void *returns[3];
	const void *last; /* where own_stack_take() returns to */
};

/* Taken once; lives as long as the process. */
const struct own_stack *own_stack_take(void);

#endif
