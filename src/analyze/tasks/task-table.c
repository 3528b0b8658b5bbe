/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/tasks/task-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Events that reported the creation of a task. */
enum {
	BIRTH_NEW_TASK = 1,
	BIRTH_FORK = 2,
	BIRTH_WAKEUP = 4,
};

uint32_t task_table_find(const struct task_table *table, int32_t pid)
{
	uint32_t place = pid ? u64_map_get(&table->pids, (uint32_t)pid) : U64_MAP_NONE;

	return place < table->n ? place : TASK_TABLE_NONE;
}

/* Assigns the pid to another task. */
static void renew(struct task_table *table, struct task_table_entry *entry)
{
	*entry = (struct task_table_entry){ .pid = entry->pid, .number = table->n_tasks++ };
}

static struct task_table_entry *entry_of(struct task_table *table, int32_t pid)
{
	size_t n = table->n;
	struct task_table_entry *entry;

	if (!pid)
		return NULL;
	entry = u64_map_element(&table->pids, (uint32_t)pid, &table->list, &table->n, &table->cap,
				sizeof(*table->list));
	if (!entry) {
		table->nomem = true;
		return NULL;
	}
	if (table->n > n) {
		entry->pid = pid;
		renew(table, entry);
	}
	return entry;
}

uint32_t task_table_get(struct task_table *table, int32_t pid)
{
	const struct task_table_entry *entry = entry_of(table, pid);

	return entry ? (uint32_t)(entry - table->list) : TASK_TABLE_NONE;
}

static void feed_birth(struct task_table *table, int32_t pid, uint8_t birth)
{
	size_t n = table->n;
	struct task_table_entry *entry = entry_of(table, pid);

	if (!entry)
		return;
	/* A task that was not seen before is new already. */
	if (table->n == n && (!entry->births || entry->births & birth || entry->dead))
		renew(table, entry);
	entry->births |= birth;
}

static void task_table_feed_switch(struct task_table *table, const struct decoded_event *decoded)
{
	struct task_table_entry *prev = entry_of(table, decoded->sched.prev_pid);

	if (prev && prev->dead)
		renew(table, prev);
	if (prev)
		prev->dead = decoded->sched.prev == TASK_STATE_DEAD;
	if (decoded->sched.next_pid != decoded->sched.prev_pid) {
		struct task_table_entry *next = entry_of(table, decoded->sched.next_pid);

		if (next && next->dead)
			renew(table, next);
	}
}

/* Handles an event that only a live task can cause. */
static void feed_life(struct task_table *table, int32_t pid, bool after_exit)
{
	struct task_table_entry *entry = entry_of(table, pid);

	if (entry && (entry->dead || (entry->exits && after_exit)))
		renew(table, entry);
}

/* Returns whether the event is from the buffer that counts for its kind. */
static bool task_table_is_taken(struct task_table *table, const struct decoded_event *decoded)
{
	uint32_t *buffer = &table->buffers[decoded->kind];

	if (!*buffer)
		*buffer = decoded->event->buffer + 1U;
	return *buffer == decoded->event->buffer + 1U;
}

void task_table_feed(struct task_table *table, const struct decoded_event *decoded)
{
	struct task_table_entry *entry;

	_Static_assert(DECODED_NEW_TASK < sizeof(table->buffers) / sizeof(table->buffers[0]),
		       "the last kind needs a place");

	switch (decoded->kind) {
	case DECODED_NEW_TASK:
		if (task_table_is_taken(table, decoded))
			feed_birth(table, decoded->task.pid, BIRTH_NEW_TASK);
		break;
	case DECODED_FORK:
		if (task_table_is_taken(table, decoded))
			feed_birth(table, decoded->task.pid, BIRTH_FORK);
		break;
	case DECODED_WAKEUP_NEW:
		if (task_table_is_taken(table, decoded))
			feed_birth(table, decoded->task.pid, BIRTH_WAKEUP);
		break;
	case DECODED_SWITCH:
		if (task_table_is_taken(table, decoded))
			task_table_feed_switch(table, decoded);
		break;
	case DECODED_WAKING:
	case DECODED_WAKEUP:
		if (task_table_is_taken(table, decoded))
			feed_life(table, decoded->task.pid, false);
		break;
	case DECODED_TASK_EXIT:
		entry = task_table_is_taken(table, decoded) ? entry_of(table, decoded->task.pid) :
							      NULL;
		if (entry)
			entry->exits = true;
		break;
	case DECODED_SYSCALL_ENTRY:
	case DECODED_SYSCALL_EXIT:
	case DECODED_EXEC:
		/* If both events of a call are recorded, either one suffices. */
		feed_life(table, decoded->event->pid, true);
		break;
	default:
		break;
	}
}

void task_table_done(struct task_table *table)
{
	u64_map_done(&table->pids);
	free(table->list);
	*table = (struct task_table){ 0 };
}

void *task_table_slot(struct task_table *table, int32_t pid, void *array, size_t *n, size_t *cap,
		      size_t size, enum task_slot_state *ret_state)
{
	uint32_t place = task_table_get(table, pid);
	struct task_slot *slot;
	uint32_t life;

	if (place == TASK_TABLE_NONE)
		return NULL;
	if (mem_reserve(array, cap, place + (size_t)1, size) < 0) {
		table->nomem = true;
		return NULL;
	}
	if (*n <= place) {
		memset(*(char **)array + *n * size, 0, (place + (size_t)1 - *n) * size);
		*n = place + (size_t)1;
	}
	slot = (struct task_slot *)(*(char **)array + place * size);
	life = table->list[place].number;
	*ret_state = !slot->used	? TASK_SLOT_NEW :
		     slot->life == life ? TASK_SLOT_KNOWN :
					  TASK_SLOT_RENEWED;
	*slot = (struct task_slot){ .used = true, .life = life };
	return slot;
}

void *task_table_known(const struct task_table *table, int32_t pid, void *array, size_t n,
		       size_t size)
{
	uint32_t place = task_table_find(table, pid);
	struct task_slot *slot;

	if (place >= n)
		return NULL;
	slot = (struct task_slot *)((char *)array + place * size);
	return slot->used && slot->life == table->list[place].number ? slot : NULL;
}
