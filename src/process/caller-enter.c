/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process/caller-enter.h"

#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/caller.h"
#include "base/files/fds.h"
#include "base/negative-errno.h"
#include "process/sandbox.h"

int caller_enter(void)
{
	static const int signals[] = { SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGPIPE };
	struct user user;
	sigset_t none;
	int r = caller_find(&user);

	if (r < 0)
		return r;
	if (geteuid() == 0 && setenv("LESSSECURE", "1", 1) < 0)
		return negative_errno();
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fds_close_from(STDERR_FILENO + 1);
	if (r == 0)
		return 0;
	r = user_become(&user);
	return r < 0 ? r : user_set_environment(&user);
}

int caller_drop_capabilities(void)
{
	struct user user;

	if (caller_find(&user) != 1)
		return sandbox_drop_capabilities(NULL);
	return sandbox_keep_capabilities(1ULL << CAP_SETUID | 1ULL << CAP_SETGID, NULL);
}
