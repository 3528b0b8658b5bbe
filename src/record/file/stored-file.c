/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/stored-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/negative-errno.h"

int stored_file_read(const struct session_env *env, const char *name, size_t max,
		     struct strbuf *text)
{
	struct stat st;

	if (env->journals < 0 || fstatat(env->journals, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode) || st.st_size > (off_t)max)
		return 0;
	return file_read(env->journals, name, text) == -ENOMEM ? -ENOMEM : 0;
}

int stored_file_lock(const struct session_env *env)
{
	_cleanup_close_ int fd = openat(env->journals, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || flock(fd, LOCK_EX) < 0 ? negative_errno() : TAKE_FD(fd);
}

int stored_file_write(const struct session_env *env, const char *name, const struct strbuf *text)
{
	_cleanup_close_ int fd = -1;
	char new_name[64];
	int r;

	if (!text->len) {
		if (unlinkat(env->journals, name, 0) < 0 && errno != ENOENT)
			return negative_errno();
		return 0;
	}
	if (snprintf(new_name, sizeof(new_name), "%s.new", name) >= (int)sizeof(new_name))
		return -ENAMETOOLONG;
	/* Left behind by a writer that died. */
	unlinkat(env->journals, new_name, 0);
	fd = openat(env->journals, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return negative_errno();
	r = file_write_bytes(fd, text->s, text->len);
	if (r == 0 && renameat(env->journals, new_name, env->journals, name) < 0)
		r = negative_errno();
	return r;
}
