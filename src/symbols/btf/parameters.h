/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parameters of kernel functions, out of the kernel's BTF as a trace file
 * carries it. The bytes are not trusted: whatever does not lie within them, or
 * refers to a type that is not there, is as if it did not exist. After parameters_init()
 * nothing changes.
 */
#ifndef FATHOM_SYMBOLS_BTF_PARAMETERS_H
#define FATHOM_SYMBOLS_BTF_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parameter_kind {
	PARAMETER_UNKNOWN, /* its type is not there */
	PARAMETER_NONE, /* "...": it has no type */
	PARAMETER_POINTER,
	PARAMETER_INT,
	PARAMETER_ENUM,
	PARAMETER_OTHER, /* a struct, passed by value, and the like */
};

struct parameter {
	const char *name; /* "" when it has none */
	enum parameter_kind kind;
	const char *kind_name; /* of a PARAMETER_OTHER: "STRUCT" */
	uint32_t size; /* bytes, of a PARAMETER_OTHER */
	uint8_t bits, shift; /* of an int: how wide, and where in the word */
	bool is_signed;
};

struct parameters {
	uint8_t *bytes; /* owned */
	size_t size;
	bool big; /* numbers have their high byte first */
	uint32_t strings, strings_len; /* where the names are */
	uint32_t *types; /* offsets; type 1 is the first */
	uint32_t n_types;
	uint32_t *functions; /* types of functions, by name */
	uint32_t n_functions;
};

/* Takes the @size bytes, which are copied. 0, -EINVAL when they are no BTF, -ENOMEM. */
int parameters_init(struct parameters *parameters, const void *bytes, size_t size);
void parameters_done(struct parameters *parameters);

/* The number by which a function's parameters are asked for; 0 when it is not known. */
uint32_t parameters_find(const struct parameters *parameters, const char *name, size_t len);
uint32_t parameters_count(const struct parameters *parameters, uint32_t function);
/* Parameter @i, which is below the count. */
struct parameter parameters_get(const struct parameters *parameters, uint32_t function, uint32_t i);

#endif
