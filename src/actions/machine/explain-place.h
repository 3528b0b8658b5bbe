/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source locations in an explanation, with the text found there. */
#ifndef FATHOM_ACTIONS_MACHINE_EXPLAIN_PLACE_H
#define FATHOM_ACTIONS_MACHINE_EXPLAIN_PLACE_H

#include <sys/types.h>

#include "actions/machine/explain-find.h"
#include "symbols/kernel/tags.h"

/*
 * Returns a descriptor; -ENOENT if the file does not exist or is empty; -EPERM if it must not be
 * used; or -ENOMEM.
 */
int explain_place_open(struct explanation *e, const char *path, off_t *ret_size);
/* Reports what could not be read, with the error @r. Returns 0 or -ENOMEM. */
int explain_note_failure(struct explanation *e, int r, const struct fathom_err *err);
/* Adds the location at the line or, with @tag, the one that it refers to. Returns 0 or -ENOMEM. */
int explain_place_add(struct explanation *e, const char *path, unsigned line, const struct tag *tag,
		      const char *by);

#endif
