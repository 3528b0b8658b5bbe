/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/happening.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"

#define FIELDS_MAX 5

/* Bits of common_flags. */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10

struct happening_plan {
	const struct event_entry *entry;
	enum happening_kind kind;
	const struct event_field *fields[FIELDS_MAX]; /* as the row below names them */
	const struct event_field *flags; /* common_flags, or NULL */
	struct prev_states states; /* SWITCH */
};

/* Which events mean what, and the fields that tell. One with "?" may be missing. */
static const struct {
	const char *system, *name; /* with '*' at the end or the beginning: parts of names */
	enum happening_kind kind;
	const char *fields[FIELDS_MAX];
} meanings[] = {
	{ "ftrace", "funcgraph_entry", HAPPENING_CALL, { "func", "depth" } },
	{ "ftrace", "fgraph_retaddr_entry", HAPPENING_CALL, { "func", "depth" } },
	{ "ftrace", "funcgraph_exit", HAPPENING_RETURN, { "func", "depth", "calltime", "rettime" } },
	{ "ftrace", "function", HAPPENING_FUNCTION, { "ip" } },
	{ "sched",
	  "sched_switch",
	  HAPPENING_SWITCH,
	  { "prev_pid", "next_pid", "prev_state", "?prev_comm", "?next_comm" } },
	{ "sched", "sched_waking", HAPPENING_WAKING, { "pid", "?comm" } },
	{ "sched", "sched_wakeup", HAPPENING_WAKEUP, { "pid", "?comm" } },
	{ "sched", "sched_wakeup_new", HAPPENING_WAKEUP_NEW, { "pid", "?comm" } },
	{ "sched", "sched_process_fork", HAPPENING_FORK, { "child_pid", "?child_comm" } },
	{ "sched", "sched_process_exec", HAPPENING_EXEC, { "filename" } },
	{ "sched", "sched_process_exit", HAPPENING_TASK_EXIT, { "pid" } },
	{ "task", "task_newtask", HAPPENING_NEW_TASK, { "pid", "clone_flags" } },
	{ "exceptions", "page_fault_*", HAPPENING_FAULT, { "address" } },
	{ "signal", "signal_deliver", HAPPENING_SIGNAL, { "sig" } },
	{ "fathom_*", "path_*", HAPPENING_PATH, { "path", "dir" } },
	{ "irq_vectors", "*_entry", HAPPENING_IRQ_ENTRY, { "vector" } },
	{ "irq_vectors", "*_exit", HAPPENING_IRQ_EXIT, { "vector" } },
	{ "irq", "irq_handler_entry", HAPPENING_IRQ_ENTRY, { "irq" } },
	{ "irq", "irq_handler_exit", HAPPENING_IRQ_EXIT, { "irq" } },
	{ "irq", "softirq_entry", HAPPENING_SOFTIRQ_ENTRY, { "vec" } },
	{ "irq", "softirq_exit", HAPPENING_SOFTIRQ_EXIT, { "vec" } },
	{ "irq", "softirq_raise", HAPPENING_SOFTIRQ_RAISE, { "vec" } },
	{ "block",
	  "block_rq_insert",
	  HAPPENING_BLOCK_INSERT,
	  { "dev", "sector", "nr_sector", "rwbs", "bytes" } },
	{ "block",
	  "block_rq_merge",
	  HAPPENING_BLOCK_MERGE,
	  { "dev", "sector", "nr_sector", "rwbs" } },
	{ "block",
	  "block_rq_issue",
	  HAPPENING_BLOCK_ISSUE,
	  { "dev", "sector", "nr_sector", "rwbs", "bytes" } },
	{ "block",
	  "block_rq_requeue",
	  HAPPENING_BLOCK_REQUEUE,
	  { "dev", "sector", "nr_sector", "rwbs" } },
	{ "block",
	  "block_rq_complete",
	  HAPPENING_BLOCK_COMPLETE,
	  { "dev", "sector", "nr_sector", "rwbs", "error" } },
	{ "raw_syscalls", "sys_enter", HAPPENING_SYSCALL_ENTRY, { "id", "args" } },
	{ "raw_syscalls", "sys_exit", HAPPENING_SYSCALL_EXIT, { "id", "ret" } },
	{ "syscalls", "sys_enter_*", HAPPENING_SYSCALL_ENTRY, { "__syscall_nr" } },
	{ "syscalls", "sys_exit_*", HAPPENING_SYSCALL_EXIT, { "__syscall_nr", "ret" } },
};

static bool fits(const char *name, const char *wanted)
{
	size_t len = strlen(wanted), all = strlen(name);

	if (wanted[len - 1] == '*')
		return strncmp(name, wanted, len - 1) == 0;
	if (wanted[0] == '*')
		return all >= len - 1 && str_eq(name + all - (len - 1), wanted + 1);
	return str_eq(name, wanted);
}

/* The arguments of a call stand behind its number; NULL when it has none. */
static const struct event_field *first_argument(const struct event_format *format)
{
	const struct event_field *number = event_field_find(format, "__syscall_nr");

	return number + 1 < format->fields + format->n_fields ? number + 1 : NULL;
}

static void find_meaning(struct happening_plan *plan)
{
	const struct event_format *format = plan->entry->format;

	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		if (!fits(format->system, meanings[i].system) ||
		    !fits(format->name, meanings[i].name))
			continue;
		for (size_t k = 0; k < FIELDS_MAX && meanings[i].fields[k]; k++) {
			const char *name = meanings[i].fields[k];
			bool optional = *name == '?';

			plan->fields[k] = event_field_find(format, name + optional);
			if (!plan->fields[k] && !optional)
				return;
		}
		plan->kind = meanings[i].kind;
		if (plan->kind == HAPPENING_SYSCALL_ENTRY && !plan->fields[1])
			plan->fields[1] = first_argument(format);
		plan->flags = event_field_find(format, "common_flags");
		if (plan->kind == HAPPENING_SWITCH)
			prev_states_read(format, &plan->states);
		return;
	}
}

static const struct happening_plan *make_plan(struct happening_reader *reader, uint16_t id)
{
	static const struct happening_plan other = { .kind = HAPPENING_OTHER };
	struct happening_plan *plan;

	if (!reader->plans)
		reader->plans = mem_zalloc(EVENT_TABLE_IDS, sizeof(void *));
	plan = reader->plans ? arena_zalloc(&reader->arena, 1, sizeof(*plan)) : NULL;
	if (!plan) {
		reader->nomem = true;
		return &other;
	}
	plan->entry = event_table_find(reader->table, id);
	if (plan->entry && plan->entry->format && !reader->plain)
		find_meaning(plan);
	reader->plans[id] = plan;
	return plan;
}

static uint64_t number(const struct happening_plan *plan, const struct fathom_event *event, int i)
{
	uint64_t value = 0;

	event_field_u64(plan->entry->format, plan->fields[i], event->data, event->size, &value);
	return value;
}

static int64_t signed_number(const struct happening_plan *plan, const struct fathom_event *event,
			     int i)
{
	int64_t value = 0;

	event_field_s64(plan->entry->format, plan->fields[i], event->data, event->size, &value);
	return value;
}

static struct happening_name name(const struct happening_plan *plan,
				  const struct fathom_event *event, int i)
{
	struct happening_name name = { 0 };

	if (plan->fields[i])
		event_field_string(plan->entry->format, plan->fields[i], event->data, event->size,
				   &name.s, &name.len);
	return name;
}

static enum happening_context context(const struct happening_plan *plan,
				      const struct fathom_event *event)
{
	uint64_t flags = 0;

	if (plan->flags)
		event_field_u64(plan->entry->format, plan->flags, event->data, event->size, &flags);
	if (flags & FLAG_HARDIRQ)
		return CONTEXT_HARDIRQ;
	return flags & FLAG_SOFTIRQ ? CONTEXT_SOFTIRQ : CONTEXT_TASK;
}

/* "D|K" waits for a disk, "D|N" for something to do. */
enum task_state task_state_of(const struct prev_states *states, uint64_t bits)
{
	enum task_state state = TASK_STATE_RUNNABLE;

	if (bits & states->preempted)
		return TASK_STATE_RUNNABLE;
	for (unsigned i = 0; i < states->n; i++) {
		if (!(bits >> i & 1))
			continue;
		switch (states->letters[i]) {
		case 'S':
			state = TASK_STATE_SLEEPING;
			break;
		case 'D':
			state = TASK_STATE_BLOCKED;
			break;
		case 'I':
		case 'N':
			state = TASK_STATE_IDLE;
			break;
		case 'T':
		case 't':
		case 'P':
			state = TASK_STATE_STOPPED;
			break;
		case 'X':
		case 'x':
		case 'Z':
			return TASK_STATE_DEAD;
		default:
			break;
		}
	}
	return state;
}

/* "WS", "FWFS" (flushes before and behind are no operations), "FF" (but alone they are), "RA". */
static char block_operation(const struct happening_plan *plan, const struct fathom_event *event)
{
	const char *text;
	size_t len;

	if (!event_field_string(plan->entry->format, plan->fields[3], event->data, event->size,
				&text, &len) ||
	    !len)
		return 'N';
	if (*text == 'F' && len > 1 && strchr("RWDN", text[1]))
		text++;
	return *text && strchr("RWDF", *text) ? *text : 'N';
}

static void read_block(const struct happening_plan *plan, const struct fathom_event *event,
		       struct happening *ret)
{
	ret->block.device = (uint32_t)number(plan, event, 0);
	ret->block.sector = number(plan, event, 1);
	ret->block.sectors = (uint32_t)number(plan, event, 2);
	ret->block.operation = block_operation(plan, event);
	ret->block.bytes = 0;
	ret->block.error = 0;
	if (plan->kind == HAPPENING_BLOCK_COMPLETE)
		ret->block.error = (int32_t)signed_number(plan, event, 4);
	else if (plan->fields[4])
		ret->block.bytes = (uint32_t)number(plan, event, 4);
}

static void read_fields(const struct happening_plan *plan, const struct fathom_event *event,
			struct happening *ret)
{
	uint64_t calltime, rettime;

	switch (plan->kind) {
	case HAPPENING_RETURN:
		calltime = number(plan, event, 2);
		rettime = number(plan, event, 3);
		ret->call.duration = rettime > calltime ? rettime - calltime : 0;
		__attribute__((fallthrough));
	case HAPPENING_CALL:
		ret->call.func = number(plan, event, 0);
		ret->call.depth = (int)number(plan, event, 1);
		break;
	case HAPPENING_FUNCTION:
		ret->call.func = number(plan, event, 0);
		break;
	case HAPPENING_SWITCH:
		ret->sched.prev_pid = (int32_t)number(plan, event, 0);
		ret->sched.next_pid = (int32_t)number(plan, event, 1);
		ret->sched.prev_state = signed_number(plan, event, 2);
		ret->sched.prev = task_state_of(&plan->states, (uint64_t)ret->sched.prev_state);
		ret->sched.prev_name = name(plan, event, 3);
		ret->sched.next_name = name(plan, event, 4);
		break;
	case HAPPENING_NEW_TASK:
		ret->task.pid = (int32_t)number(plan, event, 0);
		ret->task.flags = number(plan, event, 1);
		break;
	case HAPPENING_WAKING:
	case HAPPENING_WAKEUP:
	case HAPPENING_WAKEUP_NEW:
	case HAPPENING_FORK:
		ret->task.name = name(plan, event, 1);
		ret->task.context = context(plan, event);
		__attribute__((fallthrough));
	case HAPPENING_TASK_EXIT:
		ret->task.pid = (int32_t)number(plan, event, 0);
		break;
	case HAPPENING_PATH:
		ret->path.dir = signed_number(plan, event, 1);
		__attribute__((fallthrough));
	case HAPPENING_EXEC:
		if (!event_field_string(plan->entry->format, plan->fields[0], event->data,
					event->size, &ret->path.text, &ret->path.len))
			ret->path.len = 0;
		break;
	case HAPPENING_FAULT:
	case HAPPENING_SIGNAL:
		ret->amount.value = number(plan, event, 0);
		break;
	case HAPPENING_SYSCALL_EXIT:
		ret->call_number.result = signed_number(plan, event, 1);
		__attribute__((fallthrough));
	case HAPPENING_SYSCALL_ENTRY:
		if (plan->kind == HAPPENING_SYSCALL_ENTRY)
			ret->call_number.first = plan->fields[1] ? number(plan, event, 1) : 0;
		__attribute__((fallthrough));
	case HAPPENING_IRQ_ENTRY:
	case HAPPENING_IRQ_EXIT:
	case HAPPENING_SOFTIRQ_ENTRY:
	case HAPPENING_SOFTIRQ_EXIT:
	case HAPPENING_SOFTIRQ_RAISE:
		ret->call_number.number = signed_number(plan, event, 0);
		break;
	case HAPPENING_BLOCK_INSERT:
	case HAPPENING_BLOCK_MERGE:
	case HAPPENING_BLOCK_ISSUE:
	case HAPPENING_BLOCK_REQUEUE:
	case HAPPENING_BLOCK_COMPLETE:
		read_block(plan, event, ret);
		break;
	case HAPPENING_OTHER:
		break;
	}
}

void happening_read(struct happening_reader *reader, const struct fathom_event *event,
		    struct happening *ret)
{
	const struct happening_plan *plan = reader->plans ? reader->plans[event->id] : NULL;

	if (!plan)
		plan = make_plan(reader, event->id);
	ret->kind = plan->kind;
	ret->event = event;
	ret->entry = plan->entry;
	ret->unwanted = false;
	read_fields(plan, event, ret);
}

const char *happening_syscall_name(const struct happening *happening)
{
	const char *event = happening->entry->format->name;
	const char *name = str_after(event, "sys_enter_") ?: str_after(event, "sys_exit_");

	return name && *name ? name : NULL;
}

void happening_reader_done(struct happening_reader *reader)
{
	arena_done(&reader->arena);
	free(reader->plans);
	memset(reader, 0, sizeof(*reader));
}
