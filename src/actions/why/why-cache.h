/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches data about the running kernel for 'fathom why', until a module is loaded or removed,
 * because the kernel takes long to list traceable functions and symbols. The files are next to the
 * journals.
 */
#ifndef FATHOM_ACTIONS_WHY_WHY_CACHE_H
#define FATHOM_ACTIONS_WHY_WHY_CACHE_H

#include <stdint.h>

#include "base/strbuf.h"
#include "record/session/session-env.h"

struct why_cache {
	const char *name; /* of the file */
	uint64_t of; /* key of the text, besides the machine */
	char key[256]; /* state of the machine when the data was requested; "": unknown */
};

/*
 * Appends the text stored for the current state of the machine. Returns 1, 0 if there is none, or
 * -ENOMEM.
 */
int why_cache_read(const struct session_env *env, struct why_cache *cache, struct strbuf *text);
/*
 * Stores a text computed after the request, if the machine is still in the same state. Failure only
 * costs time.
 */
void why_cache_write(struct session_env *env, const struct why_cache *cache, const char *text);
/* Deletes an entry that turned out to be wrong. */
void why_cache_drop(const struct session_env *env, const struct why_cache *cache);

#endif
