/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types and parameters out of a program's debug information (DWARF), as BTF: so that probes in programs are
 * lowered in the same way as those in the kernel. Only what is asked for is taken over, with all that it
 * refers to. Functions whose parameters may be elsewhere than the ABI says are left out.
 */
#ifndef FATHOM_SYMBOLS_DWARF_PROGRAM_DWARF_H
#define FATHOM_SYMBOLS_DWARF_PROGRAM_DWARF_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct btf;

/* A function that is wanted: its symbol, and its address in the file's own terms. */
struct program_function {
	const char *name;
	uint64_t address;
};

/* Where the value of a variable is while the program is at some instruction. */
struct variable_place {
	enum variable_kind {
		VARIABLE_NOWHERE, /* see @why */
		VARIABLE_REGISTER,
		VARIABLE_MEMORY, /* at what @reg has, and @number behind it */
		VARIABLE_FIXED, /* at the address @number, in the file's own terms */
		VARIABLE_NUMBER, /* it is always @number */
	} kind;
	unsigned reg; /* as DWARF counts them */
	int64_t number;
	const char *why;
};

/*
 * An instruction whose variables are wanted: the local ones, from the innermost on, and those others that are
 * asked for by name. They become the parameters of a function @name.
 */
struct program_place {
	uint64_t address;
	const char *name;
	struct variable_place *variables; /* what is found; in the arena */
	size_t n;
};

struct program_wanted {
	int fd; /* the program, or its debug file */
	int program_fd; /* the program itself */
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
 * Adds to @btf what is found; @integer is the number of a type there for indexes of arrays. What is not
 * found is no failure. 1; 0: there is no debug information, or this was built without libdw; -ENOMEM.
 */
int program_dwarf_add(const struct program_wanted *wanted, int integer, struct btf *btf);

#endif
