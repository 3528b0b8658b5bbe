/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Context switches and wakeups. Task names in these events are remembered for the following lines.
 */
#include <string.h>

#include "base/quote.h"
#include "format/event/prev-state.h"
#include "render/report/report-parts.h"

enum {
	PREV_COMM,
	PREV_PID,
	PREV_PRIO,
	PREV_STATE,
	NEXT_COMM,
	NEXT_PID,
	NEXT_PRIO
};

/* trace-cmd 3.1 uses these, regardless of the format. */
static const struct prev_states old = { 8, { 'S', 'D', 'T', 't', 'Z', 'X', 'x', 'W' }, 0 };
/* Used if memory is exhausted. */
static const struct prev_states usual = { 8, { 'S', 'D', 'T', 't', 'X', 'Z', 'P', 'I' }, 0 };

static const struct prev_states *get_states(const struct rendering *r)
{
	/* The report owns the plan; only this pointer is set, once. */
	struct event_plan *plan = (struct event_plan *)(uintptr_t)r->plan;
	struct prev_states *states = plan->data;

	if (r->report->options->compat_31)
		return &old;
	if (states)
		return states;
	states = rendering_keep(r, sizeof(*states));
	if (!states)
		return &usual;
	prev_states_read(plan->entry->format, states);
	plan->data = states;
	return states;
}

static void put_state(const struct rendering *r)
{
	const struct prev_states *states;
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

/* Appends "comm:" and remembers the name. */
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
		quote_text(r->text, s, len);
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
