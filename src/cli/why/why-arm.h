/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kernel functions `fathom why` watches where the kernel can watch many at once: their number costs
 * little, so that nothing has to be learned of the command before.
 */
#ifndef FATHOM_CLI_WHY_WHY_ARM_H
#define FATHOM_CLI_WHY_WHY_ARM_H

#include "base/strbuf.h"
#include "cli/why/why-run.h"
#include "kernel/events/functions.h"
#include "kernel/events/return-probes.h"

struct why_armed {
	struct return_probe *list;
	size_t n, cap;
	size_t n_wanted; /* whose results are */
	struct functions functions; /* all that the kernel can trace */
	struct strbuf names; /* of functions whose calls are recorded, a line each */
};

/* Can this kernel watch many at once, and say where they are? */
bool why_can_arm(void);
/*
 * Those that the rules name; or of @names, a line each, see WHY_ANSWERS and WHY_CALLS_ONLY, those that can return an error.
 * Where a machine has so many CPUs that each costs much memory they are fewer. 0 or a negative errno.
 */
int why_arm(const struct why_args *args, const char *names, struct why_armed *ret_armed,
	    struct fathom_err *err);
void why_armed_done(struct why_armed *armed);

#endif
