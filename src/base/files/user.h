/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Users of the machine, and how root drops to one of them permanently. */
#ifndef FATHOM_BASE_FILES_USER_H
#define FATHOM_BASE_FILES_USER_H

#include <limits.h>
#include <sys/types.h>

#include <fathom/err.h>

#define USER_NAME_SIZE 256

struct user {
	uid_t uid;
	gid_t gid;
	char name[USER_NAME_SIZE];
	char home[PATH_MAX];
	char shell[PATH_MAX];
};

/* Looks up a user by name. Returns 0 or a negative errno with a message. */
int user_find(const char *name, struct user *ret_user, struct fathom_err *err);
/*
 * Looks up a user by number. Returns 0, -ENOENT if there is no such user, or another negative
 * errno.
 */
int user_find_uid(uid_t uid, struct user *ret_user);
/*
 * Switches the process to @user irreversibly: supplementary groups, group, user, and all capability
 * sets but the bounding set, which setuid programs need. Returns 0 or a negative errno; on failure
 * the process may be in between and must exit.
 */
int user_become(const struct user *user);
/*
 * Sets HOME, USER, LOGNAME and SHELL. Returns 0 or a negative errno. Not thread-safe, as setenv(3).
 */
int user_set_environment(const struct user *user);

#endif
