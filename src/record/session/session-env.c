/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session/session-env.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"

static int session_env_open_dir(const char *root, const char *path)
{
	_cleanup_free_ char *full = mem_printf("%s%s", root, path);
	int fd;

	if (!full)
		return -ENOMEM;
	fd = open(full, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? negative_errno() : fd;
}

/* Refuse a directory that other users can write to: they could plant journals. */
static int open_journals(const char *root)
{
	_cleanup_close_ int fd = session_env_open_dir(root, SESSION_DIR);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return negative_errno();
	if ((st.st_uid != geteuid() && st.st_uid != 0) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	return TAKE_FD(fd);
}

int session_env_open(const char *root, struct session_env *ret_env, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	int r = tracefs_find(root, &env.tracefs, err);

	if (r < 0)
		return r;
	env.root = mem_strdup(root);
	if (!env.root)
		return err_nomem(err);
	env.proc_sys = session_env_open_dir(root, "/proc/sys");
	env.journals = open_journals(root);
	if (env.proc_sys == -ENOMEM || env.journals == -ENOMEM)
		return err_nomem(err);
	env.journals_err = env.journals < 0 ? env.journals : 0;
	r = file_read_line(env.proc_sys, "kernel/random/boot_id", env.boot_id, sizeof(env.boot_id));
	if (r <= 0)
		return err_set_errno(err, r < 0 ? r : -EIO, "cannot read the boot ID");
	*ret_env = TAKE_STRUCT(env, SESSION_ENV_NONE);
	return 0;
}

void session_env_done(struct session_env *env)
{
	tracefs_done(&env->tracefs);
	if (env->journals >= 0)
		close(env->journals);
	if (env->proc_sys >= 0)
		close(env->proc_sys);
	free(env->root);
	*env = (struct session_env)SESSION_ENV_NONE;
}

int session_env_make_journals(struct session_env *env, struct fathom_err *err)
{
	_cleanup_free_ char *path = mem_printf("%s%s", env->root, SESSION_DIR);

	if (!path)
		return err_nomem(err);
	if (env->journals >= 0)
		return 0;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_set_errno(err, negative_errno(), "cannot create directory '%s'", path);
	env->journals = open_journals(env->root);
	if (env->journals == -EPERM)
		return err_set(err, -EPERM, "directory '%s' is writable by others: remove it",
			       path);
	if (env->journals < 0)
		return err_set_errno(err, env->journals, "cannot use directory '%s'", path);
	env->journals_err = 0;
	return 0;
}

int session_env_check(const struct session_env *env, struct fathom_err *err)
{
	if (env->tracefs.state == TRACEFS_WRITABLE)
		return 0;
	return err_set(err, env->tracefs.state == TRACEFS_READ_ONLY ? -EROFS : -EACCES, "%s; %s",
		       tracefs_obstacle(&env->tracefs), tracefs_advice(&env->tracefs));
}
