/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that the rules of the program chose on this machine, kept for the next time. */
#ifndef FATHOM_ACTIONS_WHY_WHY_CHOSEN_H
#define FATHOM_ACTIONS_WHY_WHY_CHOSEN_H

#include "actions/why/why-cache.h"
#include "base/strbuf.h"
#include "kernel/events/functions.h"
#include "kernel/events/return-probes.h"
#include "record/session/session-env.h"

/* The functions that are watched. */
struct why_armed {
	struct return_probe *list;
	size_t n, cap;
	size_t n_wanted; /* whose results are */
	struct functions functions; /* all that the kernel can trace */
	struct strbuf names; /* of functions whose calls are recorded, a line each */
};

void why_armed_done(struct why_armed *armed);

/* Where they are kept. */
struct why_cache why_chosen_file(void);
/* Those that were kept of this machine as it is now. 1, or 0 when there are none, or -ENOMEM. */
int why_chosen_read(const struct session_env *env, struct why_cache *cache,
		    struct why_armed *ret_armed);
/* Keeps those that were chosen after it was asked for, if it is possible. */
void why_chosen_keep(struct session_env *env, const struct why_cache *cache,
		     const struct why_armed *armed);
/* They turned out not to be the right ones. */
void why_chosen_forget(void);

#endif
