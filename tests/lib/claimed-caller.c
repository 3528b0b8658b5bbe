/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claimed-caller.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"

void claim(const char *uid, const char *gid, const char *name)
{
	const char *const names[] = { "SUDO_UID", "SUDO_GID", "SUDO_USER" };
	const char *const values[] = { uid, gid, name };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (values[i])
			setenv(names[i], values[i], 1);
		else
			unsetenv(names[i]);
}

struct user claim_somebody(void)
{
	char uid[16], gid[16];
	struct user user;

	if (user_find(SOMEBODY, &user, NULL) < 0)
		abort();
	snprintf(uid, sizeof(uid), "%u", user.uid);
	snprintf(gid, sizeof(gid), "%u", user.gid);
	claim(uid, gid, SOMEBODY);
	return user;
}
