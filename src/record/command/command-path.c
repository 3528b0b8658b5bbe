/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/command/command-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/negative-errno.h"

/* Returns 0 if the file can be executed, or a negative errno. */
static int command_path_check(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return negative_errno();
	if (!S_ISREG(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0)
		return -EACCES;
	return 0;
}

int command_path_find(const char *name, char *path, size_t size)
{
	const char *dirs = getenv("PATH") ?: "/bin:/usr/bin";
	int r = -ENOENT;

	if (!*name)
		return -ENOENT;
	if (strchr(name, '/'))
		return (size_t)snprintf(path, size, "%s", name) < size ? 0 : -ENAMETOOLONG;
	for (;;) {
		size_t len = strcspn(dirs, ":");
		/* An empty entry is the current directory. */
		int n = len ? snprintf(path, size, "%.*s/%s", (int)len, dirs, name) :
			      snprintf(path, size, "./%s", name);
		int checked = (size_t)n < size ? command_path_check(path) : -ENAMETOOLONG;

		if (checked == 0)
			return 0;
		/* A file without permission is more informative than its absence elsewhere. */
		if (checked == -EACCES)
			r = -EACCES;
		if (!dirs[len])
			return r;
		dirs += len + 1;
	}
}
