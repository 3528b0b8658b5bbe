/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Maps event formats to Perfetto's messages. Those that Perfetto interprets are in the table, with
 * the numbers of their fields; all others become generic events, which contain the name of each
 * field.
 */
#include "base/cleanup.h"
#include "base/str.h"
#include "read/event-table.h"
#include "render/export/export-field.h"
#include "render/export/export-perfetto.h"
#include "symbols/probe/probed-functions.h"

#define MESSAGE_FIELDS 8

/* Fields of the message Generic.Field, by type of the value. */
enum {
	GENERIC_NAME = 1,
	GENERIC_FIELD = 2,
	GENERIC_STRING = 3,
	GENERIC_INT = 4,
	GENERIC_UINT = 5,
};

static const struct message {
	const char *system, *name;
	uint32_t number; /* in FtraceEvent */
	struct {
		uint8_t number;
		bool is_symbol;
		const char *name; /* the kernel's name */
	} fields[MESSAGE_FIELDS];
} messages[] = {
	{ "ftrace", "print", EVENT_PRINT, { { 2, false, "buf" } } },
	{ "sched",
	  "sched_switch",
	  EVENT_SCHED_SWITCH,
	  { { 1, false, "prev_comm" },
	    { 2, false, "prev_pid" },
	    { 3, false, "prev_prio" },
	    { 4, false, "prev_state" },
	    { 5, false, "next_comm" },
	    { 6, false, "next_pid" },
	    { 7, false, "next_prio" } } },
#define WAKEUP(name, number)                                                             \
	{                                                                                \
		"sched", name, number,                                                   \
		{                                                                        \
			{ 1, false, "comm" }, { 2, false, "pid" }, { 3, false, "prio" }, \
				{ 4, false, "success" }, { 5, false, "target_cpu" },     \
		}                                                                        \
	}
	WAKEUP("sched_waking", EVENT_SCHED_WAKING),
	WAKEUP("sched_wakeup", 17),
	WAKEUP("sched_wakeup_new", 114),
	{ "sched",
	  "sched_blocked_reason",
	  18,
	  { { 1, false, "pid" }, { 2, true, "caller" }, { 3, false, "io_wait" } } },
	{ "sched",
	  "sched_process_exec",
	  237,
	  { { 1, false, "filename" }, { 2, false, "pid" }, { 3, false, "old_pid" } } },
	{ "sched",
	  "sched_process_exit",
	  238,
	  { { 1, false, "comm" }, { 2, false, "pid" }, { 4, false, "prio" } } },
	{ "sched",
	  "sched_process_fork",
	  239,
	  { { 1, false, "parent_comm" },
	    { 2, false, "parent_pid" },
	    { 3, false, "child_comm" },
	    { 4, false, "child_pid" } } },
	{ "sched",
	  "sched_process_free",
	  240,
	  { { 1, false, "comm" }, { 2, false, "pid" }, { 3, false, "prio" } } },
	{ "sched",
	  "sched_migrate_task",
	  491,
	  { { 1, false, "comm" },
	    { 2, false, "pid" },
	    { 3, false, "prio" },
	    { 4, false, "orig_cpu" },
	    { 5, false, "dest_cpu" } } },
	{ "task",
	  "task_newtask",
	  235,
	  { { 1, false, "pid" },
	    { 2, false, "comm" },
	    { 3, false, "clone_flags" },
	    { 4, false, "oom_score_adj" } } },
	{ "task",
	  "task_rename",
	  236,
	  { { 1, false, "pid" },
	    { 2, false, "oldcomm" },
	    { 3, false, "newcomm" },
	    { 4, false, "oom_score_adj" } } },
	{ "irq", "irq_handler_entry", 36, { { 1, false, "irq" }, { 2, false, "name" } } },
	{ "irq", "irq_handler_exit", 37, { { 1, false, "irq" }, { 2, false, "ret" } } },
	{ "irq", "softirq_entry", 24, { { 1, false, "vec" } } },
	{ "irq", "softirq_exit", 25, { { 1, false, "vec" } } },
	{ "irq", "softirq_raise", 26, { { 1, false, "vec" } } },
	{ "power", "cpu_frequency", 11, { { 1, false, "state" }, { 2, false, "cpu_id" } } },
	{ "power", "cpu_idle", 13, { { 1, false, "state" }, { 2, false, "cpu_id" } } },
	{ "workqueue",
	  "workqueue_execute_start",
	  58,
	  { { 1, false, "work" }, { 2, true, "function" } } },
	{ "workqueue",
	  "workqueue_execute_end",
	  57,
	  { { 1, false, "work" }, { 2, true, "function" } } },
	{ "signal",
	  "signal_deliver",
	  324,
	  { { 1, false, "code" }, { 2, false, "sa_flags" }, { 3, false, "sig" } } },
	{ "signal",
	  "signal_generate",
	  325,
	  { { 1, false, "code" },
	    { 2, false, "comm" },
	    { 3, false, "group" },
	    { 4, false, "pid" },
	    { 5, false, "result" },
	    { 6, false, "sig" } } },
	{ "block",
	  "block_rq_issue",
	  45,
	  { { 1, false, "dev" },
	    { 2, false, "sector" },
	    { 3, false, "nr_sector" },
	    { 4, false, "bytes" },
	    { 5, false, "rwbs" },
	    { 6, false, "comm" },
	    { 7, false, "cmd" } } },
	{ "block",
	  "block_rq_complete",
	  125,
	  { { 1, false, "dev" },
	    { 2, false, "sector" },
	    { 3, false, "nr_sector" },
	    { 5, false, "rwbs" },
	    { 6, false, "cmd" },
	    { 7, false, "error" } } },
#define BLOCK_IO(name, number)                                                                   \
	{                                                                                        \
		"block", name, number,                                                           \
		{                                                                                \
			{ 1, false, "dev" }, { 2, false, "sector" }, { 3, false, "nr_sector" },  \
				{ 4, false, "bytes" }, { 5, false, "ioprio" },                   \
				{ 6, false, "rwbs" }, { 7, false, "comm" }, { 8, false, "cmd" }, \
		}                                                                                \
	}
	BLOCK_IO("block_io_start", 546),
	BLOCK_IO("block_io_done", 547),
};

/* Events that are not encoded field by field, and the fields needed for that. */
static const struct special {
	const char *system, *name;
	enum perfetto_kind kind;
	uint32_t number; /* 0: that of the message */
	const char *fields[6];
} specials[] = {
	{ "ftrace", "bprint", PERFETTO_TEXT, EVENT_PRINT, { NULL } },
	{ "ftrace", "bputs", PERFETTO_TEXT, EVENT_PRINT, { NULL } },
	{ "ftrace", "kernel_stack", PERFETTO_TEXT, EVENT_GENERIC, { NULL } },
	{ "ftrace", "user_stack", PERFETTO_TEXT, EVENT_GENERIC, { NULL } },
	{ "sched",
	  "sched_switch",
	  PERFETTO_SWITCH,
	  0,
	  { "prev_pid", "prev_state", "next_pid", "next_prio", "next_comm" } },
	{ "sched", "sched_waking", PERFETTO_WAKING, 0, { "pid", "target_cpu", "prio", "comm" } },
	{ "task", "task_newtask", PERFETTO_NEW_TASK, 0, { "pid" } },
};

static const struct message *find_message(const struct event_format *format)
{
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
		if (str_eq(messages[i].name, format->name) &&
		    str_eq(messages[i].system, format->system))
			return &messages[i];
	return NULL;
}

static const struct special *find_special(const struct event_format *format)
{
	for (size_t i = 0; i < ARRAY_SIZE(specials); i++)
		if (str_eq(specials[i].name, format->name) &&
		    str_eq(specials[i].system, format->system))
			return &specials[i];
	return NULL;
}

static enum perfetto_op_kind op_kind(const struct event_field *field)
{
	switch (export_field_value(field)) {
	case EXPORT_VALUE_NUMBER:
		return OP_NUMBER;
	case EXPORT_VALUE_STRING:
		return OP_STRING;
	default:
		return field->kind == EVENT_FIELD_ARRAY ? OP_ELEMENTS : OP_TEXT;
	}
}

static bool plan_message(struct perfetto *perfetto, struct perfetto_plan *plan,
			 const struct message *message)
{
	plan->number = message->number;
	plan->ops = arena_zalloc(&perfetto->arena, MESSAGE_FIELDS, sizeof(plan->ops[0]));
	if (!plan->ops)
		return false;
	for (size_t i = 0; i < MESSAGE_FIELDS && message->fields[i].name; i++) {
		const struct event_field *field =
			event_field_find(plan->format, message->fields[i].name);

		if (!field)
			continue;
		plan->ops[plan->n_ops++] = (struct perfetto_op){
			.field = field,
			.number = message->fields[i].number,
			.kind = message->fields[i].is_symbol ? OP_SYMBOL : op_kind(field),
		};
	}
	return true;
}

/* Stores a string, padded, as field @number of a message. Returns NULL if memory is exhausted. */
static uint8_t *keep_string(struct perfetto *perfetto, uint8_t number, const char *s, size_t max,
			    uint32_t *ret_len)
{
	size_t len = strnlen(s, max);
	uint8_t *bytes =
		arena_zalloc(&perfetto->arena, 1, len + 2 * (size_t)PB_NUMBER_MAX + PB_PAD);

	if (bytes)
		*ret_len = (uint32_t)(pb_bytes(bytes, number, s, len) - bytes);
	return bytes;
}

/* Returns whether a field has the address of a function, for the function tracer. */
static bool export_perfetto_plan_is_function(const struct event_format *format,
					     const struct event_field *field)
{
	return str_eq(format->system, "ftrace") && str_eq(format->name, "function") &&
	       (str_eq(field->name, "ip") || str_eq(field->name, "parent_ip"));
}

static bool generic_op(struct perfetto *perfetto, const struct perfetto_plan *plan,
		       const struct event_field *field, const char *name, struct perfetto_op *op)
{
	uint32_t len = 0;
	/* Including its surroundings, its length fits in one byte. */
	uint8_t *bytes = keep_string(perfetto, GENERIC_NAME, name, 120, &len);
	bool is_number;

	if (!bytes)
		return false;
	op->field = field;
	op->kind = OP_TEXT;
	if (field)
		op->kind = export_perfetto_plan_is_function(plan->format, field) ? OP_SYMBOL_NAME :
										   op_kind(field);
	if (op->kind == OP_ELEMENTS)
		op->kind = OP_TEXT;
	is_number = op->kind == OP_NUMBER;
	op->number = !is_number ? GENERIC_STRING : field->is_signed ? GENERIC_INT : GENERIC_UINT;
	bytes[len++] = (uint8_t)(op->number << 3 | (is_number ? PB_VARINT : PB_BYTES));
	op->name = bytes;
	op->name_len = (uint8_t)len;
	return true;
}

static bool plan_head(struct perfetto *perfetto, struct perfetto_plan *plan, const char *name)
{
	plan->number = EVENT_GENERIC;
	plan->head = keep_string(perfetto, 1, name, PERFETTO_NAME_MAX, &plan->head_len);
	return plan->head;
}

static bool plan_generic(struct perfetto *perfetto, struct perfetto_plan *plan)
{
	const struct event_format *format = plan->format;

	if (!plan_head(perfetto, plan, format->name))
		return false;
	plan->ops =
		arena_zalloc(&perfetto->arena, format->n_fields + (size_t)1, sizeof(plan->ops[0]));
	if (!plan->ops)
		return false;
	for (uint32_t i = 0; i < format->n_fields; i++) {
		const struct event_field *field = &format->fields[i];

		if (!field->is_common &&
		    !generic_op(perfetto, plan, field, field->name, &plan->ops[plan->n_ops++]))
			return false;
	}
	return true;
}

/* Plans the text of the event as its only field. */
static bool plan_text(struct perfetto *perfetto, struct perfetto_plan *plan, uint32_t number)
{
	plan->number = number;
	plan->n_ops = 1;
	plan->ops = arena_zalloc(&perfetto->arena, 1, sizeof(plan->ops[0]));
	if (!plan->ops)
		return false;
	if (number == EVENT_GENERIC)
		return plan_head(perfetto, plan, plan->format->name) &&
		       generic_op(perfetto, plan, NULL, "text", &plan->ops[0]);
	plan->ops[0].number = 2;
	return true;
}

/* Plans an event for the start or end of a system call: its number and other numeric fields. */
static bool plan_call(struct perfetto *perfetto, struct perfetto_plan *plan)
{
	const struct event_format *format = plan->format;
	const struct event_field *number = plan->fields[0];

	plan->kind = PERFETTO_CALL;
	plan->number = plan->call == EXPORT_CALL_ENTER ? EVENT_SYS_ENTER : EVENT_SYS_EXIT;
	plan->ops =
		arena_zalloc(&perfetto->arena, format->n_fields + (size_t)1, sizeof(plan->ops[0]));
	if (!plan->ops)
		return false;
	plan->ops[plan->n_ops++] = (struct perfetto_op){ .field = number, .number = 1 };
	for (uint32_t i = 0; i < format->n_fields; i++) {
		const struct event_field *field = &format->fields[i];
		enum perfetto_op_kind kind = op_kind(field);

		if (!field->is_common && field != number &&
		    (kind == OP_NUMBER || kind == OP_ELEMENTS))
			plan->ops[plan->n_ops++] =
				(struct perfetto_op){ .field = field, .number = 2, .kind = kind };
	}
	return true;
}

/* Also plans the event as a generic one. */
static bool plan_plain(struct perfetto *perfetto, struct perfetto_plan *plan)
{
	plan->plain = arena_zalloc(&perfetto->arena, 1, sizeof(*plan));
	if (!plan->plain)
		return false;
	plan->plain->format = plan->format;
	return plan_generic(perfetto, plan->plain);
}

static bool fill_plan(struct perfetto *perfetto, struct perfetto_plan *plan)
{
	const struct message *message = find_message(plan->format);
	const struct special *special = find_special(plan->format);
	const struct probed_functions *users = perfetto->slices.nest.users.users;
	bool ok = true;

	plan->flags = event_field_find(plan->format, "common_flags");
	plan->call = export_call_kind(plan->format, &plan->fields[0]);
	if (special) {
		plan->kind = special->kind;
		plan->number = special->number;
		for (size_t i = 0; i < ARRAY_SIZE(plan->fields) && special->fields[i]; i++)
			plan->fields[i] = event_field_find(plan->format, special->fields[i]);
	}
	/* Functions that are not shown as slices: the text contains their name. */
	if (users && users->system && str_eq(plan->format->system, users->system) &&
	    str_eq(plan->format->name, PROBED_FUNCTIONS_ENTER)) {
		plan->kind = PERFETTO_TEXT;
		return plan_text(perfetto, plan, EVENT_GENERIC);
	}
	if (special && special->kind == PERFETTO_TEXT)
		ok = plan_text(perfetto, plan, special->number);
	else if (plan->call)
		ok = plan_call(perfetto, plan);
	else if (message)
		ok = plan_message(perfetto, plan, message);
	else if (!special)
		ok = plan_generic(perfetto, plan);
	if (ok && plan->kind == PERFETTO_CALL)
		ok = plan_plain(perfetto, plan);
	return ok;
}

const struct perfetto_plan *perfetto_make_plan(struct export *export, unsigned id)
{
	struct perfetto *perfetto = export->state;
	struct event_entry *entry = event_table_find(report_events(export->input->report), id);
	struct perfetto_plan *plan = &perfetto->unknown;

	if (!entry) {
		if (!plan->head && !plan_head(perfetto, plan, "unknown"))
			perfetto->nomem = true;
	} else {
		plan = arena_zalloc(&perfetto->arena, 1, sizeof(*plan));
		if (plan)
			plan->format = entry->format;
		if (!plan || !fill_plan(perfetto, plan)) {
			perfetto->nomem = true;
			return &perfetto->unknown;
		}
	}
	perfetto->plans[id] = plan;
	return plan;
}
