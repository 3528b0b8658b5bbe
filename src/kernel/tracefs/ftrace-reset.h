/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns off everything in ftrace, no matter which program turned it on. */
#ifndef FATHOM_KERNEL_TRACEFS_FTRACE_RESET_H
#define FATHOM_KERNEL_TRACEFS_FTRACE_RESET_H

#include <fathom/err.h>

/*
 * Removes all instances and, at the top level, resets tracer, events, filters, triggers, PIDs,
 * dynamic events and the snapshot, and clears the buffer; sets the clock to "local", traces all
 * CPUs, and leaves tracing_on at 1. Buffer sizes and options keep their values, because their
 * defaults are unknown. @tracefs is a descriptor of the tracefs directory. Continues after
 * failures; returns 0 or the first of them, a negative errno.
 */
int ftrace_reset(int tracefs, struct fathom_err *err);

#endif
