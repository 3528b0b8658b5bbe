/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/devices/irqs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"

#define DEPTH	    16 /* open runs per CPU; no kernel nests that many */
#define VECTORS	    32 /* the kernel's mask of pending softirqs has 32 bits */
#define HANDLER_MAX 64

struct open_run {
	uint32_t row;
	int32_t pid;
	uint64_t start;
	enum irq_kind kind;
	bool is_unwanted;
	int64_t number;
};

enum raised {
	RAISED_UNKNOWN,
	RAISED_NO,
	RAISED_YES,
};

struct irqs_cpu {
	uint32_t number;
	struct open_run open[DEPTH]; /* outermost first */
	size_t n;
	struct {
		enum raised state;
		uint64_t time;
	} raised[VECTORS];
};

const char *irqs_softirq_name(int64_t number)
{
	/* These numbers are the same in all kernels. */
	static const char *const names[] = { "HI",	 "TIMER",   "NET_TX", "NET_RX",	 "BLOCK",
					     "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU" };

	return number >= 0 && number < (int64_t)ARRAY_SIZE(names) ? names[number] : NULL;
}

static struct irqs_cpu *irqs_find_cpu(struct irqs *irqs, const struct fathom_event *event)
{
	struct irqs_cpu *cpu =
		u64_map_element(&irqs->places, (uint64_t)event->buffer << 32 | event->cpu,
				&irqs->cpus, &irqs->n_cpus, &irqs->cap_cpus, sizeof(*irqs->cpus));

	if (!cpu)
		irqs->nomem = true;
	else
		cpu->number = event->cpu;
	return cpu;
}

static uint64_t irqs_key_of(enum irq_kind kind, int64_t number, uint32_t cpu)
{
	return (uint64_t)cpu << 34 | (uint64_t)kind << 32 | (uint32_t)number;
}

/* Returns where the first row of a number is stored, or NULL if memory is exhausted. */
static uint32_t *find_first(struct irqs *irqs, enum irq_kind kind, int64_t number, uint32_t cpu)
{
	uint32_t *first = u64_map_element(&irqs->numbers, irqs_key_of(kind, number, cpu),
					  &irqs->firsts, &irqs->n_firsts, &irqs->cap_firsts,
					  sizeof(*irqs->firsts));

	if (!first)
		irqs->nomem = true;
	return first;
}

const char *irqs_name(const struct irqs *irqs, enum irq_kind kind, int64_t number)
{
	uint64_t key = irqs_key_of(kind, number, IRQS_ALL_CPUS);
	uint32_t place = irqs->by_cpu ? U64_MAP_NONE : u64_map_get(&irqs->numbers, key);

	if (place >= irqs->n_firsts || !irqs->firsts[place])
		return NULL;
	return irqs->list[irqs->firsts[place] - 1].name;
}

static const char *keep_name(struct irqs *irqs, const char *name, size_t len)
{
	const char *copy = arena_strndup(&irqs->arena, name, len);

	if (!copy)
		irqs->nomem = true;
	return copy;
}

/*
 * Returns the index of a handler's row, adding it if necessary; handlers can share a number. A row
 * without a name receives that of the first named handler. Without @name, any row of the number
 * matches. Returns UINT32_MAX if memory is exhausted.
 */
static uint32_t irqs_find_row(struct irqs *irqs, enum irq_kind kind, int64_t number, uint32_t cpu,
			      const char *name, size_t len)
{
	uint32_t *at;

	cpu = irqs->by_cpu ? cpu : IRQS_ALL_CPUS;
	at = find_first(irqs, kind, number, cpu);
	if (!at)
		return UINT32_MAX;
	for (; *at; at = &irqs->list[*at - 1].next) {
		struct irq_row *row = &irqs->list[*at - 1];

		if (!row->name && name)
			row->name = keep_name(irqs, name, len);
		if (!name || (row->name && strncmp(row->name, name, len) == 0 && !row->name[len]))
			return *at - 1;
	}
	/* Set it before the list moves: @at may point into it. */
	*at = (uint32_t)irqs->n + 1;
	if (irqs->n >= UINT32_MAX - 1 ||
	    mem_reserve(&irqs->list, &irqs->cap, irqs->n + 1, sizeof(*irqs->list)) < 0) {
		*at = 0;
		irqs->nomem = true;
		return UINT32_MAX;
	}
	irqs->list[irqs->n] = (struct irq_row){
		.kind = kind,
		.number = number,
		.cpu = cpu,
		.name = name ? keep_name(irqs, name, len) : NULL,
	};
	return (uint32_t)irqs->n++;
}

static bool irqs_ends_with(const char *s, size_t len, const char *end)
{
	return len > strlen(end) && memcmp(s + len - strlen(end), end, strlen(end)) == 0;
}

/* Finds "local_timer" in "local_timer_entry". */
static size_t vector_name(const struct event_format *format, const char **ret_name)
{
	size_t len = strlen(format->name);

	*ret_name = format->name;
	if (irqs_ends_with(format->name, len, "_entry"))
		return len - strlen("_entry");
	return irqs_ends_with(format->name, len, "_exit") ? len - strlen("_exit") : len;
}

static enum irq_kind irqs_kind_of(const struct decoded_event *decoded)
{
	const struct event_format *format = decoded->entry ? decoded->entry->format : NULL;

	if (decoded->kind == DECODED_SOFTIRQ_ENTRY || decoded->kind == DECODED_SOFTIRQ_EXIT)
		return IRQ_SOFT;
	return format && format->system && str_eq(format->system, "irq_vectors") ? IRQ_VECTOR :
										   IRQ_DEVICE;
}

static uint32_t irqs_row_of(struct irqs *irqs, const struct decoded_event *decoded,
			    enum irq_kind kind)
{
	int64_t number = decoded->call_number.number;
	const struct event_format *format = decoded->entry ? decoded->entry->format : NULL;
	const struct fathom_event *event = decoded->event;
	const struct event_field *field;
	const char *name = NULL;
	size_t len = 0;

	if (kind == IRQ_SOFT) {
		name = irqs_softirq_name(number);
		len = name ? strlen(name) : 0;
	} else if (kind == IRQ_VECTOR) {
		len = vector_name(format, &name);
	} else {
		/* The exit event has no name. */
		field = format ? event_field_find(format, "name") : NULL;
		if (field &&
		    !event_field_string(format, field, event->data, event->size, &name, &len))
			name = NULL;
	}
	return irqs_find_row(irqs, kind, number, event->cpu, len ? name : NULL,
			     len < HANDLER_MAX ? len : HANDLER_MAX);
}

static void irqs_cut(struct irqs *irqs, const struct open_run *run)
{
	if (!run->is_unwanted && !irqs->is_early)
		irqs->list[run->row].cut++;
}

/* Removes the open run @n. */
static void remove_open(struct irqs_cpu *cpu, size_t n)
{
	cpu->n--;
	memmove(&cpu->open[n], &cpu->open[n + 1], (cpu->n - n) * sizeof(cpu->open[0]));
}

/* Adds it to @latency if it is completely in the window, otherwise its part to @partial. */
static void irqs_add(struct irqs *irqs, const struct instance *instance, struct latency *latency,
		     uint64_t *partial)
{
	uint64_t end = instance->start + instance->duration;

	if (instance->start >= irqs->from) {
		if (latency_add(latency, instance) < 0)
			irqs->nomem = true;
	} else if (end > irqs->from) {
		*partial += end - irqs->from;
	}
}

/* Counts the wait from the raise to @run, if known. */
static void irqs_end_wait(struct irqs *irqs, struct irqs_cpu *cpu, const struct open_run *run)
{
	struct irq_row *row = &irqs->list[run->row];
	uint64_t raised;

	if (run->number < 0 || run->number >= VECTORS)
		return;
	raised = cpu->raised[run->number].time;
	if (cpu->raised[run->number].state == RAISED_YES && !run->is_unwanted && !irqs->is_early &&
	    run->start >= raised) {
		const struct instance instance = { .start = raised,
						   .duration = run->start - raised,
						   .pid = run->pid,
						   .cpu = cpu->number };

		irqs_add(irqs, &instance, &row->waited, &row->waited_partial);
	}
	cpu->raised[run->number].state = irqs->no_waits ? RAISED_UNKNOWN : RAISED_NO;
}

static void irqs_feed_entry(struct irqs *irqs, struct irqs_cpu *cpu,
			    const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	enum irq_kind kind = irqs_kind_of(decoded);
	struct open_run run = { .row = irqs_row_of(irqs, decoded, kind),
				.pid = event->pid,
				.start = event->time,
				.kind = kind,
				.is_unwanted = decoded->unwanted,
				.number = decoded->call_number.number };

	if (run.row == UINT32_MAX)
		return;
	if (kind == IRQ_SOFT)
		irqs_end_wait(irqs, cpu, &run);
	if (cpu->n == DEPTH) {
		irqs_cut(irqs, &cpu->open[0]);
		remove_open(cpu, 0);
	}
	cpu->open[cpu->n++] = run;
}

static void irqs_feed_exit(struct irqs *irqs, struct irqs_cpu *cpu,
			   const struct decoded_event *decoded)
{
	enum irq_kind kind = irqs_kind_of(decoded);
	const struct fathom_event *event = decoded->event;
	int64_t number = decoded->call_number.number;
	struct instance instance = { .pid = event->pid, .cpu = event->cpu };
	const struct open_run *run;
	size_t at = cpu->n;
	uint32_t row;

	/* Tasks that run softirqs can be preempted by others that do so as well. */
	while (at > 0 && !(cpu->open[at - 1].kind == kind && cpu->open[at - 1].number == number &&
			   cpu->open[at - 1].pid == event->pid))
		at--;
	if (!at) {
		row = decoded->unwanted || irqs->is_early ? UINT32_MAX :
							    irqs_row_of(irqs, decoded, kind);
		if (row != UINT32_MAX)
			irqs->list[row].cut++;
		return;
	}
	for (size_t i = cpu->n; i-- > at;) {
		if (cpu->open[i].pid != event->pid)
			continue;
		irqs_cut(irqs, &cpu->open[i]);
		remove_open(cpu, i);
	}
	run = &cpu->open[at - 1];
	instance.start = run->start;
	instance.duration = event->time > run->start ? event->time - run->start : 0;
	irqs->list[run->row].cut += !run->is_unwanted && !irqs->is_early && run->start < irqs->from;
	if (!run->is_unwanted && !irqs->is_early)
		irqs_add(irqs, &instance, &irqs->list[run->row].took,
			 &irqs->list[run->row].took_partial);
	remove_open(cpu, at - 1);
}

static void feed_raise(struct irqs_cpu *cpu, const struct decoded_event *decoded)
{
	int64_t number = decoded->call_number.number;

	if (number < 0 || number >= VECTORS || cpu->raised[number].state != RAISED_NO)
		return;
	cpu->raised[number].state = RAISED_YES;
	cpu->raised[number].time = decoded->event->time;
}

static void irqs_feed_gap(struct irqs *irqs, struct irqs_cpu *cpu)
{
	for (size_t i = 0; i < cpu->n; i++)
		irqs_cut(irqs, &cpu->open[i]);
	*cpu = (struct irqs_cpu){ .number = cpu->number };
}

void irqs_feed(struct irqs *irqs, const struct decoded_event *decoded)
{
	enum decoded_kind kind = decoded->kind;
	bool is_one = IRQS_FILTERED >> kind & 1 || kind == DECODED_SOFTIRQ_RAISE;
	struct irqs_cpu *cpu;

	if (!is_one && !decoded->event->missed)
		return;
	cpu = irqs_find_cpu(irqs, decoded->event);
	if (!cpu)
		return;
	irqs->is_early = decoded->early;
	if (decoded->event->missed)
		irqs_feed_gap(irqs, cpu);
	if (kind == DECODED_IRQ_ENTRY || kind == DECODED_SOFTIRQ_ENTRY)
		irqs_feed_entry(irqs, cpu, decoded);
	else if (kind == DECODED_IRQ_EXIT || kind == DECODED_SOFTIRQ_EXIT)
		irqs_feed_exit(irqs, cpu, decoded);
	else if (kind == DECODED_SOFTIRQ_RAISE)
		feed_raise(cpu, decoded);
}

/* Returns the length of the part inside the window of an interval that began at @start. */
static uint64_t irqs_rest(const struct irqs *irqs, uint64_t start, uint64_t to)
{
	if (start < irqs->from)
		start = irqs->from;
	return to > start ? to - start : 0;
}

static void finish_waits(struct irqs *irqs, const struct irqs_cpu *cpu, uint64_t to)
{
	for (int64_t i = 0; i < VECTORS && !irqs->is_filtered; i++) {
		const char *name = irqs_softirq_name(i);
		uint32_t row = cpu->raised[i].state == RAISED_YES ?
				       irqs_find_row(irqs, IRQ_SOFT, i, cpu->number, name,
						     name ? strlen(name) : 0) :
				       UINT32_MAX;

		if (row != UINT32_MAX)
			irqs->list[row].waited_partial += irqs_rest(irqs, cpu->raised[i].time, to);
	}
}

int irqs_finish(struct irqs *irqs, uint64_t to)
{
	irqs->is_early = to < irqs->from;
	for (size_t i = 0; i < irqs->n_cpus; i++) {
		const struct irqs_cpu *cpu = &irqs->cpus[i];

		for (size_t k = 0; k < cpu->n; k++)
			if (!cpu->open[k].is_unwanted)
				irqs->list[cpu->open[k].row].took_partial +=
					irqs_rest(irqs, cpu->open[k].start, to);
		finish_waits(irqs, cpu, to);
		irqs_feed_gap(irqs, &irqs->cpus[i]);
	}
	return irqs->nomem ? -ENOMEM : 0;
}

bool irq_row_is_seen(const struct irq_row *row)
{
	return row->took.count || row->cut || row->waited.count || row->took_partial ||
	       row->waited_partial;
}

void irqs_done(struct irqs *irqs)
{
	for (size_t i = 0; i < irqs->n; i++) {
		latency_done(&irqs->list[i].took);
		latency_done(&irqs->list[i].waited);
	}
	u64_map_done(&irqs->numbers);
	u64_map_done(&irqs->places);
	arena_done(&irqs->arena);
	free(irqs->firsts);
	free(irqs->list);
	free(irqs->cpus);
	memset(irqs, 0, sizeof(*irqs));
}
