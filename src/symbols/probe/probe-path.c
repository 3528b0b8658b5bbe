/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/probe/probe-path.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/caller.h"
#include "base/files/plain-file.h"

/*
 * In a sticky directory such as /tmp, users can create files, but only rename and remove their own.
 */
static bool is_firm_directory(const struct stat *st)
{
	return caller_trusts(st) || (st->st_uid == 0 && (st->st_mode & S_ISVTX));
}

/* Checks each directory of the path, and the owners of their entries. */
static bool is_firm_way(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	if (path[0] != '/' || strlen(path) >= sizeof(part))
		return false;
	for (const char *slash = path; slash; slash = strchr(slash + 1, '/')) {
		size_t len = slash == path ? 1 : (size_t)(slash - path);

		memcpy(part, path, len);
		part[len] = '\0';
		if (stat(part, &st) < 0 || !is_firm_directory(&st) || lstat(part, &st) < 0 ||
		    (!S_ISLNK(st.st_mode) ? !is_firm_directory(&st) : st.st_uid != 0))
			return false;
	}
	/*
	 * The last component: a link, or a file that its owner could replace in a directory such as
	 * /tmp.
	 */
	return lstat(path, &st) == 0 &&
	       caller_trusts(&(struct stat){ .st_uid = st.st_uid, .st_mode = S_IFREG | 0600 });
}

bool probe_path_is_firm(const char *path)
{
	char link[64], real[PATH_MAX];
	ssize_t n;
	int fd;

	/* The kernel would resolve its links relative to our root. */
	if (plain_file_in_process(path))
		return false;
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real) - 1);
	close(fd);
	if (n <= 0)
		return false;
	real[n] = '\0';
	return is_firm_way(path) && is_firm_way(real);
}

const char *probe_path(int fd, const char *path, struct arena *arena)
{
	if (geteuid() != 0 || probe_path_is_firm(path))
		return arena_strdup(arena, path);
	/* Not closed: probes may be created until the process exits. */
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? NULL : arena_printf(arena, "/proc/%d/fd/%d", (int)getpid(), fd);
}
