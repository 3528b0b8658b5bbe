/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/convert/export-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/files/new-file.h"
#include "base/mem.h"
#include "base/negative-errno.h"

/* The maximum length of a piece. */
#define PIECE_MAX ((size_t)1 << 16)
/* The maximum length of a file name in the directory. */
#define NAME_SIZE   64
#define NAMES_TRIED 1000

struct piece_head {
	uint32_t number;
	uint32_t len;
};

/* Tries one name for the directory; returns -EEXIST if it is taken. */
static int export_dir_make_named(struct export_dir *dir, unsigned number)
{
	_cleanup_free_ char *name = mem_printf("%s.%d-%u.tmp", dir->place.name, getpid(), number);
	struct stat st;

	if (!name)
		return -ENOMEM;
	if (mkdirat(dir->place.dir, name, 0700) < 0)
		return negative_errno();
	dir->fd = openat(dir->place.dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir->fd < 0 || fstat(dir->fd, &st) < 0)
		return negative_errno();
	/* If others can write to the parent directory, it may have been replaced since. */
	if (st.st_uid != geteuid() || st.st_mode & 077)
		return -EPERM;
	dir->temp = TAKE_PTR(name);
	return 0;
}

static int make_temp(struct export_dir *dir, struct fathom_err *err)
{
	int r = -EEXIST;

	for (unsigned i = 0; i < NAMES_TRIED && r == -EEXIST; i++)
		r = export_dir_make_named(dir, i);
	if (r == -ENOMEM)
		return err_nomem(err);
	return r < 0 ? err_set_errno(err, r, "cannot create directory '%s'", dir->path) : 0;
}

/* Reports an existing file before the work, not after it. */
static int export_dir_check_place(const struct export_dir *dir, struct fathom_err *err)
{
	const struct place *place = &dir->place;
	struct stat st;

	if (fstatat(place->dir, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (!S_ISDIR(st.st_mode))
		return err_set(err, -EEXIST,
			       "'%s' exists and is not a directory: choose another name",
			       dir->path);
	if (!place->is_private && st.st_uid != geteuid())
		return err_set(err, -EEXIST,
			       "'%s' is a directory of user %u: remove it or choose another name",
			       dir->path, st.st_uid);
	/* Only removes an empty directory. */
	if (unlinkat(place->dir, place->name, AT_REMOVEDIR) < 0)
		return err_set_errno(err, negative_errno(),
				     "cannot replace '%s': remove it or choose another name",
				     dir->path);
	return 0;
}

int export_dir_open(struct export_dir *dir, const struct export_output *output, const char *path,
		    mode_t mode, struct fathom_err *err)
{
	int fds[2], r;

	dir->output = output;
	dir->path = path;
	dir->mode = mode ?: NEW_FILE_MODE;
	r = place_find_new(path, &dir->place, err);
	if (r == 0)
		r = export_dir_check_place(dir, err);
	if (r == 0)
		r = make_temp(dir, err);
	if (r < 0)
		return r;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set_errno(err, negative_errno(), "cannot create a pipe");
	dir->from = fds[0];
	dir->to = fds[1];
	return 0;
}

int export_dir_send(void *data, unsigned number, const void *bytes, size_t len)
{
	const struct export_dir *dir = data;
	const char *p = bytes;

	while (len) {
		struct piece_head head = { number, (uint32_t)(len < PIECE_MAX ? len : PIECE_MAX) };
		int r = file_write_bytes(dir->to, &head, sizeof(head));

		if (r == 0)
			r = file_write_bytes(dir->to, p, head.len);
		if (r < 0)
			return r;
		p += head.len;
		len -= head.len;
	}
	return 0;
}

/* Returns 1 if all bytes were read, 0 at the end of the file, or -EIO if it ends in between. */
static int export_dir_read_all(int fd, void *bytes, size_t len)
{
	char *p = bytes;
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, p + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return negative_errno();
		if (n == 0)
			return got ? -EIO : 0;
		got += (size_t)n;
	}
	return 1;
}

static int export_dir_open_file(struct export_dir *dir, uint32_t number, struct fathom_err *err)
{
	size_t cap = dir->n_files;
	char name[NAME_SIZE];

	if (number >= EXPORT_FILES_MAX)
		return err_set(err, -EPROTO, "internal error: invalid reply from worker process");
	if (number >= dir->n_files) {
		if (mem_reserve(&dir->files, &cap, number + (size_t)1, sizeof(int)) < 0)
			return err_nomem(err);
		for (; dir->n_files < cap; dir->n_files++)
			dir->files[dir->n_files] = -1;
	}
	if (dir->files[number] >= 0)
		return dir->files[number];
	dir->output->file_name(number, name, sizeof(name));
	dir->files[number] =
		openat(dir->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILE_MODE);
	if (dir->files[number] < 0)
		return err_set_errno(err, negative_errno(), "cannot create '%s/%s'", dir->path,
				     name);
	new_file_give(dir->files[number], dir->mode);
	return dir->files[number];
}

int export_dir_receive(struct export_dir *dir, struct fathom_err *err)
{
	_cleanup_free_ char *buf = mem_alloc(PIECE_MAX);
	int r = 0;

	close(dir->to);
	dir->to = -1;
	if (!buf)
		r = err_nomem(err);
	while (r >= 0) {
		struct piece_head head;
		int fd;

		r = export_dir_read_all(dir->from, &head, sizeof(head));
		if (r > 0)
			r = head.len <= PIECE_MAX ? export_dir_read_all(dir->from, buf, head.len) :
						    -EPROTO;
		/* At an early end, the child reports what happened. */
		if (r <= 0)
			break;
		fd = r = export_dir_open_file(dir, head.number, err);
		if (fd >= 0)
			r = file_write_bytes(fd, buf, head.len);
		if (fd >= 0 && r < 0)
			err_set_errno(err, r, "cannot write '%s'", dir->path);
	}
	/* So that a writer is not blocked. */
	close(dir->from);
	dir->from = -1;
	return err && err->code ? err->code : 0;
}

int export_dir_commit(struct export_dir *dir, struct fathom_err *err)
{
	for (size_t i = 0; i < dir->n_files; i++)
		if (dir->files[i] >= 0) {
			int r = close(dir->files[i]);

			dir->files[i] = -1;
			if (r < 0)
				return err_set_errno(err, negative_errno(), "cannot write '%s'",
						     dir->path);
		}
	/* Users that may read the files may also search the directory. */
	new_file_give(dir->fd, dir->mode | (dir->mode & 0444) >> 2);
	if (renameat(dir->place.dir, dir->temp, dir->place.dir, dir->place.name) < 0)
		return err_set_errno(err, negative_errno(), "cannot rename directory to '%s'",
				     dir->path);
	free(dir->temp);
	dir->temp = NULL;
	return 0;
}

static void remove_all(struct export_dir *dir)
{
	for (size_t i = 0; i < dir->n_files; i++) {
		char name[NAME_SIZE];

		if (dir->files[i] < 0)
			continue;
		dir->output->file_name((unsigned)i, name, sizeof(name));
		unlinkat(dir->fd, name, 0);
	}
	unlinkat(dir->place.dir, dir->temp, AT_REMOVEDIR);
}

void export_dir_done(struct export_dir *dir)
{
	if (dir->temp)
		remove_all(dir);
	for (size_t i = 0; i < dir->n_files; i++)
		if (dir->files[i] >= 0)
			close(dir->files[i]);
	free(dir->files);
	free(dir->temp);
	place_done(&dir->place);
	if (dir->fd >= 0)
		close(dir->fd);
	if (dir->from >= 0)
		close(dir->from);
	if (dir->to >= 0)
		close(dir->to);
}
