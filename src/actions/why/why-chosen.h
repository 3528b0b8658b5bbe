/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches the functions that the built-in rules select on this machine. */
#ifndef FATHOM_ACTIONS_WHY_WHY_CHOSEN_H
#define FATHOM_ACTIONS_WHY_WHY_CHOSEN_H

#include "actions/why/why-cache.h"
#include "base/strbuf.h"
#include "kernel/events/functions.h"
#include "kernel/events/return-probes.h"
#include "record/session/session-env.h"

/* The probed functions. */
struct why_armed {
	struct return_probe *list;
	size_t n, cap;
	size_t n_wanted; /* functions whose return values are recorded */
	struct functions functions; /* all functions that the kernel can trace */
	struct strbuf names; /* functions whose calls are recorded, one per line */
};

void why_armed_done(struct why_armed *armed);

/* The cache entries. */
struct why_cache why_chosen_file(void);
/*
 * Reads the functions cached for the current state of the machine. Returns 1, 0 if there are none,
 * or -ENOMEM.
 */
int why_chosen_read(const struct session_env *env, struct why_cache *cache,
		    struct why_armed *ret_armed);
/* Caches the functions selected after the request, if possible. */
void why_chosen_keep(struct session_env *env, const struct why_cache *cache,
		     const struct why_armed *armed);
/* Deletes functions that turned out to be wrong. */
void why_chosen_forget(void);

#endif
