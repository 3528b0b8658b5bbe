/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One thing that is to be watched: what the user wrote, where it lies, and the breakpoints for it. */
#ifndef FATHOM_RECORD_WATCH_WATCH_TARGET_H
#define FATHOM_RECORD_WATCH_WATCH_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "kernel/perf/breakpoint.h"
#include "record/watch/watch-place.h"

/* Debug registers of all processors that we know of are fewer, or not of use for one variable. */
#define WATCH_TARGET_PARTS 4

struct watch_target {
	struct watch_spec spec;
	const char *file; /* the program or library whose variable it is; NULL: it was not said */
	bool is_kernel; /* the kernel's memory, not a program's */
	struct watch_place place;
	struct breakpoint list[WATCH_TARGET_PARTS];
	unsigned n;
};

/*
 * "[FILE:]WHAT": with a FILE, or an address in the lower half, a program's, else the kernel's. WHAT is as
 * in watch_spec_parse(). 0, -EINVAL with a message, -ENOMEM.
 */
int watch_target_parse(const char *text, struct arena *arena, struct watch_target *ret_target,
		       struct fathom_err *err);
/*
 * Finds the place, and the breakpoints that it takes. @pid is the process, which stands still, and
 * @kallsyms are the kernel's names, NULL if they cannot be had; only one of them is looked at.
 */
int watch_target_find(struct watch_target *target, pid_t pid, const struct kallsyms *kallsyms,
		      struct fathom_err *err);

#endif
