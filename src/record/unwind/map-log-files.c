/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files that processes map. While a process is alive, the kernel provides access to the very
 * file, regardless of its name; after that, the mount namespace of its parent is used. Only the
 * first bytes of a file are examined, apart from copying it.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/files/plain-file.h"
#include "base/str.h"
#include "record/unwind/map-log-parts.h"

/* Limits of the size of a copied file, and of all copies. */
#define COPY_MAX   ((uint64_t)32 << 20)
#define COPIES_MAX ((uint64_t)128 << 20)
/* How many generations of parents to try, if they have exited as well. */
#define PARENTS_MAX 16

/* For a process that is alive: opens the mapped file itself, even if it was deleted. */
static int open_mapping(const struct map_log *log, const struct logged_file *file)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/proc/%d/map_files/%" PRIx64 "-%" PRIx64, log->root,
		 (int)file->pid, file->start, file->end);
	return plain_file_open(path, NULL);
}

/*
 * Opens the name as seen by the process or its parents. Returns a descriptor, or a negative errno.
 */
static int open_by_name(struct map_log *log, int32_t pid, const char *name)
{
	for (int i = 0; i < PARENTS_MAX && pid > 0; i++) {
		_cleanup_free_ char *dir = mem_printf("%s/proc/%d/root", log->root, (int)pid);
		_cleanup_free_ char *path =
			mem_printf("%s/proc/%d/root%s", log->root, (int)pid, name);
		const struct logged_process *process;

		if (!dir || !path)
			return -ENOMEM;
		/* The root of a process that has exited is a dangling link. */
		if (access(dir, F_OK) == 0)
			return plain_file_open(path, NULL);
		process = map_log_process(log, pid);
		if (!process)
			return -ENOMEM;
		pid = process->parent;
	}
	return -ENOENT;
}

/* Copies an ELF file. Returns 0 or -ENOMEM. */
static int map_log_files_copy(struct map_log *log, struct logged_file *file, int fd, uint64_t size)
{
	uint64_t number = (uint64_t)(file - log->files) + 1;
	char *room;

	if (size < SELFMAG || size > COPY_MAX || log->copied + size > COPIES_MAX)
		return 0;
	strbuf_add(&file->copy, &number, sizeof(number));
	room = strbuf_room(&file->copy, (size_t)size);
	if (!room)
		return -ENOMEM;
	if (pread(fd, room, (size_t)size, 0) != (ssize_t)size ||
	    memcmp(room, ELFMAG, SELFMAG) != 0) {
		strbuf_done(&file->copy);
		return 0;
	}
	file->copy.len += (size_t)size;
	log->copied += size;
	return 0;
}

static void map_log_files_notify(const struct map_log *log, const struct logged_file *file, int fd,
				 uint64_t size)
{
	if (log->listener.file)
		log->listener.file(log->listener.data, (uint32_t)(file - log->files) + 1, fd, size);
}

static bool map_log_files_is_data(const char *path)
{
	return str_eq(path, "[heap]") || str_after(path, "[stack") || str_eq(path, "[vvar]");
}

/* Passes the copy to the listener, as an anonymous file. */
static void notify_of_copy(const struct map_log *log, const struct logged_file *file)
{
	size_t lead = sizeof(uint64_t), size = file->copy.len > lead ? file->copy.len - lead : 0;
	_cleanup_close_ int fd = -1;

	if (!log->listener.file)
		return;
	fd = size ? memfd_create("copy", MFD_CLOEXEC) : -1;
	if (fd >= 0 && write(fd, file->copy.s + lead, size) != (ssize_t)size)
		close(TAKE_FD(fd));
	map_log_files_notify(log, file, fd < 0 ? -1 : fd, size);
}

/* The vDSO is not a file, but the same in all processes, so copy ours. */
static int copy_vdso(struct map_log *log, struct logged_file *file)
{
	_cleanup_strbuf_ struct strbuf maps = { 0 };
	uint64_t number = (uint64_t)(file - log->files) + 1;
	uintptr_t start, end;
	const char *line;
	char *p;

	if (file_read(AT_FDCWD, "/proc/self/maps", &maps) < 0)
		return maps.err;
	line = strstr(strbuf_str(&maps), "[vdso]");
	while (line && line > maps.s && line[-1] != '\n')
		line--;
	if (!line)
		return 0;
	start = strtoul(line, &p, 16);
	end = *p == '-' ? strtoul(p + 1, NULL, 16) : 0;
	if (!start || start != getauxval(AT_SYSINFO_EHDR) || end <= start)
		return 0;
	strbuf_add(&file->copy, &number, sizeof(number));
	strbuf_add(&file->copy, (const void *)start, end - start); /* NOLINT */
	return file->copy.err;
}

static uint64_t mtime_of(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec;
}

static int open_logged(struct map_log *log, const struct logged_file *file)
{
	int fd = open_mapping(log, file);

	return fd < 0 ? open_by_name(log, file->pid, file->path) : fd;
}

static int map_log_files_look_at(struct map_log *log, struct logged_file *file)
{
	_cleanup_close_ int fd = open_logged(log, file);
	struct stat own, st;

	if (fd == -ENOMEM)
		return fd;
	if (fd < 0 || fstat(fd, &st) < 0) {
		map_log_files_notify(log, file, -1, 0);
		return 0;
	}
	map_log_files_notify(log, file, fd, (uint64_t)st.st_size);
	file->size = (uint64_t)st.st_size;
	file->mtime = mtime_of(&st);
	file->device = st.st_dev;
	file->number = st.st_ino;
	/* Readers on this machine will find it by its name. */
	if (stat(file->path, &own) == 0 && own.st_dev == st.st_dev && own.st_ino == st.st_ino)
		return 0;
	return map_log_files_copy(log, file, fd, file->size);
}

/* A file that has changed is a different one. */
static void notify_again(struct map_log *log, const struct logged_file *file)
{
	_cleanup_close_ int fd = file->size ? open_logged(log, file) : -1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_dev != file->device ||
	    st.st_ino != file->number || (uint64_t)st.st_size != file->size ||
	    mtime_of(&st) != file->mtime)
		map_log_files_notify(log, file, -1, 0);
	else
		map_log_files_notify(log, file, fd, file->size);
}

void map_log_announce_files(struct map_log *log)
{
	for (size_t i = 0; i < log->n_files; i++) {
		const struct logged_file *file = &log->files[i];

		if (file->copy.len)
			notify_of_copy(log, file);
		else if (file->path[0] == '/')
			notify_again(log, file);
		else
			map_log_files_notify(log, file, map_log_files_is_data(file->path) ? -2 : -1,
					     0);
	}
}

static bool map_log_files_is_same(const struct logged_file *file, const struct process_event *event)
{
	return str_eq(file->path, event->path) && file->inode == event->inode &&
	       file->build_id_len == event->build_id_len &&
	       memcmp(file->build_id, event->build_id, file->build_id_len) == 0;
}

int64_t map_log_file(struct map_log *log, const struct process_event *event)
{
	uint64_t key = hash_bytes(event->path, strlen(event->path), hash_seed()) + event->inode;
	struct logged_file *file;
	int r = 0;

	if (!*event->path || str_after(event->path, "//anon"))
		return 0;
	for (;; key++) {
		file = u64_map_element(&log->file_keys, key, &log->files, &log->n_files,
				       &log->cap_files, sizeof(*file));
		if (!file)
			return -ENOMEM;
		if (!file->path)
			break;
		if (map_log_files_is_same(file, event))
			return file - log->files + 1;
	}
	file->path = arena_strdup(&log->arena, event->path);
	if (!file->path) {
		file->path = "";
		return -ENOMEM;
	}
	file->pid = event->pid;
	file->start = event->start;
	file->end = event->end;
	file->inode = event->inode;
	file->build_id_len = event->build_id_len;
	memcpy(file->build_id, event->build_id, event->build_id_len);
	if (str_eq(file->path, "[vdso]"))
		r = copy_vdso(log, file), notify_of_copy(log, file);
	else if (file->path[0] == '/')
		r = map_log_files_look_at(log, file);
	else
		map_log_files_notify(log, file, map_log_files_is_data(file->path) ? -2 : -1, 0);
	return r < 0 ? r : file - log->files + 1;
}
