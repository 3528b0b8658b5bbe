/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Switching all of ftrace off, whoever has switched it on. */
#ifndef FATHOM_KERNEL_TRACEFS_FTRACE_RESET_H
#define FATHOM_KERNEL_TRACEFS_FTRACE_RESET_H

#include <fathom/err.h>

/*
 * Removes all instances, and at the top level tracer, events, filters, triggers,
 * pids, added events, the snapshot and what was recorded; the clock becomes
 * "local" and all CPUs are traced. Buffer sizes and options stay: what they were
 * after boot nobody knows. Goes through all; returns the first failure.
 */
int ftrace_reset(int tracefs, struct fathom_err *err);

#endif
