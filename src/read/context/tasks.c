/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/context/tasks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

static const struct task idle = { .comm = "<idle>", .len = 6 };
static const struct task unknown = { .comm = "<...>", .len = 5 };

/* Returns the slot of @pid, or the free slot where it belongs. There must be a free one. */
static struct task *tasks_slot_of(const struct tasks *tasks, int32_t pid)
{
	size_t i = hash_u32((uint32_t)pid, tasks->seed) & (tasks->cap - 1);

	while (tasks->slots[i].pid && tasks->slots[i].pid != pid)
		i = (i + 1) & (tasks->cap - 1);
	return &tasks->slots[i];
}

static int tasks_grow(struct tasks *tasks)
{
	struct tasks bigger = *tasks;

	bigger.seed = hash_seed();
	bigger.cap = tasks->cap ? tasks->cap * 2 : 256;
	bigger.slots = mem_zalloc(bigger.cap, sizeof(bigger.slots[0]));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < tasks->cap; i++)
		if (tasks->slots[i].pid)
			*tasks_slot_of(&bigger, tasks->slots[i].pid) = tasks->slots[i];
	free(tasks->slots);
	*tasks = bigger;
	return 0;
}

static int tasks_add(struct tasks *tasks, int32_t pid, const char *comm, size_t len)
{
	struct task *slot;

	if (!pid || tasks->n >= TASKS_MAX)
		return 0;
	if (tasks->n >= tasks->cap / 4 * 3 && tasks_grow(tasks) < 0)
		return -ENOMEM;
	slot = tasks_slot_of(tasks, pid);
	if (slot->pid)
		return 0;
	slot->comm = arena_strndup(&tasks->arena, comm, len < TASK_COMM_MAX ? len : TASK_COMM_MAX);
	if (!slot->comm)
		return -ENOMEM;
	slot->len = slot->room = (uint16_t)strlen(slot->comm);
	slot->pid = pid;
	tasks->n++;
	return 0;
}

/* Parses "PID COMM"; the name may contain blanks. */
static bool tasks_read_line(const char *line, const char *end, int32_t *ret_pid,
			    const char **ret_comm)
{
	int64_t pid = 0;
	const char *p = line;

	while (p < end && *p == ' ')
		p++;
	for (line = p; p < end && *p >= '0' && *p <= '9'; p++) {
		pid = pid * 10 + (*p - '0');
		if (pid > INT32_MAX)
			return false;
	}
	if (p == line || p >= end || *p != ' ')
		return false;
	while (p < end && *p == ' ')
		p++;
	*ret_pid = (int32_t)pid;
	*ret_comm = p;
	return p < end;
}

/* Renames a PID. Reuses the memory of the old name if possible, to limit growth. */
static int rename_task(struct tasks *tasks, int32_t pid, const char *comm, size_t len)
{
	struct task *slot = tasks->cap ? tasks_slot_of(tasks, pid) : NULL;
	char *copy;

	if (!slot || !slot->pid)
		return tasks_add(tasks, pid, comm, len);
	if (len > TASK_COMM_MAX)
		len = TASK_COMM_MAX;
	if (slot->len == len && memcmp(slot->comm, comm, len) == 0)
		return 0;
	copy = slot->room >= len ? (char *)(uintptr_t)slot->comm :
				   arena_zalloc(&tasks->arena, len + 1, 1);
	if (!copy)
		return -ENOMEM;
	if (slot->room < len)
		slot->room = (uint16_t)len;
	memcpy(copy, comm, len);
	copy[len] = '\0';
	slot->comm = copy;
	slot->len = (uint16_t)len;
	return 0;
}

static int tasks_add_lines(struct tasks *tasks, const char *text, size_t len,
			   int (*each)(struct tasks *, int32_t, const char *, size_t))
{
	const char *end = text + len;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		const char *comm;
		int32_t pid;
		int r = 0;

		if (!eol)
			eol = end;
		if (tasks_read_line(text, eol, &pid, &comm))
			r = each(tasks, pid, comm, (size_t)(eol - comm));
		if (r < 0)
			return r;
		text = eol + 1;
	}
	return 0;
}

int tasks_add_cmdlines(struct tasks *tasks, const char *text, size_t len)
{
	return tasks_add_lines(tasks, text, len, tasks_add);
}

int tasks_rename(struct tasks *tasks, const char *text, size_t len)
{
	return tasks_add_lines(tasks, text, len, rename_task);
}

bool tasks_know(const struct tasks *tasks, int32_t pid)
{
	return !pid || (tasks->cap && tasks_slot_of(tasks, pid)->pid);
}

void tasks_learn(struct tasks *tasks, int32_t pid, const char *comm, size_t len)
{
	if (!tasks->cap || !tasks_slot_of(tasks, pid)->pid)
		(void)tasks_add(tasks, pid, comm, len);
}

const struct task *tasks_find(const struct tasks *tasks, int32_t pid)
{
	const struct task *slot;

	if (!pid)
		return &idle;
	if (!tasks->cap)
		return &unknown;
	slot = tasks_slot_of(tasks, pid);
	return slot->pid ? slot : &unknown;
}

const struct task *tasks_next_named(const struct tasks *tasks, const char *comm, size_t *at)
{
	while (*at < tasks->cap) {
		const struct task *slot = &tasks->slots[(*at)++];

		if (slot->pid && strcmp(slot->comm, comm) == 0)
			return slot;
	}
	return NULL;
}

void tasks_done(struct tasks *tasks)
{
	free(tasks->slots);
	arena_done(&tasks->arena);
	memset(tasks, 0, sizeof(*tasks));
}
