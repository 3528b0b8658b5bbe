/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the source, of which an explanation has a list, with the text that is there. */
#ifndef FATHOM_ACTIONS_MACHINE_EXPLAIN_PLACE_H
#define FATHOM_ACTIONS_MACHINE_EXPLAIN_PLACE_H

#include <sys/types.h>

#include "actions/machine/explain-find.h"
#include "symbols/kernel/tags.h"

/* A descriptor; -ENOENT: there is no such file, or it is empty; -EPERM: it is not used; or -ENOMEM. */
int explain_place_open(struct explanation *e, const char *path, off_t *ret_size);
/* What could not be read, with @r, is missing, and the reason is said. 0 or -ENOMEM. */
int explain_note_failure(struct explanation *e, int r, const struct fathom_err *err);
/* Adds the place at the line, or with @tag at the one that it means. 0 or -ENOMEM. */
int explain_place_add(struct explanation *e, const char *path, unsigned line, const struct tag *tag,
		      const char *by);

#endif
