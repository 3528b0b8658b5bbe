/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session/session-output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "record/session/session-env.h"

/* Matches "lock:  1: FLOCK  ADVISORY  WRITE 123 ...": an exclusive lock on the whole file. */
static bool is_locked(int infos, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return file_read(infos, name, &text) >= 0 && strstr(strbuf_str(&text), "FLOCK") &&
	       strstr(strbuf_str(&text), "WRITE");
}

/*
 * A file created without a name is shown as "DIRECTORY/#NUMBER (deleted)", even after it got one,
 * so search the directory. Returns whether it has a name, in @path.
 */
static bool session_output_find_name(const struct stat *file, char path[PATH_MAX])
{
	char *slash = strrchr(path, '/');
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;
	struct stat st;

	if (!slash || !file->st_nlink)
		return false;
	slash[1] = '\0';
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_ino == file->st_ino &&
		    fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && st.st_dev == file->st_dev &&
		    st.st_ino == file->st_ino && strlen(path) + strlen(entry->d_name) < PATH_MAX) {
			memcpy(slash + 1, entry->d_name, strlen(entry->d_name) + 1);
			return true;
		}
	return false;
}

/*
 * Reads the path of a descriptor. Returns false unless it is a regular file that has a name and is
 * not a journal.
 */
static bool session_output_read_path(int fds, const char *name, char path[PATH_MAX])
{
	static const char gone[] = " (deleted)";
	struct stat st;
	ssize_t n = readlinkat(fds, name, path, PATH_MAX - 1);

	if (n <= 0 || path[0] != '/' || fstatat(fds, name, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return false;
	path[n] = '\0';
	if (str_after(path, SESSION_DIR "/"))
		return false;
	return (size_t)n < sizeof(gone) || !str_eq(path + n - (sizeof(gone) - 1), gone) ||
	       session_output_find_name(&st, path);
}

static int session_output_open_dir(const char *root, long pid, const char *name)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/%ld/%s", root, pid, name);
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (!path)
		return -ENOMEM;
	return fd < 0 ? negative_errno() : fd;
}

int session_output(const char *root, long pid, char **ret_path)
{
	_cleanup_close_ int infos = session_output_open_dir(root, pid, "fdinfo");
	_cleanup_close_ int fds = session_output_open_dir(root, pid, "fd");
	_cleanup_closedir_ DIR *dir = NULL;
	char path[PATH_MAX];
	struct dirent *entry;
	int fd;

	if (infos < 0 || fds < 0)
		return infos < 0 ? infos : fds;
	fd = openat(fds, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int r = negative_errno();

		if (fd >= 0)
			close(fd);
		return r;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    !session_output_read_path(fds, entry->d_name, path) ||
		    !is_locked(infos, entry->d_name))
			continue;
		*ret_path = mem_strdup(path);
		return *ret_path ? 0 : -ENOMEM;
	}
	return -ENOENT;
}
