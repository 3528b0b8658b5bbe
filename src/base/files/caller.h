/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The user who ran fathom through sudo. Programs of the user's choice (pager, editor) run as that
 * user, see process/caller-enter.h; root does not act on files that other users could have changed.
 */
#ifndef FATHOM_BASE_FILES_CALLER_H
#define FATHOM_BASE_FILES_CALLER_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/files/user.h"

/*
 * Returns 1 if root was entered through sudo by *@ret_user, 0 if we are not root or root ran fathom
 * directly, or -EINVAL if SUDO_UID, SUDO_GID and SUDO_USER contradict the user database.
 */
int caller_find(struct user *ret_user);
/*
 * Returns whether only root, this user and the caller can change the file; always true if we are
 * not root.
 */
bool caller_trusts(const struct stat *st);
/*
 * Opens a regular file for reading; devices and pipes are not opened. Returns a descriptor or a
 * negative errno: -EPERM if we are root, and others can change the file or its directory.
 */
int caller_open(const char *path);

#endif
