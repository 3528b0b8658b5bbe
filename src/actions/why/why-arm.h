/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kernel functions `fathom why` watches where the kernel can watch many at once: their number costs
 * little, so that nothing has to be learned of the command before.
 */
#ifndef FATHOM_ACTIONS_WHY_WHY_ARM_H
#define FATHOM_ACTIONS_WHY_WHY_ARM_H

#include <stdbool.h>

#include "actions/why/why-chosen.h"
#include "actions/why/why-run.h"

/* Can this kernel watch many at once, and say where they are? */
bool why_can_arm(void);
/*
 * Those that the rules name; or of @names, a line each, see WHY_ANSWERS and WHY_CALLS_ONLY, those that can return an error.
 * Where a machine has so many CPUs that each costs much memory they are fewer. 0 or a negative errno.
 */
int why_arm(const struct why_args *args, const char *names, struct why_armed *ret_armed,
	    struct fathom_err *err);

#endif
