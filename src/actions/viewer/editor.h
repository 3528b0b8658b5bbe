/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the user's editor on a file whose name is untrusted. */
#ifndef FATHOM_ACTIONS_VIEWER_EDITOR_H
#define FATHOM_ACTIONS_VIEWER_EDITOR_H

#include "base/strbuf.h"

/*
 * Runs $VISUAL, $EDITOR or vi at the line of a regular file, as the user who called sudo, and waits
 * for it. Returns 0, or a negative errno with a message in @answer.
 */
int editor_run(const char *file, unsigned line, struct strbuf *answer);

#endif
