/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/left-recordings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/files/plain-file.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "record/file/recover.h"

#define SUFFIX ".output"

/* Appends the path of the directory @fd. */
static int add_dir(struct strbuf *text, int fd)
{
	char link[64], target[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, target, sizeof(target));
	if (n <= 0 || n == (ssize_t)sizeof(target))
		return n < 0 ? negative_errno() : -ENAMETOOLONG;
	strbuf_add(text, target, (size_t)n);
	return 0;
}

/*
 * A note is "PID DEVICE INODE", the directory, the name, and the temporary name until the commit,
 * each terminated by NUL.
 */
static int left_recordings_describe(struct strbuf *text, const struct new_file *file)
{
	struct stat st;
	int r;

	if (fstat(file->fd, &st) < 0)
		return negative_errno();
	strbuf_addf(text, "%d %" PRIu64 " %" PRIu64, (int)getpid(), (uint64_t)st.st_dev,
		    (uint64_t)st.st_ino);
	strbuf_addc(text, '\0');
	r = add_dir(text, file->place.dir);
	strbuf_addc(text, '\0');
	strbuf_addf(text, "%s", file->place.name);
	strbuf_addc(text, '\0');
	strbuf_addf(text, "%s", file->temp ?: file->place.name);
	strbuf_addc(text, '\0');
	return r < 0 ? r : text->err;
}

int recording_note_write(int dir, const char *id, const struct new_file *file,
			 struct recording_note *ret_note)
{
	struct recording_note note = RECORDING_NOTE_NONE;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_close_ int fd = -1;
	int r = left_recordings_describe(&text, file);

	if (r < 0)
		return r;
	snprintf(note.name, sizeof(note.name), ".%.8s" SUFFIX, id);
	fd = openat(dir, note.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return negative_errno();
	if (write(fd, text.s, text.len) != (ssize_t)text.len) {
		unlinkat(dir, note.name, 0);
		return -EIO;
	}
	note.dir = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	if (note.dir < 0)
		return negative_errno();
	*ret_note = note;
	return 0;
}

void recording_note_remove(struct recording_note *note)
{
	if (note->dir >= 0)
		unlinkat(note->dir, note->name, 0);
	recording_note_done(note);
}

void recording_note_done(struct recording_note *note)
{
	if (note->dir >= 0)
		close(note->dir);
	*note = (struct recording_note)RECORDING_NOTE_NONE;
}

/* The contents of a note; strings point into its text. */
struct said {
	long pid;
	uint64_t dev, ino;
	const char *dir, *name, *temp;
};

static bool left_recordings_parse(const struct strbuf *text, struct said *ret_said)
{
	const char *s = strbuf_str(text), *end = s + text->len, *field[4];
	char *rest;

	for (size_t i = 0; i < ARRAY_SIZE(field); i++) {
		field[i] = s;
		s = s < end ? memchr(s, '\0', (size_t)(end - s)) : NULL;
		if (!s)
			return false;
		s++;
	}
	*ret_said = (struct said){ .dir = field[1], .name = field[2], .temp = field[3] };
	ret_said->pid = strtol(field[0], &rest, 10);
	ret_said->dev = strtoull(rest, &rest, 10);
	ret_said->ino = strtoull(rest, &rest, 10);
	return ret_said->pid > 0 && !*rest;
}

/* Opens exactly the file that the note is about. Returns -ENOENT if it no longer exists. */
static int open_said(const struct said *said, const char *path)
{
	struct stat st;
	_cleanup_close_ int place = plain_file_find(path, O_NOFOLLOW, &st);

	if (place == -EISDIR || place == -ESPIPE || place == -ELOOP)
		return -ENOENT;
	if (place < 0)
		return place;
	if (st.st_dev != said->dev || st.st_ino != said->ino)
		return -ENOENT;
	return plain_file_open_at(place);
}

static bool is_recording(int fd, long pid)
{
	if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
		flock(fd, LOCK_UN);
		return false;
	}
	return errno == EWOULDBLOCK || kill((pid_t)pid, 0) == 0;
}

/*
 * Returns 1 for an abandoned recording, with its path in *@ret_path, which the caller frees; 0 if
 * it is to be ignored; -ENOENT if the note is obsolete; or -ENOMEM.
 */
static int left_recordings_judge(const struct said *said, char **ret_path)
{
	_cleanup_free_ char *path = mem_printf("%s/%s", said->dir, said->name);
	_cleanup_close_ int fd = path ? open_said(said, path) : -ENOMEM;
	int r;

	if (fd == -ENOENT && !str_eq(said->name, said->temp)) {
		free(path);
		path = mem_printf("%s/%s", said->dir, said->temp);
		fd = path ? open_said(said, path) : -ENOMEM;
	}
	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? -ENOENT : fd == -ENOMEM ? fd : 0;
	if (is_recording(fd, said->pid))
		return 0;
	r = recording_is_unfinished(fd, path);
	if (r > 0)
		*ret_path = TAKE_PTR(path);
	return r > 0 ? 1 : r == 0 || r == -EINVAL ? -ENOENT : r;
}

/* Reads the note @name. Returns 1 if it is obsolete, 0 or -ENOMEM. */
static int read_note(int dir, const char *name, struct left_recordings *left)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_free_ char *path = NULL;
	struct said said;
	int r = file_read(dir, name, &text);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	/* A recorder may be about to write it. */
	if (!left_recordings_parse(&text, &said))
		return 0;
	r = left_recordings_judge(&said, &path);
	if (r <= 0)
		return r == -ENOENT ? 1 : r == -ENOMEM ? r : 0;
	if (mem_reserve(&left->list, &left->cap, left->n + 1, sizeof(*left->list)) < 0)
		return -ENOMEM;
	left->list[left->n].pid = said.pid;
	left->list[left->n].path = arena_strdup(&left->arena, path);
	return left->list[left->n++].path ? 0 : -ENOMEM;
}

static bool is_note(const char *name)
{
	size_t len = strlen(name);

	return len == SESSION_ID_SIZE + sizeof(SUFFIX) - 1 && name[0] == '.' &&
	       str_eq(name + SESSION_ID_SIZE, SUFFIX);
}

int left_recordings_read(int dir, bool tidy, struct left_recordings *ret_left)
{
	_cleanup_left_recordings_ struct left_recordings left = { 0 };
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	_cleanup_closedir_ DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!list && fd >= 0)
		close(fd);
	while (list && r >= 0 && (entry = readdir(list))) {
		if (!is_note(entry->d_name))
			continue;
		r = read_note(dir, entry->d_name, &left);
		if (r > 0 && tidy)
			unlinkat(dir, entry->d_name, 0);
	}
	if (r < 0)
		return r;
	*ret_left = TAKE_STRUCT(left, { 0 });
	return 0;
}

void left_recordings_done(struct left_recordings *left)
{
	free(left->list);
	arena_done(&left->arena);
	*left = (struct left_recordings){ 0 };
}
