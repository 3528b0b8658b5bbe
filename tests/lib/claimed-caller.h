/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sudo says in the environment, for tests of base/files/caller. */
#ifndef CLAIMED_CALLER_H
#define CLAIMED_CALLER_H

#include "base/files/user.h"

/* Exists everywhere, and is not root. */
#define SOMEBODY "nobody"

/* NULL: not said. */
void claim(const char *uid, const char *gid, const char *name);
/* As sudo would say it of SOMEBODY. */
struct user claim_somebody(void);

#endif
