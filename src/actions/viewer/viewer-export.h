/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FATHOM_ACTIONS_VIEWER_VIEWER_EXPORT_H
#define FATHOM_ACTIONS_VIEWER_VIEWER_EXPORT_H

#include "base/strbuf.h"

/*
 * Runs 'fathom export' for the viewer: a file name, and a line for each limit. A compromised viewer
 * can only create a new file with a plain name in the current directory. Returns 0 or a negative
 * errno; @answer has the outcome.
 */
int viewer_export(const char *trace, const char *request, struct strbuf *answer);

#endif
