/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The user functions probed in a recording, by the numbers in its events. They share two events,
 * "enter" and "leave" of one system, with the number in the field "fn": thousands of functions need
 * only two events, and the functions can be named later without reading any file.
 *
 * Stored in the recording as text. The first characters of a line determine its meaning: eSYSTEM   
 * system of the events fPATH              file of the functions that follow +NAME[<tab>TEXT]  
 * function, with its readable name if different -NAME[<tab>TEXT]   function of which returns are
 * not recorded
 *
 * The first function has the number 0. The text is untrusted. Immutable after parsing; strings are
 * valid until probed_functions_done().
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
	const char *file; /* without directory */
	bool returns; /* returns are also recorded */
};

/* Zero-initialized: empty. */
struct probed_functions {
	char *text; /* contains all strings */
	const char *system; /* of the events; NULL: none */
	struct probed_function *list; /* indexed by number */
	size_t n, cap;
};

/* Copies the text. Invalid lines are skipped. Returns 0 or -ENOMEM. */
int probed_functions_parse(struct probed_functions *functions, const char *text, size_t len);
void probed_functions_done(struct probed_functions *functions);

/*
 * Returns a number that serves as an address and differs from that of any kernel function.
 */
static inline uint64_t probed_function_address(uint32_t number)
{
	return (uint64_t)number + 1;
}

/* Returns the function with that address, or NULL. @functions may be NULL. */
const struct probed_function *probed_functions_find(const struct probed_functions *functions,
						    uint64_t address);

#endif
