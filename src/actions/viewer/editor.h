/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's editor, on a file whose name comes from somebody else. */
#ifndef FATHOM_ACTIONS_VIEWER_EDITOR_H
#define FATHOM_ACTIONS_VIEWER_EDITOR_H

#include "base/strbuf.h"

/*
 * Runs $VISUAL, $EDITOR or vi at the line of a regular file, as the user who called us, and waits for its end.
 * 0, or a negative errno with a text about it in @answer.
 */
int editor_run(const char *file, unsigned line, struct strbuf *answer);

#endif
