/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records a finished trace once more, page by page: a file that grows as under a recorder. */
#ifndef FATHOM_TESTS_TUI_GROW_H
#define FATHOM_TESTS_TUI_GROW_H

#include <fathom/err.h>

struct grow;

/* @from is a trace without compression; nothing of its data is in @to, which is made and locked, yet. */
int grow_new(const char *from, const char *to, struct grow **ret_grow, struct fathom_err *err);
/* Adds all pages that begin in the first @part hundredths of the time. 0 or a negative errno. */
int grow_until(struct grow *grow, unsigned part);
/* Finishes the file, and unlocks it. */
int grow_end(struct grow *grow);
/* Goes away as a recorder that is killed, unless grow_end() was called. */
void grow_free(struct grow *grow);

#endif
