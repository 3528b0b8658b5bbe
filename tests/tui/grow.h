/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records a finished trace once more, page by page: a file that grows as under a recorder. */
#ifndef FATHOM_TESTS_TUI_GROW_H
#define FATHOM_TESTS_TUI_GROW_H

#include <fathom/err.h>

struct grow;

/* @from is an uncompressed trace; @to has been created and locked, and contains no data yet. */
int grow_new(const char *from, const char *to, struct grow **ret_grow, struct fathom_err *err);
/*
 * Adds all pages that start in the first @part percent of the time. Returns 0 or a negative errno.
 */
int grow_until(struct grow *grow, unsigned part);
/* Finishes the file, and unlocks it. */
int grow_end(struct grow *grow);
/* Ends like a killed recorder, unless grow_end() was called. */
void grow_free(struct grow *grow);

#endif
