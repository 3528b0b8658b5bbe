/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that the rules of the program chose on this machine, kept for the next time. */
#ifndef FATHOM_CLI_WHY_WHY_CHOSEN_H
#define FATHOM_CLI_WHY_WHY_CHOSEN_H

#include "cli/why/why-arm.h"
#include "cli/why/why-kept.h"
#include "record/session/session-env.h"

/* Where they are kept. */
struct why_kept why_chosen_file(void);
/* Those that were kept of this machine as it is now. 1, or 0 when there are none, or -ENOMEM. */
int why_chosen_read(const struct session_env *env, struct why_kept *kept,
		    struct why_armed *ret_armed);
/* Keeps those that were chosen after it was asked for, if it is possible. */
void why_chosen_keep(struct session_env *env, const struct why_kept *kept,
		     const struct why_armed *armed);
/* They turned out not to be the right ones. */
void why_chosen_forget(void);

#endif
