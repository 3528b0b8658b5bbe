/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the kernel functions that 'fathom why' probes if the kernel can probe many at once. More
 * functions cost little then, so a first run to find the relevant ones is unnecessary.
 */
#ifndef FATHOM_ACTIONS_WHY_WHY_ARM_H
#define FATHOM_ACTIONS_WHY_WHY_ARM_H

#include <stdbool.h>

#include "actions/why/why-chosen.h"
#include "actions/why/why-run.h"

/* Returns whether this kernel can probe many functions at once, and where they are. */
bool why_can_arm(void);
/*
 * Selects the functions named by the rules; or those of @names, one per line, see WHY_ANSWERS and
 * WHY_CALLS_ONLY, that can return an error. Fewer on machines with many CPUs, where each function
 * costs much memory. Returns 0 or a negative errno.
 */
int why_arm(const struct why_args *args, const char *names, struct why_armed *ret_armed,
	    struct fathom_err *err);

#endif
