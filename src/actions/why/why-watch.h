/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `fathom why` finds out about the running kernel before it records. */
#ifndef FATHOM_ACTIONS_WHY_WHY_WATCH_H
#define FATHOM_ACTIONS_WHY_WHY_WATCH_H

#include "actions/why/why-run.h"
#include "base/strbuf.h"
#include "record/plan.h"

/* Leaves out of a first recording what only costs time. 0 or a negative errno. */
int why_leave_out(const struct why_args *args, struct plan *plan, struct fathom_err *err);
/* Can this kernel record from where in a program a call comes? */
bool why_has_user_stacks(void);
/* Does this kernel describe the types of what its functions return? */
bool why_has_types(void);
/*
 * What --once watches, as nothing was learned of the command before: those of this kernel that the rules name,
 * a line each, see WHY_ANSWERS; -ENOENT: there are none. 0 or a negative errno.
 */
int why_watched(const struct why_args *args, struct strbuf *ret_functions, struct fathom_err *err);

#endif
