/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A user of the machine, and how root becomes one for good. */
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

/* As the machine's database has it. 0 or a negative errno with a message. */
int user_find(const char *name, struct user *ret_user, struct fathom_err *err);
/* 0 or a negative errno; -ENOENT: there is none of that number. */
int user_find_uid(uid_t uid, struct user *ret_user);
/*
 * Makes this process @user's, with no way back: groups, group, user, capabilities of every set but the
 * bounding one, which a program with the setuid bit needs. 0 or a negative errno; on failure it may
 * be halfway, and must end.
 */
int user_become(const struct user *user);
/* HOME, USER, LOGNAME and SHELL. 0 or a negative errno. */
int user_set_environment(const struct user *user);

#endif
