/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/files/user.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/negative-errno.h"

static bool files_user_copy(char *to, size_t size, const char *from)
{
	return (size_t)snprintf(to, size, "%s", from) < size;
}

static int user_take(const struct passwd *entry, struct user *ret_user)
{
	/* As for login(1). */
	const char *shell = *entry->pw_shell ? entry->pw_shell : "/bin/sh";
	struct user user = { .uid = entry->pw_uid, .gid = entry->pw_gid };

	if (!files_user_copy(user.name, sizeof(user.name), entry->pw_name) ||
	    !files_user_copy(user.home, sizeof(user.home), entry->pw_dir) ||
	    !files_user_copy(user.shell, sizeof(user.shell), shell))
		return -ENAMETOOLONG;
	*ret_user = user;
	return 0;
}

int user_find(const char *name, struct user *ret_user, struct fathom_err *err)
{
	const struct passwd *entry;
	int r;

	errno = 0;
	entry = getpwnam(name);
	if (!entry)
		return err_set(err, errno ? negative_errno() : -ENOENT, "no user '%s'", name);
	r = user_take(entry, ret_user);
	return r < 0 ? err_set_errno(err, r, "user '%s'", name) : 0;
}

int user_find_uid(uid_t uid, struct user *ret_user)
{
	const struct passwd *entry;

	errno = 0;
	entry = getpwuid(uid);
	if (!entry)
		return errno ? negative_errno() : -ENOENT;
	return user_take(entry, ret_user);
}

/* With some securebits, capabilities survive a change of the user. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return syscall(SYS_capset, &header, none) < 0 ? negative_errno() : 0;
}

static int is_for_good(const struct user *user)
{
	uid_t uid[3];
	gid_t gid[3];

	if (getresuid(&uid[0], &uid[1], &uid[2]) < 0 || getresgid(&gid[0], &gid[1], &gid[2]) < 0)
		return negative_errno();
	for (int i = 0; i < 3; i++)
		if (uid[i] != user->uid || gid[i] != user->gid)
			return -EPERM;
	if (user->uid != 0 && (setuid(0) == 0 || seteuid(0) == 0))
		return -EPERM;
	return 0;
}

int user_become(const struct user *user)
{
	int r;

	if (initgroups(user->name, user->gid) < 0 || setresgid(user->gid, user->gid, user->gid) < 0)
		return negative_errno();
	/* A kernel without ambient capabilities has none to clear. */
	prctl(PR_SET_KEEPCAPS, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (setresuid(user->uid, user->uid, user->uid) < 0)
		return negative_errno();
	r = user->uid ? drop_capabilities() : 0;
	return r < 0 ? r : is_for_good(user);
}

int user_set_environment(const struct user *user)
{
	if (setenv("HOME", user->home, 1) < 0 || setenv("USER", user->name, 1) < 0 ||
	    setenv("LOGNAME", user->name, 1) < 0 || setenv("SHELL", user->shell, 1) < 0)
		return negative_errno();
	return 0;
}
