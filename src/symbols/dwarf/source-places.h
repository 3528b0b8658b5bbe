/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The code of a line of source, by the table of lines in DWARF debug information: the other way of
 * symbols/dwarf/source-lines.h. One line may have code in many places: of a loop, where a function is inlined, of a template.
 */
#ifndef FATHOM_SYMBOLS_DWARF_SOURCE_PLACES_H
#define FATHOM_SYMBOLS_DWARF_SOURCE_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"

struct source_places {
	uint64_t *addresses; /* in the file's own terms, rising */
	size_t n;
	uint32_t line; /* whose they are: the one that was wanted, or the next one with code */
};

/*
 * Looks in the open file @fd for @source, the end of a path, "open.c" or "fs/open.c". What is found is in
 * @arena. 0; -ENODATA: there is no debug information; -ENOTSUP: this was built without libdw; -ENOENT with a
 * message: there is no such file, no code, or several files are meant; -ENOMEM.
 */
int source_places_find(int fd, const char *source, uint32_t line, struct arena *arena,
		       struct source_places *ret_places, struct fathom_err *err);

/* What of a path tells which file it is: units may be compiled in other directories. */
const char *source_path_end(const char *path);

#endif
