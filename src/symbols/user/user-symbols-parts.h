/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the names (user-symbols.c) and the lines (user-lines.c) of programs share. */
#ifndef FATHOM_SYMBOLS_USER_USER_SYMBOLS_PARTS_H
#define FATHOM_SYMBOLS_USER_USER_SYMBOLS_PARTS_H

#include "symbols/user/user-symbols.h"

/* A program or library. */
struct user_file {
	const char *path; /* NULL: not asked for so far */
	const char *opened; /* the name that it was found by, if that is another */
	const struct user_origin *origin; /* NULL: unknown */
	enum user_unresolved why; /* the file can't be used; USER_RESOLVED: it can */
	bool stripped;
	struct elf_file elf; /* without its source, which is closed */
	struct symbol_table table;
	bool debug_asked; /* for its debug info */
	bool has_debug;
	bool is_unread; /* whoever reads debug info failed on it */
	uint32_t debug; /* the asker's number for it */
};

/* Its bytes in the trace; NULL: it is not kept there. */
const struct elf_source *user_file_copy(const struct user_symbols *symbols,
					const struct user_file *file);
/* The readable form of a name that stays where it is, made once. */
const char *user_symbols_readable(struct user_symbols *symbols, const char *name);

#endif
