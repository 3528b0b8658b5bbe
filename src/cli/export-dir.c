/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/export-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* A piece is not longer. */
#define PIECE_MAX ((size_t)1 << 16)
/* The longest name of a file in it. */
#define NAME_SIZE 64

struct piece_head {
	uint32_t number;
	uint32_t len;
};

static int make_temp(struct export_dir *dir, struct fathom_err *err)
{
	size_t len = strlen(dir->path);

	while (len > 1 && dir->path[len - 1] == '/')
		len--;
	dir->temp = mem_printf("%.*s.XXXXXX", (int)len, dir->path);
	if (!dir->temp)
		return err_nomem(err);
	if (!mkdtemp(dir->temp)) {
		int r = -errno;

		free(dir->temp);
		dir->temp = NULL;
		return err_set_errno(err, r, "cannot make the directory '%s'", dir->path);
	}
	dir->fd = open(dir->temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0)
		return err_set_errno(err, -errno, "cannot open '%s'", dir->temp);
	return 0;
}

/* What is there would be in the way at the end; better to say so before the work. */
static int check_place(const char *path, struct fathom_err *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	if (!S_ISDIR(st.st_mode))
		return err_set(err, -EEXIST, "'%s' is there and is no directory; choose another",
			       path);
	/* Succeeds where it is empty, and then it is not missed. */
	if (rmdir(path) < 0)
		return err_set_errno(err, -errno, "'%s' is in the way; remove it or choose another",
				     path);
	return 0;
}

int export_dir_open(struct export_dir *dir, const struct export_output *output, const char *path,
		    struct fathom_err *err)
{
	int fds[2], r;

	dir->output = output;
	dir->path = path;
	r = check_place(path, err);
	if (r == 0)
		r = make_temp(dir, err);
	if (r < 0)
		return r;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set_errno(err, -errno, "cannot make a pipe");
	dir->from = fds[0];
	dir->to = fds[1];
	return 0;
}

static int write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int export_dir_send(void *data, unsigned number, const void *bytes, size_t len)
{
	const struct export_dir *dir = data;
	const char *p = bytes;

	while (len) {
		struct piece_head head = { number, (uint32_t)(len < PIECE_MAX ? len : PIECE_MAX) };
		int r = write_all(dir->to, &head, sizeof(head));

		if (r == 0)
			r = write_all(dir->to, p, head.len);
		if (r < 0)
			return r;
		p += head.len;
		len -= head.len;
	}
	return 0;
}

/* 1: all was read, 0: the end was there before. -EIO: it came in between. */
static int read_all(int fd, void *bytes, size_t len)
{
	char *p = bytes;
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, p + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return got ? -EIO : 0;
		got += (size_t)n;
	}
	return 1;
}

static int open_file(struct export_dir *dir, uint32_t number, struct fathom_err *err)
{
	size_t cap = dir->n_files;
	char name[NAME_SIZE];

	if (number >= EXPORT_FILES_MAX)
		return err_set(err, -EPROTO, "the process that does the work is out of its mind");
	if (number >= dir->n_files) {
		if (mem_reserve(&dir->files, &cap, number + (size_t)1, sizeof(int)) < 0)
			return err_nomem(err);
		for (; dir->n_files < cap; dir->n_files++)
			dir->files[dir->n_files] = -1;
	}
	if (dir->files[number] >= 0)
		return dir->files[number];
	dir->output->file_name(number, name, sizeof(name));
	dir->files[number] = openat(dir->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (dir->files[number] < 0)
		return err_set_errno(err, -errno, "cannot make '%s/%s'", dir->path, name);
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

		r = read_all(dir->from, &head, sizeof(head));
		if (r > 0)
			r = head.len <= PIECE_MAX ? read_all(dir->from, buf, head.len) : -EPROTO;
		/* An end in the middle is the child's, which tells what has happened. */
		if (r <= 0)
			break;
		fd = r = open_file(dir, head.number, err);
		if (fd >= 0)
			r = write_all(fd, buf, head.len);
		if (fd >= 0 && r < 0)
			err_set_errno(err, r, "cannot write '%s'", dir->path);
	}
	/* Whoever is writing is not to wait for us. */
	close(dir->from);
	dir->from = -1;
	return err && err->code ? err->code : 0;
}

int export_dir_commit(struct export_dir *dir, struct fathom_err *err)
{
	mode_t mask = umask(0);

	umask(mask);
	for (size_t i = 0; i < dir->n_files; i++)
		if (dir->files[i] >= 0) {
			int r = close(dir->files[i]);

			dir->files[i] = -1;
			if (r < 0)
				return err_set_errno(err, -errno, "cannot write '%s'", dir->path);
		}
	if (fchmod(dir->fd, 0777 & ~mask) < 0 || rename(dir->temp, dir->path) < 0)
		return err_set_errno(err, -errno, "cannot name the directory '%s'", dir->path);
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
	rmdir(dir->temp);
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
	if (dir->fd >= 0)
		close(dir->fd);
	if (dir->from >= 0)
		close(dir->from);
	if (dir->to >= 0)
		close(dir->to);
}
