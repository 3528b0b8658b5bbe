/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads tags files and source, which anyone may have written, in a process without rights (see process/confined-call.h).
 */
#ifndef FATHOM_ACTIONS_MACHINE_EXPLAIN_READ_H
#define FATHOM_ACTIONS_MACHINE_EXPLAIN_READ_H

#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "symbols/kernel/tags.h"

/*
 * As tags_find(), in the open tags file @fd that is called @path. How many tags there are in @ret_tags, or a negative
 * errno.
 */
int explain_read_tags(int fd, const char *path, const char *name, struct tag *ret_tags, size_t max,
		      struct fathom_err *err);
/*
 * Reads the beginning of a definition in the open source file @fd that is called @path: at *@line, or where @tag, if
 * it is not NULL, says that it is; *@line is set then, to 0 if it is nowhere. *@ret_text is in @arena, or NULL if there
 * is no such line. 0 or a negative errno.
 */
int explain_read_lines(int fd, const char *path, const struct tag *tag, unsigned *line,
		       struct arena *arena, const char **ret_text, struct fathom_err *err);

#endif
