/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds a single variable or function of a program by name: in .symtab of the file or else of its
 * debug file, and in .dynsym. Reads all symbols each time, so it is meant for a few names. Files
 * are untrusted.
 */
#ifndef FATHOM_SYMBOLS_ELF_ELF_OBJECT_H
#define FATHOM_SYMBOLS_ELF_ELF_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "symbols/elf/elf-symbols.h"

struct elf_object {
	uint64_t address; /* as in the file */
	uint64_t size; /* 0: unknown */
	bool is_function;
};

/*
 * @name is a symbol, or "FILE:SYMBOL" with the name of a source file for a static one. @opener may
 * be NULL. Returns 0 or a negative errno: -ENOENT if there is none, -ENOTUNIQ if there are several
 * that differ (listed in @several as "a.c:count, b.c:count"), -EOPNOTSUPP if it is thread-local.
 */
int elf_object_find(const struct elf_file *file, const char *path, const struct elf_opener *opener,
		    const char *name, struct elf_object *ret_object, struct strbuf *several);

#endif
