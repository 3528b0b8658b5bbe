/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/plan/plan-args.h"

#include <stdlib.h>

#include "base/err.h"

int plan_args_init(struct plan_args *args, struct fathom_err *err)
{
	if (!args->plan.n && plan_init(&args->plan) < 0)
		return err_nomem(err);
	return 0;
}

void plan_args_done(struct plan_args *args)
{
	plan_done(&args->plan);
	free(args->until);
}
