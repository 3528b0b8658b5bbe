/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/task-names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"

static int file_task_names_add(struct task_names *names, pid_t pid, const char *name, size_t len,
			       enum task_name_rank rank)
{
	struct task_name *task;

	if (mem_reserve(&names->list, &names->cap, names->n + 1, sizeof(*names->list)) < 0)
		return -ENOMEM;
	task = &names->list[names->n];
	*task = (struct task_name){ .pid = pid, .order = (uint32_t)names->n, .rank = rank };
	if (len >= sizeof(task->name))
		len = sizeof(task->name) - 1;
	memcpy(task->name, name, len);
	names->n++;
	return 0;
}

/* Returns the number that is all of @s, or 0 if it is not a PID. */
static pid_t to_pid(const char *s)
{
	char *end;
	long pid = strtol(s, &end, 10);

	return end != s && *end == '\0' && pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

/* Adds the threads of a process except for the first one. A thread may exit in between. */
static int scan_threads(struct task_names *names, int proc, const char *process,
			enum task_name_rank rank)
{
	char path[64], name[TASK_NAME_SIZE];
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;
	int fd;

	snprintf(path, sizeof(path), "%.20s/task", process);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = readdir(dir))) {
		pid_t pid = to_pid(entry->d_name);
		int len;

		if (!pid || str_eq(entry->d_name, process))
			continue;
		snprintf(path, sizeof(path), "%.20s/comm", entry->d_name);
		len = file_read_line(fd, path, name, sizeof(name));
		if (len > 0 && file_task_names_add(names, pid, name, (size_t)len, rank) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Returns the number of threads in a line of /proc/PID/stat, whose name ends at @close. */
static long threads_of(const char *close)
{
	const char *p = close;

	/* It is word 18 after the name. */
	for (int i = 0; i < 18 && p; i++)
		p = strchr(p + 1, ' ');
	return p ? strtol(p, NULL, 10) : 0;
}

/* A single file has both the name and the number of threads. */
static int scan_process(struct task_names *names, int proc, const char *process,
			enum task_name_rank rank)
{
	char path[64], line[1024];
	const char *open, *close;
	int r = 0;

	snprintf(path, sizeof(path), "%.20s/stat", process);
	if (file_read_line(proc, path, line, sizeof(line)) <= 0)
		return 0;
	open = strchr(line, '(');
	close = strrchr(line, ')');
	if (!open || !close || close < open)
		return 0;
	r = file_task_names_add(names, to_pid(process), open + 1, (size_t)(close - open - 1), rank);
	if (r == 0 && threads_of(close) != 1)
		r = scan_threads(names, proc, process, rank);
	return r;
}

int task_names_scan(struct task_names *names, int proc, enum task_name_rank rank)
{
	int fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;

	if (fd < 0)
		return negative_errno();
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = readdir(dir)))
		if (to_pid(entry->d_name) && scan_process(names, fd, entry->d_name, rank) < 0)
			return -ENOMEM;
	return 0;
}

int task_names_parse(struct task_names *names, const char *text, enum task_name_rank rank)
{
	while (*text) {
		const char *end = strchrnul(text, '\n');
		char *name;
		long pid = strtol(text, &name, 10);

		if (name != text && *name == ' ' && pid > 0 && pid <= INT32_MAX && name < end &&
		    file_task_names_add(names, (pid_t)pid, name + 1, (size_t)(end - name - 1),
					rank) < 0)
			return -ENOMEM;
		text = *end ? end + 1 : end;
	}
	return 0;
}

int task_names_add(struct task_names *names, pid_t pid, const char *name, enum task_name_rank rank)
{
	return file_task_names_add(names, pid, name, strlen(name), rank);
}

static int task_names_by_pid(const void *a, const void *b)
{
	const struct task_name *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void task_names_print(struct task_names *names, struct strbuf *out)
{
	if (!names->n)
		return;
	qsort(names->list, names->n, sizeof(*names->list), task_names_by_pid);
	for (size_t i = 0; i < names->n; i++)
		if (i + 1 == names->n || names->list[i + 1].pid != names->list[i].pid)
			strbuf_addf(out, "%d %s\n", (int)names->list[i].pid, names->list[i].name);
}

void task_names_done(struct task_names *names)
{
	free(names->list);
	*names = (struct task_names){ 0 };
}

int task_name_map_put(struct task_name_map *map, pid_t pid, const char *name, uint64_t time)
{
	struct task_name *task = u64_map_element(&map->pids, (uint64_t)pid, &map->list, &map->n,
						 &map->cap, sizeof(*task));

	if (!task)
		return -ENOMEM;
	if (task->pid && time < task->time)
		return 0;
	task->pid = pid;
	task->time = time;
	snprintf(task->name, sizeof(task->name), "%s", name);
	return 0;
}

const char *task_name_map_find(const struct task_name_map *map, pid_t pid)
{
	uint32_t place = u64_map_get(&map->pids, (uint64_t)pid);

	return place == U64_MAP_NONE ? NULL : map->list[place].name;
}

int task_name_map_each(const struct task_name_map *map,
		       int (*each)(void *data, pid_t pid, const char *name), void *data)
{
	int r = 0;

	for (size_t i = 0; i < map->n && r == 0; i++)
		r = each(data, map->list[i].pid, map->list[i].name);
	return r;
}

void task_name_map_done(struct task_name_map *map)
{
	u64_map_done(&map->pids);
	free(map->list);
	*map = (struct task_name_map){ 0 };
}
