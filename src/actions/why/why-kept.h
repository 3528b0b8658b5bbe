/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `fathom why` found out about this kernel holds until a module comes or goes: it is kept in files beside the journals, as
 * the kernel takes long to list what it can trace and what its symbols are.
 */
#ifndef FATHOM_ACTIONS_WHY_WHY_KEPT_H
#define FATHOM_ACTIONS_WHY_WHY_KEPT_H

#include <stdint.h>

#include "base/strbuf.h"
#include "record/session/session-env.h"

struct why_kept {
	const char *name; /* of the file */
	uint64_t of; /* a number for what it depends on besides the machine */
	char key[256]; /* how the machine was when it was asked for; "": that cannot be said */
};

/* Appends the text that was kept of this machine as it is now. 1, or 0 when there is none, or -ENOMEM. */
int why_kept_text(const struct session_env *env, struct why_kept *kept, struct strbuf *text);
/* Keeps a text that was made after it was asked for, if the machine is still the same; nothing but time depends on it. */
void why_keep_text(struct session_env *env, const struct why_kept *kept, const char *text);
/* It turned out to be wrong. */
void why_forget(const struct session_env *env, const struct why_kept *kept);

#endif
