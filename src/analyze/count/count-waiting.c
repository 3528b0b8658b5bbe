/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/count/count-waiting.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Of the kernel and the program: the columns are told apart by their names. */
enum count_half {
	COUNT_HALF_KERNEL,
	COUNT_HALF_USER,
	COUNT_HALVES,
};

/* The last event that was counted on a CPU. */
struct count_waiting_cpu {
	struct count_waiting_row *rows; /* of all sites that counted it */
	size_t n, cap;
	bool has[COUNT_HALVES];
	unsigned others[COUNT_HALVES]; /* later events, of interrupts, whose stacks come first */
};

static bool count_column_is_half(const struct count_column *column, enum count_half half)
{
	return column->kind == COUNT_COLUMN_STACK &&
	       str_eq(column->name, half == COUNT_HALF_USER ? "ustack" : "kstack");
}

void count_waiting_init(struct count_waiting *waiting, struct count_table *table,
			struct count_stacks *stacks, bool has_spread)
{
	*waiting = (struct count_waiting){ .table = table,
					   .stacks = stacks,
					   .has_spread = has_spread };
	for (size_t i = 0; i < table->columns->n_keys; i++)
		waiting->is_needed |= table->columns->keys[i].kind == COUNT_COLUMN_STACK;
}

static struct count_waiting_cpu *count_waiting_find(struct count_waiting *waiting,
						    const struct fathom_event *event)
{
	struct count_waiting_cpu *cpu =
		u64_map_element(&waiting->places, (uint64_t)event->buffer << 32 | event->cpu,
				&waiting->cpus, &waiting->n, &waiting->cap, sizeof(*cpu));

	waiting->nomem |= !cpu;
	return cpu;
}

/* Stores the number of a stack in the keys of all rows. */
static void count_waiting_fill(const struct count_waiting *waiting, struct count_waiting_cpu *cpu,
			       enum count_half half, int64_t id)
{
	const struct count_columns *columns = waiting->table->columns;

	for (size_t i = 0; i < columns->n_keys; i++)
		for (size_t k = 0; count_column_is_half(&columns->keys[i], half) && k < cpu->n; k++)
			memcpy((char *)cpu->rows[k].key + columns->keys[i].offset, &id, sizeof(id));
}

static void count_waiting_lose(struct count_waiting *waiting, struct count_waiting_cpu *cpu,
			       enum count_half half)
{
	const struct count_columns *columns = waiting->table->columns;

	if (cpu->has[half])
		return;
	count_waiting_fill(waiting, cpu, half, COUNT_STACK_NONE);
	for (size_t i = 0; i < columns->n_keys; i++)
		waiting->no_stack += count_column_is_half(&columns->keys[i], half) ? cpu->n : 0;
}

/* Counts the event, all of whose stacks have arrived. */
static void count_waiting_settle(struct count_waiting *waiting, struct count_waiting_cpu *cpu)
{
	count_waiting_lose(waiting, cpu, COUNT_HALF_KERNEL);
	count_waiting_lose(waiting, cpu, COUNT_HALF_USER);
	for (size_t i = 0; i < cpu->n; i++)
		if (count_table_add(waiting->table, cpu->rows[i].key, cpu->rows[i].value,
				    waiting->has_spread) < 0)
			waiting->nomem = true;
	cpu->n = 0;
	memset(cpu->has, 0, sizeof(cpu->has));
	memset(cpu->others, 0, sizeof(cpu->others));
}

/*
 * Reads a stack, which extends to the end of the event, regardless of the size in the format, and
 * may be terminated before that by 0 or by a word of ones, of at least 32 bits.
 */
static uint32_t count_waiting_read(const struct decoded_event *decoded,
				   uint64_t frames[COUNT_STACK_MAX])
{
	const struct event_format *format = decoded->entry->format;
	const struct event_field *caller = event_field_find(format, "caller");
	const unsigned size = format->abi.long_size == 4 ? 4 : 8;
	const uint8_t *bytes = decoded->event->data;
	uint32_t n = 0;

	for (size_t at = caller ? caller->offset : SIZE_MAX - size;
	     n < COUNT_STACK_MAX && at + size <= decoded->event->size; at += size) {
		uint64_t address = event_read_number(format->abi, bytes + at, size);

		if ((uint32_t)address == UINT32_MAX || !address)
			break;
		frames[n++] = address;
	}
	return n;
}

static void count_waiting_take(struct count_waiting *waiting, struct count_waiting_cpu *cpu,
			       const struct decoded_event *decoded, enum count_half half)
{
	uint64_t frames[COUNT_STACK_MAX];
	struct count_stack stack = { .time = decoded->event->time, .frames = frames };
	int64_t id;

	if (!cpu->n || cpu->has[half])
		return;
	if (cpu->others[half]) {
		cpu->others[half]--;
		return;
	}
	stack.n = count_waiting_read(decoded, frames);
	if (!stack.n)
		return;
	if (half == COUNT_HALF_USER)
		stack.process = decoded->kind == DECODED_USER_STACK ? decoded->sample.process :
								      decoded->event->pid;
	id = count_stacks_put(waiting->stacks, &stack);
	waiting->nomem |= id < 0;
	cpu->has[half] = true;
	count_waiting_fill(waiting, cpu, half, id);
}

void count_waiting_feed(struct count_waiting *waiting, const struct decoded_event *decoded)
{
	const struct event_format *format = decoded->entry->format;
	struct count_waiting_cpu *cpu = count_waiting_find(waiting, decoded->event);
	const bool is_tracer = str_eq(format->system, "ftrace");

	if (!cpu)
		return;
	if (is_tracer && str_eq(format->name, "kernel_stack")) {
		count_waiting_take(waiting, cpu, decoded, COUNT_HALF_KERNEL);
	} else if (is_tracer && str_eq(format->name, "user_stack")) {
		count_waiting_take(waiting, cpu, decoded, COUNT_HALF_USER);
	} else {
		cpu->others[COUNT_HALF_KERNEL]++;
		cpu->others[COUNT_HALF_USER]++;
	}
}

void count_waiting_add(struct count_waiting *waiting, const struct fathom_event *event,
		       const void *key, uint64_t value)
{
	struct count_waiting_cpu *cpu = count_waiting_find(waiting, event);
	struct count_waiting_row *row;

	if (!cpu)
		return;
	/* It is this event itself that was the latest of the others. */
	if (cpu->others[COUNT_HALF_KERNEL] || cpu->others[COUNT_HALF_USER])
		count_waiting_settle(waiting, cpu);
	if (mem_reserve(&cpu->rows, &cpu->cap, cpu->n + 1, sizeof(*cpu->rows)) < 0) {
		waiting->nomem = true;
		return;
	}
	row = &cpu->rows[cpu->n++];
	row->value = value;
	memcpy(row->key, key, waiting->table->columns->key_size);
}

void count_waiting_end(struct count_waiting *waiting)
{
	for (size_t i = 0; i < waiting->n; i++)
		count_waiting_settle(waiting, &waiting->cpus[i]);
}

void count_waiting_done(struct count_waiting *waiting)
{
	for (size_t i = 0; i < waiting->n; i++)
		free(waiting->cpus[i].rows);
	free(waiting->cpus);
	u64_map_done(&waiting->places);
	*waiting = (struct count_waiting){ 0 };
}
