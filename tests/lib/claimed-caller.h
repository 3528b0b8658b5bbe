/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets sudo's environment variables, for tests of base/files/caller. */
#ifndef CLAIMED_CALLER_H
#define CLAIMED_CALLER_H

#include "base/files/user.h"

/* A user that exists everywhere and is not root. */
#define SOMEBODY "nobody"

/* NULL: unset. */
void claim(const char *uid, const char *gid, const char *name);
/* As sudo would set them for SOMEBODY. */
struct user claim_somebody(void);

#endif
