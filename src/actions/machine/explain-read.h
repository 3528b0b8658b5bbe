/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads tags files and source code, which are untrusted, in a confined process (see
 * process/confined-call.h).
 */
#ifndef FATHOM_ACTIONS_MACHINE_EXPLAIN_READ_H
#define FATHOM_ACTIONS_MACHINE_EXPLAIN_READ_H

#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "symbols/kernel/tags.h"

/*
 * Like tags_find(), in the open tags file @fd named @path. Returns the number of tags in @ret_tags,
 * or a negative errno.
 */
int explain_read_tags(int fd, const char *path, const char *name, struct tag *ret_tags, size_t max,
		      struct fathom_err *err);
/*
 * Reads the start of a definition in the open source file @fd named @path: at *@line or, if @tag is
 * not NULL, where it says; sets *@line to that line, or 0 if it is not found. *@ret_text is in
 * @arena, or NULL if there is no such line. Returns 0 or a negative errno.
 */
int explain_read_lines(int fd, const char *path, const struct tag *tag, unsigned *line,
		       struct arena *arena, const char **ret_text, struct fathom_err *err);

#endif
