/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parameters of kernel functions, from the BTF in a trace file. The bytes are untrusted: items
 * that are not entirely within them, or refer to a missing type, are treated as missing. Immutable
 * after parameters_init(), so threads can share it. Strings belong to it and are valid until
 * parameters_done().
 */
#ifndef FATHOM_SYMBOLS_BTF_PARAMETERS_H
#define FATHOM_SYMBOLS_BTF_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parameter_kind {
	PARAMETER_UNKNOWN, /* its type is missing */
	PARAMETER_NONE, /* "...": without a type */
	PARAMETER_POINTER,
	PARAMETER_INT,
	PARAMETER_ENUM,
	PARAMETER_OTHER, /* a struct passed by value, or similar */
};

struct parameter {
	const char *name; /* "" if none */
	enum parameter_kind kind;
	const char *kind_name; /* of a PARAMETER_OTHER, such as "STRUCT" */
	uint32_t size; /* of a PARAMETER_OTHER, in bytes */
	uint8_t bits, shift; /* of an int: its width, and position in the word */
	bool is_signed;
};

struct parameters {
	uint8_t *bytes; /* owned */
	size_t size;
	bool big; /* big-endian */
	uint32_t strings, strings_len; /* offset and length of the strings */
	uint32_t *types; /* offsets; the first one is that of type 1 */
	uint32_t n_types;
	uint32_t *functions; /* types of functions, sorted by name */
	uint32_t n_functions;
};

/* Copies @size bytes. Returns 0, -EINVAL if they are not BTF, or -ENOMEM. */
int parameters_init(struct parameters *parameters, const void *bytes, size_t size);
void parameters_done(struct parameters *parameters);

/* Returns a handle for the function's parameters; 0 if it is unknown. */
uint32_t parameters_find(const struct parameters *parameters, const char *name, size_t len);
uint32_t parameters_count(const struct parameters *parameters, uint32_t function);
/* Returns parameter @i, which must be below the number of parameters. */
struct parameter parameters_get(const struct parameters *parameters, uint32_t function, uint32_t i);

#endif
