/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by user-symbols.c (names) and user-lines.c (source lines). */
#ifndef FATHOM_SYMBOLS_USER_USER_SYMBOLS_PARTS_H
#define FATHOM_SYMBOLS_USER_USER_SYMBOLS_PARTS_H

#include "symbols/user/user-symbols.h"

/* A program or library. */
struct user_file {
	const char *path; /* NULL: not read yet */
	const char *opened; /* the name by which it was opened, if different */
	const struct user_origin *origin; /* NULL: unknown */
	enum user_unresolved why; /* USER_RESOLVED, or why the file cannot be used */
	bool stripped;
	struct elf_file elf; /* without its source, which is closed */
	struct symbol_table table;
	bool debug_asked; /* for its debug information */
	bool has_debug;
	bool is_unread; /* its debug information could not be read */
	uint32_t debug; /* its number in the line_asker */
};

/* Returns the copy of the file in the trace, or NULL. */
const struct elf_source *user_file_copy(const struct user_symbols *symbols,
					const struct user_file *file);
/* Returns the demangled form of a name that stays at its address; computed once. */
const char *user_symbols_readable(struct user_symbols *symbols, const char *name);

#endif
