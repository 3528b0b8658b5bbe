/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack of scopes: each narrows the one below it. What is on top holds for all views. */
#ifndef FATHOM_TUI_SCOPE_H
#define FATHOM_TUI_SCOPE_H

#include "tui/view.h"

#define SCOPES_MAX 16

struct scopes {
	struct scope list[SCOPES_MAX]; /* the first is all */
	unsigned n;
};

void scopes_init(struct scopes *scopes);
/*
 * Puts what @what adds on top. False: it adds nothing, or there are too many, or nothing would be left;
 * *@ret_why says which.
 */
bool scopes_push(struct scopes *scopes, const struct scope *what, const char **ret_why);
/* Takes the last one away; false: there is none. */
bool scopes_pop(struct scopes *scopes);
const struct scope *scopes_top(const struct scopes *scopes);
/* Adds what was pushed, as "task ls-17 > CPU 1"; nothing when nothing was. */
void scopes_put(const struct scopes *scopes, const struct tui *tui, struct strbuf *buf);

#endif
