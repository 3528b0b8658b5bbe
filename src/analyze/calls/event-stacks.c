/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls/event-stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/event/sample-event.h"

enum kind {
	UNKNOWN,
	OTHER,
	WANTED,
	WANTED_OWN, /* contains its stack */
	SAMPLE, /* a sample; field "event" is set if it was taken at an event */
	KERNEL_STACK,
	USER_STACK,
};

/* The last matching event, while it waits for its stacks. */
struct event_stacks_cpu {
	bool waits;
	bool has_kernel, has_user;
	unsigned others_kernel,
		others_user; /* later events, of interrupts, whose stacks come first */
	struct sample_stack stack;
};

int event_stacks_init(struct event_stacks *stacks, struct sample_tree *tree,
		      struct event_table *events, const char *pattern, struct fathom_err *err)
{
	int r = match_init(&stacks->match, pattern, MATCH_WHOLE, err);

	if (r < 0)
		return r;
	stacks->tree = tree;
	stacks->events = events;
	stacks->with_system = strchr(pattern, ':');
	stacks->kinds = mem_zalloc(EVENT_TABLE_IDS, sizeof(*stacks->kinds));
	return stacks->kinds ? 0 : err_nomem(err);
}

void event_stacks_done(struct event_stacks *stacks)
{
	match_done(&stacks->match);
	u64_map_done(&stacks->places);
	free(stacks->kinds);
	free(stacks->cpus);
}

static bool event_stacks_fits(const struct event_stacks *stacks, const struct event_format *format)
{
	char name[256];

	if (!stacks->with_system)
		return match_test(&stacks->match, format->name);
	snprintf(name, sizeof(name), "%s:%s", format->system, format->name);
	return match_test(&stacks->match, name);
}

static enum kind event_stacks_find_kind(const struct event_stacks *stacks,
					const struct event_format *format)
{
	if (str_eq(format->system, "ftrace") && str_eq(format->name, "kernel_stack"))
		return KERNEL_STACK;
	if (str_eq(format->system, "ftrace") && str_eq(format->name, "user_stack"))
		return USER_STACK;
	if (!event_stacks_fits(stacks, format))
		return str_eq(format->system, SAMPLE_SYSTEM) && str_eq(format->name, SAMPLE_NAME) ?
			       SAMPLE :
			       OTHER;
	return event_field_find(format, "stack") && event_field_find(format, "kernel") &&
			       event_field_find(format, "tgid") ?
		       WANTED_OWN :
		       WANTED;
}

static uint64_t event_stacks_number(const struct event_format *format, const char *name,
				    const struct fathom_event *event, uint64_t otherwise)
{
	const struct event_field *field = event_field_find(format, name);
	uint64_t value;

	return field && event_field_u64(format, field, event->data, event->size, &value) ?
		       value :
		       otherwise;
}

/* Counts the waiting event, all of whose stacks have arrived. */
static void event_stacks_hand_on(struct event_stacks *stacks, struct event_stacks_cpu *cpu)
{
	if (!cpu->waits)
		return;
	cpu->waits = false;
	if (!cpu->stack.n)
		stacks->bare++;
	else
		sample_tree_add(stacks->tree, &cpu->stack);
}

static void event_stacks_begin(struct event_stacks *stacks, struct event_stacks_cpu *cpu,
			       const struct fathom_event *event)
{
	stacks->count++;
	cpu->waits = true;
	cpu->has_kernel = cpu->has_user = false;
	cpu->others_kernel = cpu->others_user = 0;
	cpu->stack.pid = cpu->stack.process = event->pid;
	cpu->stack.time = event->time;
	cpu->stack.weight = 1;
	cpu->stack.n = cpu->stack.kernel = 0;
	cpu->stack.end = 0;
}

static void event_stacks_push(struct sample_stack *stack, uint64_t address)
{
	if (stack->n < SAMPLE_STACK_MAX)
		stack->frames[stack->n++] = address;
}

/* Reads the stack of a sample or memory hit. */
static void event_stacks_take_own(struct event_stacks_cpu *cpu, const struct event_format *format,
				  const struct fathom_event *event)
{
	const struct event_field *field = event_field_find(format, "stack");
	uint64_t address;

	for (size_t i = 0; i < SAMPLE_STACK_MAX && event_field_element(format, field, event->data,
								       event->size, i, &address);
	     i++)
		event_stacks_push(&cpu->stack, address);
	cpu->stack.kernel = (uint32_t)event_stacks_number(format, "kernel", event, 0);
	cpu->stack.end = event_stacks_number(format, "end", event, 0);
	cpu->stack.process =
		(int32_t)event_stacks_number(format, "tgid", event, (uint32_t)event->pid);
}

/*
 * Returns whether this stack is that of the waiting event, rather than that of an interrupt's
 * event.
 */
static bool is_due(const struct event_stacks_cpu *cpu, unsigned *others, bool *has)
{
	if (!cpu->waits || *has)
		return false;
	if (*others) {
		--*others;
		return false;
	}
	*has = true;
	return true;
}

/* The stack extends to the end of the event, regardless of the size in the format. */
static void take_kernel(struct event_stacks_cpu *cpu, const struct event_format *format,
			const struct fathom_event *event)
{
	const struct event_field *caller = event_field_find(format, "caller");
	unsigned size = format->abi.long_size == 4 ? 4 : 8;
	const uint8_t *bytes = event->data;

	if (!caller || cpu->has_user || !is_due(cpu, &cpu->others_kernel, &cpu->has_kernel))
		return;
	for (size_t at = caller->offset; at + size <= event->size; at += size) {
		uint64_t address = event_read_number(format->abi, bytes + at, size);

		/* Terminated by a word of ones, at least 32 bits. */
		if ((uint32_t)address == UINT32_MAX || !address)
			break;
		event_stacks_push(&cpu->stack, address);
	}
	cpu->stack.kernel = cpu->stack.n;
}

static void take_user(struct event_stacks_cpu *cpu, const struct event_format *format,
		      const struct fathom_event *event)
{
	const struct event_field *caller = event_field_find(format, "caller");
	uint64_t address;

	if (!caller || !is_due(cpu, &cpu->others_user, &cpu->has_user))
		return;
	cpu->stack.process =
		(int32_t)event_stacks_number(format, "tgid", event, (uint32_t)event->pid);
	for (size_t i = 0;
	     event_field_element(format, caller, event->data, event->size, i, &address); i++) {
		if (!address || (uint32_t)address == UINT32_MAX)
			break;
		event_stacks_push(&cpu->stack, address);
	}
}

static struct event_stacks_cpu *event_stacks_find_cpu(struct event_stacks *stacks,
						      const struct fathom_event *event)
{
	struct event_stacks_cpu *cpu =
		u64_map_element(&stacks->places, (uint64_t)event->buffer << 32 | event->cpu,
				&stacks->cpus, &stacks->n, &stacks->cap, sizeof(*cpu));

	if (!cpu)
		stacks->nomem = true;
	return cpu;
}

/* Returns UNKNOWN for an event without a known format. */
static enum kind event_stacks_kind_of(struct event_stacks *stacks, uint64_t id,
				      const struct event_format **ret_format)
{
	const struct event_entry *entry =
		id < EVENT_TABLE_IDS ? event_table_find(stacks->events, (uint16_t)id) : NULL;

	if (!entry || !entry->format)
		return UNKNOWN;
	*ret_format = entry->format;
	if (stacks->kinds[id] == UNKNOWN)
		stacks->kinds[id] = (uint8_t)event_stacks_find_kind(stacks, entry->format);
	return (enum kind)stacks->kinds[id];
}

/*
 * Counts a sample taken at an event. That event itself gets no stack: event_stacks_finish()
 * subtracts those.
 */
static void take_sample(struct event_stacks *stacks, struct event_stacks_cpu *cpu,
			const struct event_format *format, const struct fathom_event *event)
{
	const struct event_format *of = NULL;

	if (event_stacks_kind_of(stacks, event_stacks_number(format, "event", event, 0), &of) !=
	    WANTED)
		return;
	event_stacks_hand_on(stacks, cpu);
	event_stacks_begin(stacks, cpu, event);
	stacks->count--;
	stacks->sampled++;
	event_stacks_take_own(cpu, format, event);
	event_stacks_hand_on(stacks, cpu);
}

void event_stacks_feed(struct event_stacks *stacks, const struct fathom_event *event, bool unwanted)
{
	const struct event_format *format = NULL;
	enum kind kind = event_stacks_kind_of(stacks, event->id, &format);
	struct event_stacks_cpu *cpu = kind != UNKNOWN ? event_stacks_find_cpu(stacks, event) :
							 NULL;

	if (!cpu)
		return;
	if (kind == KERNEL_STACK) {
		take_kernel(cpu, format, event);
	} else if (kind == USER_STACK) {
		take_user(cpu, format, event);
	} else if (kind == SAMPLE && !unwanted) {
		take_sample(stacks, cpu, format, event);
	} else if (kind == OTHER || kind == SAMPLE || unwanted) {
		cpu->others_kernel++;
		cpu->others_user++;
	} else {
		event_stacks_hand_on(stacks, cpu);
		event_stacks_begin(stacks, cpu, event);
		if (kind == WANTED_OWN)
			event_stacks_take_own(cpu, format, event);
	}
}

int event_stacks_finish(struct event_stacks *stacks)
{
	for (size_t i = 0; i < stacks->n; i++)
		event_stacks_hand_on(stacks, &stacks->cpus[i]);
	stacks->bare -= stacks->sampled < stacks->bare ? stacks->sampled : stacks->bare;
	if (stacks->count < stacks->sampled)
		stacks->count = stacks->sampled;
	return stacks->nomem || stacks->tree->nomem || stacks->events->nomem ? -ENOMEM : 0;
}
