/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `fathom why` found out about this kernel holds until a module comes or goes: it is kept in files beside the journals, as
 * the kernel takes long to list what it can trace and what its symbols are.
 */
#ifndef FATHOM_ACTIONS_WHY_WHY_CACHE_H
#define FATHOM_ACTIONS_WHY_WHY_CACHE_H

#include <stdint.h>

#include "base/strbuf.h"
#include "record/session/session-env.h"

struct why_cache {
	const char *name; /* of the file */
	uint64_t of; /* a number for what it depends on besides the machine */
	char key[256]; /* how the machine was when it was asked for; "": that cannot be said */
};

/* Appends the text that was kept of this machine as it is now. 1, or 0 when there is none, or -ENOMEM. */
int why_cache_read(const struct session_env *env, struct why_cache *cache, struct strbuf *text);
/* Keeps a text that was made after it was asked for, if the machine is still the same; nothing but time depends on it. */
void why_cache_write(struct session_env *env, const struct why_cache *cache, const char *text);
/* It turned out to be wrong. */
void why_cache_drop(const struct session_env *env, const struct why_cache *cache);

#endif
