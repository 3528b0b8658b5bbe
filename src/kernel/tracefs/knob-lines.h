/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kinds of knobs that are lists of lines, each of which can be added and removed separately:
 * function filters, enabled events, triggers. Only for knob.c.
 */
#ifndef FATHOM_KERNEL_TRACEFS_KNOB_LINES_H
#define FATHOM_KERNEL_TRACEFS_KNOB_LINES_H

#include "base/strbuf.h"

/* The implementations of knob_read() and knob_restore() for each kind. */
int knob_functions_read(int dir, const char *file, struct strbuf *value);
int knob_functions_restore(int dir, const char *file, const char *value);
int knob_graph_read(int dir, const char *file, struct strbuf *value);
int knob_graph_restore(int dir, const char *file, const char *value);
int knob_events_on_read(int dir, const char *file, struct strbuf *value);
int knob_events_on_restore(int dir, const char *file, const char *value);
int knob_triggers_read(int dir, const char *file, struct strbuf *value);
int knob_triggers_restore(int dir, const char *file, const char *value);

#endif
