/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A conversion of a printf format in the kernel's dialect. Parsing keeps no state and allocates
 * nothing.
 */
#ifndef FATHOM_FORMAT_PRINT_PRINT_SPEC_H
#define FATHOM_FORMAT_PRINT_PRINT_SPEC_H

#include <stdbool.h>
#include <stdint.h>

/* Larger widths and precisions are reduced to this. */
#define PRINT_WIDTH_MAX 4096

struct print_spec {
	char conv; /* c d u x X o s p, or 0 if unknown */
	uint8_t size; /* of the number that is the argument, in bytes: 1, 2, 4, 8 */
	bool left, zero, plus, space, prefix;
	bool width_arg, precision_arg; /* '*': given as an argument */
	uint16_t width;
	int16_t precision; /* -1: none */
	char pointer[8]; /* the letters after %p, NUL-terminated */
};

/*
 * Parses the conversion at @p, which points after the '%' and before @end; "%%" is not a
 * conversion. Returns a pointer to the first character after it.
 */
const char *print_spec_read(const char *p, const char *end, unsigned long_size,
			    struct print_spec *ret_spec);

/* Returns whether there are neither flags nor width nor precision. */
bool print_spec_is_plain(const struct print_spec *spec);

#endif
