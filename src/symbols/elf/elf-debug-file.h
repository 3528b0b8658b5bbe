/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding the debug file of a stripped program, where distributions and gdb have them. */
#ifndef FATHOM_SYMBOLS_ELF_ELF_DEBUG_FILE_H
#define FATHOM_SYMBOLS_ELF_ELF_DEBUG_FILE_H

#include "symbols/elf/elf-symbols.h"

/*
 * Opens the debug file of @file, whose name is @path: that of its build-id, or the one that its
 * .gnu_debuglink names and whose checksum is right. A file descriptor; -ENOENT when there is none, -EBADMSG
 * when there is one, but it belongs to another file.
 */
int elf_debug_file_open(const struct elf_file *file, const char *path,
			const struct elf_opener *opener);

/* What servers of debug files have is asked for as "debuginfod:KIND:BUILD-ID". */
#define ELF_DEBUGINFOD	    "debuginfod:"
#define ELF_DEBUGINFOD_NAME (sizeof(ELF_DEBUGINFOD) + 16 + 2 * (size_t)ELF_BUILD_ID_MAX)
/* The name for @kind, "executable" or "debuginfo", of a file with this build-id. */
void elf_debuginfod_name(const char *kind, const unsigned char *id, size_t len,
			 char name[ELF_DEBUGINFOD_NAME]);

#endif
