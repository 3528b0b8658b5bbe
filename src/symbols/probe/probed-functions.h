/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of programs that a recording has probes on, by the numbers that its events tell.
 * All of them share two events, "enter" and "leave" of one system, whose field "fn" is the number; so that
 * thousands of functions take two events, and no file has to be read to name them later.
 *
 * Kept in the recording as text. Each line begins with what it is:
 *   eSYSTEM            of the events
 *   fPATH              the file that the functions below are in
 *   +NAME[<tab>TEXT]   a function, as its file calls it, and readable if that differs
 *   -NAME[<tab>TEXT]   one of which no end is recorded
 * The first function has the number 0. The text may come from anybody.
 */
#ifndef FATHOM_SYMBOLS_PROBE_PROBED_FUNCTIONS_H
#define FATHOM_SYMBOLS_PROBE_PROBED_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBED_FUNCTIONS_MAX	(1U << 20)
#define PROBED_FUNCTIONS_ENTER	"enter"
#define PROBED_FUNCTIONS_LEAVE	"leave"
#define PROBED_FUNCTIONS_NUMBER "fn"
#define PROBED_FUNCTIONS_STACK	"sp"

struct probed_function {
	const char *name; /* readable */
	const char *file; /* without its directory */
	bool returns; /* its end is recorded, too */
};

/* Zero-initialised is empty. */
struct probed_functions {
	char *text; /* owned; all strings are in it */
	const char *system; /* of the events; NULL: there are none */
	struct probed_function *list; /* by number */
	size_t n, cap;
};

/* Copies the text. Lines that make no sense are passed over. 0 or -ENOMEM. */
int probed_functions_parse(struct probed_functions *functions, const char *text, size_t len);
void probed_functions_done(struct probed_functions *functions);

/* Such a function has a number where kernels have addresses: one that no function of theirs has. */
static inline uint64_t probed_function_address(uint32_t number)
{
	return (uint64_t)number + 1;
}

/* The function with that address, or NULL. @functions may be NULL. */
const struct probed_function *probed_functions_find(const struct probed_functions *functions,
						    uint64_t address);

#endif
