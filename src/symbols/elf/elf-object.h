/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding one variable or function of a program by its name: in .symtab of the file, else of its debug
 * file, and in .dynsym. For a few names: everything is read for each.
 */
#ifndef FATHOM_SYMBOLS_ELF_ELF_OBJECT_H
#define FATHOM_SYMBOLS_ELF_ELF_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "symbols/elf/elf-symbols.h"

struct elf_object {
	uint64_t address; /* in the file's own terms */
	uint64_t size; /* 0: not known */
	bool is_function;
};

/*
 * @name is a symbol, or "FILE:SYMBOL" with the name of a source file for one that is static. @opener may be
 * NULL. 0 or a negative errno: -ENOENT there is none, -ENOTUNIQ there are several that differ (with @several they
 * are listed in it, as "a.c:count, b.c:count"), -EOPNOTSUPP each thread has one of its own.
 */
int elf_object_find(const struct elf_file *file, const char *path, const struct elf_opener *opener,
		    const char *name, struct elf_object *ret_object, struct strbuf *several);

#endif
