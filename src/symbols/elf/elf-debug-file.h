/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the debug file of a stripped program, in the same places as gdb. Files are opened through
 * the caller's elf_opener and are untrusted.
 */
#ifndef FATHOM_SYMBOLS_ELF_ELF_DEBUG_FILE_H
#define FATHOM_SYMBOLS_ELF_ELF_DEBUG_FILE_H

#include "symbols/elf/elf-symbols.h"

/*
 * Opens the debug file of @file, which is at @path: by build ID, by .gnu_debuglink and its
 * checksum, or from a debuginfod server if the opener supports that. Returns a descriptor to be
 * closed by the caller, -ENOENT if there is none, -EBADMSG if those found belong to another file,
 * or -ENOMEM.
 */
int elf_debug_file_open(const struct elf_file *file, const char *path,
			const struct elf_opener *opener);

/* Prefix of names that are requested from servers: "debuginfod:KIND:BUILD-ID". */
#define ELF_DEBUGINFOD	    "debuginfod:"
#define ELF_DEBUGINFOD_NAME (sizeof(ELF_DEBUGINFOD) + 16 + 2 * (size_t)ELF_BUILD_ID_MAX)
/* Formats the name of a file with this build ID; @kind is "executable" or "debuginfo". */
void elf_debuginfod_name(const char *kind, const unsigned char *id, size_t len,
			 char name[ELF_DEBUGINFOD_NAME]);

#endif
