/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A watched object: the user's text, its location in memory, and its breakpoints. Functions return
 * 0 or a negative errno.
 */
#ifndef FATHOM_RECORD_WATCH_WATCH_TARGET_H
#define FATHOM_RECORD_WATCH_WATCH_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "kernel/perf/breakpoint.h"
#include "record/watch/watch-place.h"

/* No known processor has more debug registers that are useful for one variable. */
#define WATCH_TARGET_PARTS 4

struct watch_target {
	struct watch_spec spec;
	const char *file; /* the program or library of the variable; NULL: not specified */
	bool is_kernel; /* kernel memory, not that of a program */
	struct watch_place place;
	struct breakpoint list[WATCH_TARGET_PARTS];
	unsigned n; /* number of breakpoints */
};

/*
 * Parses "[FILE:]WHAT". With a FILE, or with an address in the lower half, this means memory of a
 * program, otherwise of the kernel. WHAT is as in watch_spec_parse(). Strings are in @arena or
 * point into @text. Returns 0, -EINVAL or -ENOMEM.
 */
int watch_target_parse(const char *text, struct arena *arena, struct watch_target *ret_target,
		       struct fathom_err *err);
/*
 * Finds the address and the breakpoints. @pid is the process, which must be stopped; @kallsyms has
 * the kernel symbols, or is NULL if they are not available. Only one of the two is used.
 */
int watch_target_find(struct watch_target *target, pid_t pid, const struct kallsyms *kallsyms,
		      struct fathom_err *err);

#endif
