/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who has called us by sudo, while we are root. Programs of the user's choice (pager, editor) run as that
 * user, see process/caller-enter.h; files that others could have changed decide nothing.
 */
#ifndef FATHOM_BASE_FILES_CALLER_H
#define FATHOM_BASE_FILES_CALLER_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/files/user.h"

/*
 * 1: root was called by sudo, by *@ret_user. 0: we are not root, or root has called us. -EINVAL: what
 * SUDO_UID, SUDO_GID and SUDO_USER say does not agree with the machine's database.
 */
int caller_find(struct user *ret_user);
/* Can only root, we and the caller change the file? Always, when we are not root. */
bool caller_trusts(const struct stat *st);
/*
 * Opens a regular file for reading. -EPERM: we are root, and others can change the file or the
 * directory that it is in; or another negative errno. A device or a pipe is not opened.
 */
int caller_open(const char *path);

#endif
