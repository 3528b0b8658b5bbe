/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes task names. Input: the text of saved_cmdlines, a NUL, and names learned from events: four
 * bytes of PID and four of name each.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "read/context/tasks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct tasks *tasks)
{
	size_t n = 0;

	for (size_t i = 0; i < tasks->cap; i++) {
		const struct task *task = &tasks->slots[i], *named;
		size_t at = 0;

		if (!task->pid)
			continue;
		n++;
		if (tasks_find(tasks, task->pid) != task || strlen(task->comm) != task->len)
			abort();
		named = tasks_next_named(tasks, task->comm, &at);
		if (!named || strcmp(named->comm, task->comm) != 0)
			abort();
	}
	if (n != tasks->n || (tasks->cap && n >= tasks->cap))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tasks tasks = { 0 };
	size_t len = strnlen((const char *)data, size);
	int32_t pid;

	if (tasks_add_cmdlines(&tasks, (const char *)data, len) < 0)
		abort();
	check(&tasks);
	data += len;
	size -= len;
	for (; size >= 9; data += 8, size -= 8) {
		const struct task *before, *after;

		memcpy(&pid, data + 1, sizeof(pid));
		before = tasks_find(&tasks, pid);
		if (before->pid) {
			const char *comm = before->comm;

			tasks_learn(&tasks, pid, (const char *)data + 5, 4);
			if (tasks_find(&tasks, pid)->comm != comm)
				abort();
			continue;
		}
		tasks_learn(&tasks, pid, (const char *)data + 5, 4);
		after = tasks_find(&tasks, pid);
		if (pid && (after->pid != pid || after->len > 4))
			abort();
	}
	check(&tasks);
	tasks_done(&tasks);
	return 0;
}
