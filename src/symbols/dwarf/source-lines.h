/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The source line of an address in a program, and the functions inlined there, from the DWARF debug
 * information in an ELF file, read with libdw. libdw is not designed for untrusted files, so it
 * must only be used in a process that may crash; see actions/names/line-helper.h. Not thread-safe.
 */
#ifndef FATHOM_SYMBOLS_DWARF_SOURCE_LINES_H
#define FATHOM_SYMBOLS_DWARF_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More frames are left out. */
#define SOURCE_FRAMES_MAX 32

struct source_frame {
	const char *function; /* as in the debug information; NULL: unknown */
	const char *file; /* NULL: unknown */
	uint32_t line; /* 0: unknown */
};

struct source_lines;

/* Returns whether libdw is built in. */
bool source_lines_supported(void);
/*
 * Reads the debug information of the ELF file in memory, which must stay mapped and may be written
 * to. Returns 0, -ENODATA if there is none, -ENOTSUP without libdw, or another negative errno.
 */
int source_lines_new(void *image, size_t size, struct source_lines **ret_lines);
void source_lines_free(struct source_lines *lines);
/*
 * Returns the functions at @address, an address as in the file, innermost first; all but the last
 * are inlined. Returns their number; 0: unknown. Strings are valid as long as @lines.
 */
size_t source_lines_find(struct source_lines *lines, uint64_t address,
			 struct source_frame frames[SOURCE_FRAMES_MAX]);
/* Returns where the function that contains @address is declared, or false if unknown. */
bool source_lines_function(struct source_lines *lines, uint64_t address, const char **ret_file,
			   uint32_t *ret_line);

#endif
