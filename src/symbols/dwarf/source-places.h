/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The code of a source line, from the line table in DWARF debug information: the inverse of
 * symbols/dwarf/source-lines.h. A line can have code in several places: a loop, inlined copies,
 * instances of a template. libdw is not robust: for confined processes only.
 */
#ifndef FATHOM_SYMBOLS_DWARF_SOURCE_PLACES_H
#define FATHOM_SYMBOLS_DWARF_SOURCE_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"

struct source_places {
	uint64_t *addresses; /* as in the file, ascending */
	size_t n;
	uint32_t line; /* the requested line, or the next one with code */
};

/*
 * Searches the open file @fd for @source, the end of a path such as "open.c" or "fs/open.c".
 * Results are in @arena. Returns 0, -ENODATA if there is no debug information, -ENOTSUP without
 * libdw, -ENOENT with a message if there is no such file, no code, or the file is ambiguous, or
 * -ENOMEM.
 */
int source_places_find(int fd, const char *source, uint32_t line, struct arena *arena,
		       struct source_places *ret_places, struct fathom_err *err);

/* Returns the part of a path that identifies the file, because compilation directories differ. */
const char *source_path_end(const char *path);

#endif
