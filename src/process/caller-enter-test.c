/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claimed-caller.h"
#include "in-child.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/caller-enter.h"

/* Returns the number in a line of /proc/self/status, such as "CapEff:"; -1: not found. */
static long long status_hex(const char *name)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0)
			return strtoll(line + strlen(name), NULL, 16);
	return -1;
}

static int enter_as_somebody(void)
{
	struct user user = claim_somebody();
	gid_t groups[64];
	bool was_root = geteuid() == 0;
	int n;

	dup2(0, 40);
	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_KEEPCAPS, 1);
	if (caller_enter() < 0)
		return 1;
	if (fcntl(40, F_GETFD) >= 0 || fcntl(2, F_GETFD) < 0)
		return 2;
	if (signal(SIGINT, SIG_DFL) != SIG_DFL)
		return 3;
	if (!was_root)
		return getenv("LESSSECURE") ? 4 : 0;
	if (!getenv("LESSSECURE") || strcmp(getenv("LESSSECURE"), "1") != 0 ||
	    strcmp(getenv("USER"), SOMEBODY) != 0 || strcmp(getenv("HOME"), user.home) != 0)
		return 5;
	if (getuid() != user.uid || geteuid() != user.uid || getegid() != user.gid)
		return 6;
	n = getgroups(ARRAY_SIZE(groups), groups);
	for (int i = 0; i < n; i++)
		if (groups[i] == 0)
			return 7;
	if (status_hex("CapEff:") || status_hex("CapPrm:") || status_hex("CapInh:") ||
	    status_hex("CapAmb:"))
		return 8;
	return setuid(0) == 0 || seteuid(0) == 0 ? 9 : 0;
}

/* Root with these capabilities only can still switch to the caller, and then has none. */
static int drop_and_enter(void)
{
	claim_somebody();
	if (caller_drop_capabilities() < 0)
		return 20;
	if (geteuid() == 0 && status_hex("CapPrm:") != 0xc0)
		return 21;
	return enter_as_somebody();
}

static int enter_with_a_lie(void)
{
	claim("0", "0", SOMEBODY);
	return geteuid() != 0 || caller_enter() == -EINVAL ? 0 : 1;
}

static void test_caller_is_entered(void **state)
{
	unsetenv("LESSSECURE");
	assert_int_equal(in_child(enter_as_somebody), 0);
	assert_int_equal(in_child(drop_and_enter), 0);
	assert_int_equal(in_child(enter_with_a_lie), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_caller_is_entered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
