/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What 'fathom why' determines about the running kernel before it records. */
#ifndef FATHOM_ACTIONS_WHY_WHY_WATCH_H
#define FATHOM_ACTIONS_WHY_WHY_WATCH_H

#include "actions/why/why-run.h"
#include "base/strbuf.h"
#include "record/plan.h"

/*
 * Excludes functions from a first recording that would only cost time. Returns 0 or a negative
 * errno.
 */
int why_leave_out(const struct why_args *args, struct plan *plan, struct fathom_err *err);
/* Returns whether this kernel can record the user stack of a call. */
bool why_has_user_stacks(void);
/* Returns whether this kernel describes the return types of its functions. */
bool why_has_types(void);
/*
 * Lists what --once probes, because nothing is known about the command yet: the kernel
 * functions that the rules name, one per line, see WHY_ANSWERS. Returns 0 or a negative errno;
 * -ENOENT: there are none.
 */
int why_watched(const struct why_args *args, struct strbuf *ret_functions, struct fathom_err *err);

#endif
