/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attaches programs to tracepoints, functions and timers by perf events. These are descriptors of
 * this process: the kernel detaches them when it exits, and tracefs is not changed.
 */
#ifndef FATHOM_COUNT_ATTACH_H
#define FATHOM_COUNT_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

/* Descriptors of perf events and BPF links. Empty when zero-initialized; released by attached_done(). */
struct attached {
	int *fds;
	size_t n, cap;
};

/* Each attaches @program; returns 0 or a negative errno, with a message except where noted. */
int attach_event(struct attached *attached, int program, int id, const char *name,
		 struct fathom_err *err);
int attach_function(struct attached *attached, int program, const char *function, bool is_return,
		    struct fathom_err *err);
/* For a program that was loaded for the entry or the exit of a function. No message. */
int attach_traced(struct attached *attached, int program);
/* Attaches to all of @n functions, without a message; the program was loaded for BPF_TRACE_KPROBE_MULTI. */
int attach_functions(struct attached *attached, int program, const char *const *functions, size_t n,
		     bool is_return);
/* Runs @program @hz times per second on each CPU. */
int attach_timer(struct attached *attached, int program, unsigned hz, struct fathom_err *err);
void attached_done(struct attached *attached);

#endif
