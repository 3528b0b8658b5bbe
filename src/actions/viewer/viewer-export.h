/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FATHOM_ACTIONS_VIEWER_VIEWER_EXPORT_H
#define FATHOM_ACTIONS_VIEWER_VIEWER_EXPORT_H

#include "base/strbuf.h"

/*
 * Runs 'fathom export' for what the viewer asks for: a name, and a line for each limit. Whatever has become of the viewer, it
 * gets no more than a new file with a plain name in the current directory. 0, or a negative errno; @answer says how it went.
 */
int viewer_export(const char *trace, const char *request, struct strbuf *answer);

#endif
