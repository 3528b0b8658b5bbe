/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/descriptors.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

#define DESCRIPTORS_MAX ((size_t)1 << 20)
#define NO_TABLE	UINT32_MAX

struct descriptor {
	uint32_t fd;
	uint32_t file;
	bool close_on_exec;
};

struct descriptor_table {
	struct descriptor *list; /* sorted by fd */
	size_t n, cap;
	uint32_t users; /* number of tasks; 0: the table is free, and @next links the free ones */
	uint32_t next; /* index + 1 */
	uint64_t epoch;
};

static uint32_t new_table(struct descriptors *descriptors)
{
	uint32_t table = descriptors->unused;

	if (table) {
		descriptors->unused = descriptors->tables[table - 1].next;
		descriptors->tables[table - 1].users = 1;
		return table - 1;
	}
	if (descriptors->n_tables >= NO_TABLE ||
	    mem_reserve(&descriptors->tables, &descriptors->cap_tables, descriptors->n_tables + 1,
			sizeof(*descriptors->tables)) < 0) {
		descriptors->nomem = true;
		return NO_TABLE;
	}
	descriptors->tables[descriptors->n_tables] = (struct descriptor_table){ .users = 1 };
	return (uint32_t)descriptors->n_tables++;
}

static void descriptors_put_table(struct descriptors *descriptors, uint32_t place)
{
	struct descriptor_table *table = &descriptors->tables[place];

	if (--table->users)
		return;
	descriptors->n_open -= table->n;
	free(table->list);
	*table = (struct descriptor_table){ .next = descriptors->unused };
	descriptors->unused = place + 1;
}

/* Returns where the task's index in @tables is stored, or NULL if memory is exhausted. */
static uint32_t *descriptors_find_task(struct descriptors *descriptors, int32_t pid)
{
	uint32_t place = u64_map_put(&descriptors->pids, (uint32_t)pid);

	if (place == U64_MAP_NONE ||
	    mem_reserve(&descriptors->tasks, &descriptors->cap_tasks, place + (size_t)1,
			sizeof(*descriptors->tasks)) < 0) {
		descriptors->nomem = true;
		return NULL;
	}
	for (; descriptors->n_tasks <= place; descriptors->n_tasks++)
		descriptors->tasks[descriptors->n_tasks] = NO_TABLE;
	return &descriptors->tasks[place];
}

/* Returns the task's table, or NULL if none of its descriptors is known. */
static struct descriptor_table *look_up(const struct descriptors *descriptors, int32_t pid)
{
	uint32_t place = u64_map_get(&descriptors->pids, (uint32_t)pid);
	struct descriptor_table *table;

	if (place >= descriptors->n_tasks || descriptors->tasks[place] == NO_TABLE)
		return NULL;
	table = &descriptors->tables[descriptors->tasks[place]];
	return table->epoch == descriptors->epoch ? table : NULL;
}

static int descriptors_compare_fd(const void *fd, const void *descriptor)
{
	const uint32_t *wanted = fd;
	const struct descriptor *other = descriptor;

	return (*wanted > other->fd) - (*wanted < other->fd);
}

/* Returns the index of the first descriptor that is not below @fd. */
static size_t descriptors_position(const struct descriptor_table *table, uint32_t fd)
{
	return order_place(&fd, table->list, table->n, sizeof(*table->list),
			   descriptors_compare_fd);
}

uint32_t descriptors_get(const struct descriptors *descriptors, int32_t pid, int64_t fd)
{
	const struct descriptor_table *table = look_up(descriptors, pid);
	size_t at;

	if (!table || fd < 0 || fd > INT32_MAX)
		return FILE_NONE;
	at = descriptors_position(table, (uint32_t)fd);
	return at < table->n && table->list[at].fd == (uint32_t)fd ? table->list[at].file :
								     FILE_NONE;
}

static void descriptors_insert(struct descriptors *descriptors, struct descriptor_table *table,
			       const struct descriptor *new)
{
	size_t at;

	if (table->epoch != descriptors->epoch) {
		descriptors->n_open -= table->n;
		table->n = 0;
		table->epoch = descriptors->epoch;
	}
	at = descriptors_position(table, new->fd);
	if (at < table->n && table->list[at].fd == new->fd) {
		table->list[at] = *new;
		return;
	}
	if (descriptors->n_open >= DESCRIPTORS_MAX)
		return;
	if (mem_reserve(&table->list, &table->cap, table->n + 1, sizeof(*table->list)) < 0) {
		descriptors->nomem = true;
		return;
	}
	memmove(&table->list[at + 1], &table->list[at], (table->n - at) * sizeof(*table->list));
	table->list[at] = *new;
	table->n++;
	descriptors->n_open++;
}

void descriptors_set(struct descriptors *descriptors, int32_t pid, int64_t fd, uint32_t file,
		     bool close_on_exec)
{
	struct descriptor new = { (uint32_t)fd, file, close_on_exec };
	uint32_t *task;

	if (fd < 0 || fd > INT32_MAX)
		return;
	if (file == FILE_NONE) {
		descriptors_close(descriptors, pid, (uint32_t)fd, (uint32_t)fd);
		return;
	}
	task = descriptors_find_task(descriptors, pid);
	if (task && *task == NO_TABLE)
		*task = new_table(descriptors);
	if (task && *task != NO_TABLE)
		descriptors_insert(descriptors, &descriptors->tables[*task], &new);
}

void descriptors_close(struct descriptors *descriptors, int32_t pid, uint32_t first, uint32_t last)
{
	struct descriptor_table *table = look_up(descriptors, pid);
	size_t from, to;

	if (!table || first > last)
		return;
	from = descriptors_position(table, first);
	to = last == UINT32_MAX ? table->n : descriptors_position(table, last + 1);
	if (to == from)
		return;
	memmove(&table->list[from], &table->list[to], (table->n - to) * sizeof(*table->list));
	table->n -= to - from;
	descriptors->n_open -= to - from;
}

void descriptors_mark(struct descriptors *descriptors, int32_t pid, uint32_t first, uint32_t last,
		      bool close_on_exec)
{
	struct descriptor_table *table = look_up(descriptors, pid);

	for (size_t i = table ? descriptors_position(table, first) : 0;
	     table && i < table->n && table->list[i].fd <= last; i++)
		table->list[i].close_on_exec = close_on_exec;
}

/* Returns a new table with the same entries, or NO_TABLE if memory is exhausted. */
static uint32_t copy_table(struct descriptors *descriptors, uint32_t from)
{
	uint32_t to = new_table(descriptors);
	const struct descriptor_table *old = &descriptors->tables[from];

	for (size_t i = 0; to != NO_TABLE && old->epoch == descriptors->epoch && i < old->n; i++)
		descriptors_insert(descriptors, &descriptors->tables[to], &old->list[i]);
	return to;
}

void descriptors_fork(struct descriptors *descriptors, int32_t parent, int32_t child, bool shares)
{
	uint32_t *task, from;

	if (parent == child || !descriptors_find_task(descriptors, parent))
		return;
	descriptors_exit(descriptors, child);
	task = descriptors_find_task(descriptors, parent);
	if (task && *task == NO_TABLE && shares)
		*task = new_table(descriptors);
	from = task ? *task : NO_TABLE;
	task = descriptors_find_task(descriptors, child);
	if (!task || from == NO_TABLE)
		return;
	if (shares) {
		descriptors->tables[from].users++;
		*task = from;
	} else {
		*task = copy_table(descriptors, from);
	}
}

void descriptors_unshare(struct descriptors *descriptors, int32_t pid)
{
	uint32_t place = u64_map_get(&descriptors->pids, (uint32_t)pid);
	uint32_t old, new;

	if (place >= descriptors->n_tasks || descriptors->tasks[place] == NO_TABLE)
		return;
	old = descriptors->tasks[place];
	if (descriptors->tables[old].users == 1)
		return;
	new = copy_table(descriptors, old);
	descriptors->tables[old].users--;
	descriptors->tasks[place] = new;
}

void descriptors_exec(struct descriptors *descriptors, int32_t pid)
{
	struct descriptor_table *table;
	size_t kept = 0;

	descriptors_unshare(descriptors, pid);
	table = look_up(descriptors, pid);
	if (!table)
		return;
	for (size_t i = 0; i < table->n; i++)
		if (!table->list[i].close_on_exec)
			table->list[kept++] = table->list[i];
	descriptors->n_open -= table->n - kept;
	table->n = kept;
}

void descriptors_exit(struct descriptors *descriptors, int32_t pid)
{
	uint32_t place = u64_map_get(&descriptors->pids, (uint32_t)pid);

	if (place >= descriptors->n_tasks || descriptors->tasks[place] == NO_TABLE)
		return;
	descriptors_put_table(descriptors, descriptors->tasks[place]);
	descriptors->tasks[place] = NO_TABLE;
}

void descriptors_forget(struct descriptors *descriptors)
{
	descriptors->epoch++;
}

void descriptors_done(struct descriptors *descriptors)
{
	for (size_t i = 0; i < descriptors->n_tables; i++)
		free(descriptors->tables[i].list);
	u64_map_done(&descriptors->pids);
	free(descriptors->tasks);
	free(descriptors->tables);
	*descriptors = (struct descriptors){ 0 };
}
