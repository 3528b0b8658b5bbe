/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Task switches and wake-ups. They tell names of tasks, which are kept for the lines
 * that follow.
 */
#include <stdlib.h>
#include <string.h>

#include "render/report-parts.h"

/* Bits of a task's state that have a letter. */
#define STATE_BITS 32

enum {
	PREV_COMM,
	PREV_PID,
	PREV_PRIO,
	PREV_STATE,
	NEXT_COMM,
	NEXT_PID,
	NEXT_PRIO
};

/* The letters for the bits of prev_state, in data of the plan. */
struct states {
	unsigned n;
	char letters[STATE_BITS];
};

/* When the format does not tell. */
static const struct states usual = { 8, { 'S', 'D', 'T', 't', 'X', 'Z', 'P', 'I' } };

/* Whatever the format tells. */
static const struct states old = { 8, { 'S', 'D', 'T', 't', 'Z', 'X', 'x', 'W' } };

/* One "{ 0x0001, "S" }" of the list; where the next one may begin, or NULL at the end. */
static const char *read_state(const char *p, const char *end, struct states *states)
{
	const char *quote;
	uint64_t mask = 0;
	unsigned bit = 0;
	char *behind;

	p = memchr(p, '{', (size_t)(end - p));
	if (!p)
		return NULL;
	quote = memchr(p, '"', (size_t)(end - p));
	if (!quote || end - quote < 3)
		return NULL;
	/* The text behind is not a number, so this ends in it. */
	mask = strtoull(p + 1, &behind, 0);
	while (mask && !(mask & 1)) {
		mask >>= 1;
		bit++;
	}
	if (mask && bit < STATE_BITS) {
		states->letters[bit] = quote[1];
		if (states->n <= bit)
			states->n = bit + 1;
	}
	return quote + 2;
}

/*
 * Finds the list of __print_flags() on prev_state in the print expression. Its
 * argument is REC->prev_state in some disguise: "REC->prev_state & ((((0x0...".
 */
static void read_states(const struct event_format *format, struct states *states)
{
	static const char call[] = "__print_flags(REC->prev_state";
	const char *start, *end;

	if (!format->print)
		return;
	start = memmem(format->print, format->print_len, call, strlen(call));
	if (!start)
		return;
	end = format->print + format->print_len;
	/* The list ends at the parenthesis that closes the call, which follows a "}". */
	for (const char *p = start; p + 1 < end; p++) {
		const char *q = p + 1;

		if (*p != '}')
			continue;
		while (q < end && *q == ' ')
			q++;
		if (q < end && *q == ')') {
			end = p;
			break;
		}
	}
	while (start)
		start = read_state(start, end, states);
}

static const struct states *get_states(const struct rendering *r)
{
	/* The plan is the report's; only this pointer in it changes, once. */
	struct event_plan *plan = (struct event_plan *)(uintptr_t)r->plan;
	struct states *states = plan->data;

	if (r->report->options->compat_31)
		return &old;
	if (states)
		return states;
	states = rendering_keep(r, sizeof(*states));
	if (!states)
		return &usual;
	read_states(plan->entry->format, states);
	if (!states->n)
		*states = usual;
	/* A bit without a letter ends the list, as it would a string. */
	for (unsigned i = 0; i < states->n; i++)
		if (!states->letters[i])
			states->n = i;
	plan->data = states;
	return states;
}

static void put_state(const struct rendering *r)
{
	const struct states *states;
	bool found = false;
	uint64_t state = 0;

	if (!r->plan->fields[PREV_STATE])
		return;
	rendering_number(r, PREV_STATE, &state);
	states = get_states(r);
	for (unsigned i = 0; i < states->n; i++) {
		if (!(state >> i & 1))
			continue;
		if (found)
			text_char(r->text, '|');
		text_char(r->text, states->letters[i]);
		found = true;
	}
	if (!found)
		text_char(r->text, 'R');
}

/* "comm:", and the name is kept. */
static void put_comm(const struct rendering *r, unsigned field, uint64_t pid)
{
	const struct event_field *comm = r->plan->fields[field];
	const char *s = r->event->data;
	size_t len;

	if (!comm)
		return;
	if (comm->offset <= r->event->size && comm->size <= r->event->size - comm->offset) {
		s += comm->offset;
		len = strnlen(s, comm->size);
		text_bytes(r->text, s, len);
		tasks_learn(&r->report->tasks, (int32_t)pid, s, len);
	}
	text_char(r->text, ':');
}

static bool print_switch(const struct rendering *r)
{
	struct text *text = r->text;
	uint64_t value;

	if (!rendering_need(r, PREV_PID, &value))
		return false;
	put_comm(r, PREV_COMM, value);
	text_u64(text, value);
	text_char(text, ' ');
	if (rendering_number(r, PREV_PRIO, &value)) {
		text_char(text, '[');
		text_s64(text, (int32_t)value);
		text_bytes(text, "] ", 2);
	}
	put_state(r);
	text_bytes(text, " ==> ", 5);
	if (!rendering_need(r, NEXT_PID, &value))
		return false;
	put_comm(r, NEXT_COMM, value);
	text_u64(text, value);
	if (rendering_number(r, NEXT_PRIO, &value)) {
		text_bytes(text, " [", 2);
		text_s64(text, (int32_t)value);
		text_char(text, ']');
	}
	return false;
}

enum {
	COMM,
	PID,
	PRIO,
	SUCCESS,
	TARGET_CPU
};

static bool print_wakeup(const struct rendering *r)
{
	struct text *text = r->text;
	uint64_t value;

	if (!rendering_need(r, PID, &value))
		return false;
	put_comm(r, COMM, value);
	text_u64(text, value);
	if (rendering_number(r, PRIO, &value)) {
		text_bytes(text, " [", 2);
		text_u64(text, value);
		text_char(text, ']');
	}
	if (rendering_number(r, SUCCESS, &value)) {
		text_str(text, " success=");
		text_u64(text, value);
	}
	if (rendering_number(r, TARGET_CPU, &value)) {
		text_str(text, " CPU:");
		text_number(text, &(struct text_number){ .value = value,
							 .base = 10,
							 .width = 3,
							 .precision = -1,
							 .zero = true });
	}
	return false;
}

#define WAKEUP_FIELDS "comm", "pid", "prio", "success", "target_cpu"

const struct event_renderer event_sched_renderers[] = {
	{ "sched",
	  "sched_switch",
	  { "prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid",
	    "next_prio" },
	  print_switch },
	{ "sched", "sched_wakeup", { WAKEUP_FIELDS }, print_wakeup },
	{ "sched", "sched_wakeup_new", { WAKEUP_FIELDS }, print_wakeup },
	{ 0 },
};
