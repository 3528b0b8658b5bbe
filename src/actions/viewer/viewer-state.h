/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the viewer keeps what is to be there again: a file for each trace in fathom/tui, where programs keep
 * their state ($XDG_STATE_HOME). It is for the very file that was looked at; when that has changed, it is not.
 */
#ifndef FATHOM_ACTIONS_VIEWER_VIEWER_STATE_H
#define FATHOM_ACTIONS_VIEWER_VIEWER_STATE_H

#include "base/strbuf.h"

#define VIEWER_STATE_MAX 65536

/* 0, or a negative errno: -ENOENT: nothing was kept, or there is no place for it. */
int viewer_state_load(const char *trace, struct strbuf *text);
int viewer_state_save(const char *trace, const char *text);

#endif
