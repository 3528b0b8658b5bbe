/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of a program or library: from .symtab of the file or else of its debug file (found
 * by build ID or .gnu_debuglink) or else of .gnu_debugdata, plus .dynsym and the stubs of the PLT
 * ("puts@plt"). A debug file is only searched for if the file has no .symtab. Addresses are those
 * of the file, see elf_file_address(). Files are untrusted.
 */
#ifndef FATHOM_SYMBOLS_ELF_ELF_SYMBOLS_H
#define FATHOM_SYMBOLS_ELF_ELF_SYMBOLS_H

#include "symbols/elf/elf-file.h"
#include "symbols/elf/symbol-table.h"

/* Opens debug files; a process that must not open files delegates to another one. */
struct elf_opener {
	/* Returns a descriptor, to be closed by the caller, or a negative errno. */
	int (*open)(void *data, const char *path);
	void *data;
	bool debuginfod; /* @open accepts names of elf_debuginfod_name() */
};

/* Reasons for missing symbols, as bits. */
enum elf_symbols_lack {
	ELF_LACK_SYMTAB = 1, /* stripped, and no debug file was found */
	ELF_LACK_DEBUG_CRC = 2, /* the debug file found belongs to another file */
	ELF_LACK_XZ = 4, /* there is a .gnu_debugdata, but liblzma is not built in */
	ELF_LACK_DAMAGE = 8, /* a symbol table could not be read */
};

/* Returns a static text such as "stripped, ...", or "" for 0. */
const char *elf_symbols_lack_text(unsigned lack);

/*
 * Reads the symbols of @file, which is at @path. @opener may be NULL: no debug file is read.
 * Returns 0 or a negative errno. Missing symbols are not an error; *@ret_lack receives the reason.
 */
int elf_symbols_read(const struct elf_file *file, const char *path, const struct elf_opener *opener,
		     struct symbol_table *ret_table, unsigned *ret_lack);
/* The same with all names of an address, unsorted, and without PLT stubs. */
int elf_symbols_collect(const struct elf_file *file, const char *path,
			const struct elf_opener *opener, struct symbol_builder *builder,
			unsigned *ret_lack);

#endif
