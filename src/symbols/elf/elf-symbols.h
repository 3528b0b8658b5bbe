/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of a program or library, out of all that its file and its debug file tell: .symtab of
 * the file, else .symtab of its debug file (found by build-id or .gnu_debuglink), else that
 * within .gnu_debugdata; and .dynsym and the stubs of the PLT ("puts@plt"). Addresses are the file's own:
 * see elf_file_address(). A debug file is looked for only when the file itself has no .symtab.
 */
#ifndef FATHOM_SYMBOLS_ELF_ELF_SYMBOLS_H
#define FATHOM_SYMBOLS_ELF_ELF_SYMBOLS_H

#include "symbols/elf/elf-file.h"
#include "symbols/elf/symbol-table.h"

/* How debug files are opened; a process that may not open files asks another one. */
struct elf_opener {
	/* An open file to be closed by the caller, or a negative errno. */
	int (*open)(void *data, const char *path);
	void *data;
	bool debuginfod; /* it also opens names of elf_debuginfod_name() */
};

/* Why there are not more symbols than there are. Bits. */
enum elf_symbols_lack {
	ELF_LACK_SYMTAB = 1, /* stripped, and no debug file was found */
	ELF_LACK_DEBUG_CRC = 2, /* a debug file was found that is not of this file */
	ELF_LACK_XZ = 4, /* .gnu_debugdata is there, but this program was built without liblzma */
	ELF_LACK_DAMAGE = 8, /* a table of symbols could not be read */
};

/* In words: "stripped, ..."; "" for 0. */
const char *elf_symbols_lack_text(unsigned lack);

/*
 * Reads the symbols of @file, whose name is @path. @opener may be NULL: then no debug file is read.
 * 0 or a negative errno; few or no symbols are no error, @ret_lack says why.
 */
int elf_symbols_read(const struct elf_file *file, const char *path, const struct elf_opener *opener,
		     struct symbol_table *ret_table, unsigned *ret_lack);
/* The same with all names of an address, unsorted, and without the stubs of the PLT. */
int elf_symbols_collect(const struct elf_file *file, const char *path,
			const struct elf_opener *opener, struct symbol_builder *builder,
			unsigned *ret_lack);

#endif
