/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One conversion of a printf format, in the kernel's dialect. */
#ifndef FATHOM_FORMAT_PRINT_PRINT_SPEC_H
#define FATHOM_FORMAT_PRINT_PRINT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A width or precision beyond this is cut to it. */
#define PRINT_WIDTH_MAX 4096

struct print_spec {
	char conv; /* c d u x X o s p, or 0 for one that is not known */
	uint8_t size; /* of a number's argument: 1, 2, 4, 8 */
	bool left, zero, plus, space, prefix;
	bool width_arg, precision_arg; /* '*': the value is an argument */
	uint16_t width;
	int16_t precision; /* -1: none */
	char pointer[8]; /* the letters behind %p */
};

/*
 * Reads the conversion at @p, which points behind the '%' and before @end; "%%" is
 * not one. Returns the first character behind it.
 */
const char *print_spec_read(const char *p, const char *end, unsigned long_size,
			    struct print_spec *ret_spec);

/* Only the conversion itself: no flags, no width, no precision. */
bool print_spec_is_plain(const struct print_spec *spec);

#endif
