/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved state of the viewer: one file per trace in fathom/tui in the state directory
 * ($XDG_STATE_HOME). It applies to that version of the trace file only; if the file has changed, it
 * is ignored.
 */
#ifndef FATHOM_ACTIONS_VIEWER_VIEWER_STATE_H
#define FATHOM_ACTIONS_VIEWER_VIEWER_STATE_H

#include "base/strbuf.h"

#define VIEWER_STATE_MAX 65536

/* Returns 0 or a negative errno; -ENOENT: nothing was saved, or there is no directory for it. */
int viewer_state_load(const char *trace, struct strbuf *text);
int viewer_state_save(const char *trace, const char *text);

#endif
