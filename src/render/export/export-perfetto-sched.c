/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Context switches and wakeups as columns of numbers, a table of each in a bundle. In the table,
 * the previous task of a switch is implied: it is the next task of the preceding switch. So
 * switches for which that does not hold (the first one, or those after lost or filtered events) are
 * not part of the table, nor are wakeups before the first switch.
 */
#include "base/cleanup.h"
#include "base/hash.h"
#include "render/export/export-field.h"
#include "render/export/export-perfetto.h"

enum {
	PREV_PID,
	PREV_STATE,
	NEXT_PID,
	NEXT_PRIO,
	NEXT_COMM,
};

enum {
	WAKING_PID,
	WAKING_CPU,
	WAKING_PRIO,
	WAKING_COMM,
};

enum {
	COLUMN_SWITCH_TIME = 1,
	COLUMN_SWITCH_PREV_STATE = 2,
	COLUMN_SWITCH_NEXT_PID = 3,
	COLUMN_SWITCH_NEXT_PRIO = 4,
	COMPACT_NAMES = 5,
	COLUMN_SWITCH_NEXT_NAME = 6,
	COLUMN_WAKING_TIME = 7,
	COLUMN_WAKING_PID = 8,
	COLUMN_WAKING_CPU = 9,
	COLUMN_WAKING_PRIO = 10,
	COLUMN_WAKING_NAME = 11,
	COLUMN_WAKING_FLAGS = 12,
};

/* Returns the number of the task's name in the bundle, or -1 if it has no valid name. */
static int intern_name(const struct perfetto_plan *plan, struct perfetto_cpu *cpu,
		       const struct event_field *field, const struct fathom_event *event)
{
	char name[PERFETTO_COMM] = { 0 };
	uint32_t words[PERFETTO_COMM / 4], hash = 0;
	const char *s;
	size_t len;

	if (!field ||
	    !event_field_string(plan->format, field, event->data, event->size, &s, &len) ||
	    len >= PERFETTO_COMM)
		return -1;
	memcpy(name, s, len);
	memcpy(words, name, sizeof(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		hash = hash_u32(words[i], hash);
	for (uint32_t slot = hash % PERFETTO_SLOTS;; slot = (slot + 1) % PERFETTO_SLOTS) {
		uint16_t number = cpu->slots[slot];

		if (!number) {
			memcpy(cpu->names[cpu->n_names], name, sizeof(name));
			cpu->slots[slot] = (uint16_t)++cpu->n_names;
			return (int)cpu->n_names - 1;
		}
		if (memcmp(cpu->names[number - 1], name, sizeof(name)) == 0)
			return number - 1;
	}
}

bool perfetto_put_switch(const struct perfetto_plan *plan, struct perfetto_cpu *cpu,
			 const struct fathom_event *event)
{
	uint64_t values[4];
	bool follows;
	int name;

	for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
		if (!export_field_number(plan->format, plan->fields[i], event, &values[i])) {
			cpu->switched = false;
			return false;
		}
	follows = cpu->switched && cpu->running == (int32_t)values[PREV_PID];
	cpu->running = (int32_t)values[NEXT_PID];
	cpu->switched = true;
	if (!follows)
		return false;
	name = intern_name(plan, cpu, plan->fields[NEXT_COMM], event);
	if (name < 0)
		return false;
	cpu->switches[cpu->n_switches++] =
		(struct perfetto_switch){ .time = event->time,
					  .prev_state = (int64_t)values[PREV_STATE],
					  .next_pid = (int32_t)values[NEXT_PID],
					  .next_prio = (int32_t)values[NEXT_PRIO],
					  .name = (uint16_t)name };
	return true;
}

bool perfetto_put_waking(const struct perfetto_plan *plan, struct perfetto_cpu *cpu,
			 const struct fathom_event *event)
{
	uint64_t values[3], flags = 0;
	int name;

	if (!cpu->switched)
		return false;
	for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
		if (!export_field_number(plan->format, plan->fields[i], event, &values[i]))
			return false;
	name = intern_name(plan, cpu, plan->fields[WAKING_COMM], event);
	if (name < 0)
		return false;
	export_field_number(plan->format, plan->flags, event, &flags);
	cpu->wakings[cpu->n_wakings++] =
		(struct perfetto_waking){ .time = event->time,
					  .pid = (int32_t)values[WAKING_PID],
					  .target_cpu = (int32_t)values[WAKING_CPU],
					  .prio = (int32_t)values[WAKING_PRIO],
					  .name = (uint16_t)name,
					  .flags = (uint8_t)flags };
	return true;
}

/* Writes a column of both tables; @expr is the value of the row called "row". */
#define WRITE_COLUMN(p, column, rows, n, expr)                    \
	do {                                                      \
		uint8_t *begin = pb_tag(p, column, PB_BYTES) + 2; \
		uint8_t *at = begin;                              \
                                                                  \
		for (uint32_t i = 0; i < (n); i++) {              \
			__typeof__(&(rows)[0]) row = &(rows)[i];  \
                                                                  \
			at = pb_varint(at, (uint64_t)(expr));     \
		}                                                 \
		pb_close2(begin, at);                             \
		(p) = at;                                         \
	} while (0)

static uint8_t *write_switches(const struct perfetto_cpu *cpu, uint8_t *p)
{
	const struct perfetto_switch *rows = cpu->switches;
	uint32_t n = cpu->n_switches;
	uint64_t time = 0, step;

	if (!n)
		return p;
	WRITE_COLUMN(p, COLUMN_SWITCH_TIME, rows, n,
		     (step = row->time - time, time = row->time, step));
	WRITE_COLUMN(p, COLUMN_SWITCH_PREV_STATE, rows, n, row->prev_state);
	WRITE_COLUMN(p, COLUMN_SWITCH_NEXT_PID, rows, n, (int64_t)row->next_pid);
	WRITE_COLUMN(p, COLUMN_SWITCH_NEXT_PRIO, rows, n, (int64_t)row->next_prio);
	WRITE_COLUMN(p, COLUMN_SWITCH_NEXT_NAME, rows, n, row->name);
	return p;
}

static uint8_t *write_wakings(const struct perfetto_cpu *cpu, uint8_t *p)
{
	const struct perfetto_waking *rows = cpu->wakings;
	uint32_t n = cpu->n_wakings;
	uint64_t time = 0, step;

	if (!n)
		return p;
	WRITE_COLUMN(p, COLUMN_WAKING_TIME, rows, n,
		     (step = row->time - time, time = row->time, step));
	WRITE_COLUMN(p, COLUMN_WAKING_PID, rows, n, (int64_t)row->pid);
	WRITE_COLUMN(p, COLUMN_WAKING_CPU, rows, n, (int64_t)row->target_cpu);
	WRITE_COLUMN(p, COLUMN_WAKING_PRIO, rows, n, (int64_t)row->prio);
	WRITE_COLUMN(p, COLUMN_WAKING_NAME, rows, n, row->name);
	WRITE_COLUMN(p, COLUMN_WAKING_FLAGS, rows, n, row->flags);
	return p;
}

uint8_t *perfetto_write_tables(struct perfetto_cpu *cpu, uint8_t *p)
{
	for (uint32_t i = 0; i < cpu->n_names; i++)
		p = pb_bytes(p, COMPACT_NAMES, cpu->names[i],
			     strnlen(cpu->names[i], PERFETTO_COMM));
	p = write_switches(cpu, p);
	p = write_wakings(cpu, p);
	if (cpu->n_names)
		memset(cpu->slots, 0, sizeof(cpu->slots));
	cpu->n_names = cpu->n_switches = cpu->n_wakings = 0;
	return p;
}
