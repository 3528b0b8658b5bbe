/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which line of which source file an address of a program comes from, and which functions were inlined there, out
 * of the DWARF debug info in an ELF file, by libdw. That library was not written for files of enemies: what
 * is read by it belongs into a process that may crash, see actions/names/line-helper.h.
 */
#ifndef FATHOM_SYMBOLS_DWARF_SOURCE_LINES_H
#define FATHOM_SYMBOLS_DWARF_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Deeper ones are left out. */
#define SOURCE_FRAMES_MAX 32

struct source_frame {
	const char *function; /* as in the debug info; NULL: unknown */
	const char *file; /* NULL: unknown */
	uint32_t line; /* 0: unknown */
};

struct source_lines;

/* Was this program built with libdw? */
bool source_lines_supported(void);
/*
 * The debug info of the ELF file in memory, which must stay, and may be written to. -ENODATA when there is
 * none, -ENOTSUP when this program was built without libdw.
 */
int source_lines_new(void *image, size_t size, struct source_lines **ret_lines);
void source_lines_free(struct source_lines *lines);
/*
 * The functions at @address, in the file's own terms, from the innermost; all but the last are inlined. How many;
 * 0: nothing is known. What is handed out lives as long as @lines.
 */
size_t source_lines_find(struct source_lines *lines, uint64_t address,
			 struct source_frame frames[SOURCE_FRAMES_MAX]);
/* Where the function is declared that the code at @address belongs to. False: nothing is known. */
bool source_lines_function(struct source_lines *lines, uint64_t address, const char **ret_file,
			   uint32_t *ret_line);

#endif
