/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The knobs that are lists of lines, of which each can be added and removed
 * alone: function filters, events that are on, triggers. Inside of knob.c.
 */
#ifndef FATHOM_KERNEL_TRACEFS_KNOB_LINES_H
#define FATHOM_KERNEL_TRACEFS_KNOB_LINES_H

#include "base/strbuf.h"

/* Each pair is the knob_read() and knob_restore() of one kind. */
int knob_functions_read(int dir, const char *file, struct strbuf *value);
int knob_functions_restore(int dir, const char *file, const char *value);
int knob_graph_read(int dir, const char *file, struct strbuf *value);
int knob_graph_restore(int dir, const char *file, const char *value);
int knob_events_on_read(int dir, const char *file, struct strbuf *value);
int knob_events_on_restore(int dir, const char *file, const char *value);
int knob_triggers_read(int dir, const char *file, struct strbuf *value);
int knob_triggers_restore(int dir, const char *file, const char *value);

#endif
