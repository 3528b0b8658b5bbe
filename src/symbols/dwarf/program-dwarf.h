/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Converts types and parameters in a program's debug information (DWARF) to BTF, so that probes in
 * programs are lowered like those in the kernel. Only what is requested is converted, with
 * everything that it refers to. Functions with parameters in locations other than those of the ABI
 * are skipped. DWARF is untrusted and libdw is not robust: for confined processes only.
 */
#ifndef FATHOM_SYMBOLS_DWARF_PROGRAM_DWARF_H
#define FATHOM_SYMBOLS_DWARF_PROGRAM_DWARF_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct btf;

/* A requested function: its symbol, and its address as in the file. */
struct program_function {
	const char *name;
	uint64_t address;
};

/* The location of a variable while the program is at some instruction. */
struct variable_place {
	enum variable_kind {
		VARIABLE_NOWHERE, /* see @why */
		VARIABLE_REGISTER,
		VARIABLE_MEMORY, /* at the value of @reg plus @number */
		VARIABLE_FIXED, /* at the address @number, as in the file */
		VARIABLE_NUMBER, /* the constant @number */
	} kind;
	unsigned reg; /* DWARF number */
	int64_t number;
	const char *why;
};

/*
 * An instruction whose variables are requested: the local ones, innermost first, and others that
 * are requested by name. They become the parameters of a function @name.
 */
struct program_place {
	uint64_t address;
	const char *name;
	struct variable_place *variables; /* the result, in the arena */
	size_t n;
};

struct program_wanted {
	int fd; /* the program, or its debug file */
	int program_fd; /* the program */
	const struct program_function *functions;
	size_t n_functions;
	const char *const *types; /* "struct foo", "union u", "enum e", or a typedef */
	size_t n_types;
	struct program_place *places;
	size_t n_places;
	const char *const *names; /* of variables that need not be local */
	size_t n_names;
	struct arena *arena;
};

/*
 * Adds the types and functions found to @btf, in which the type @integer is used for array indexes.
 * A missing one is not an error. Returns 1, 0 if there is no debug information or no libdw, or
 * -ENOMEM.
 */
int program_dwarf_add(const struct program_wanted *wanted, int integer, struct btf *btf);

#endif
