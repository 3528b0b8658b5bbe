/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/decoded-event.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/event/sample-event.h"
#include "symbols/probe/probed-functions.h"

#define PARTS_MAX  64 /* of a text, that are looked for */
#define FIELDS_MAX 6

/* The kinds that have @call. */
#define CALL_KINDS                                                                  \
	(1ULL << DECODED_CALL | 1ULL << DECODED_RETURN | 1ULL << DECODED_FUNCTION | \
	 1ULL << DECODED_PROBE | 1ULL << DECODED_PROBE_RETURN | 1ULL << DECODED_USER)

/* Bits of common_flags. */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10

struct decode_plan {
	const struct event_entry *entry;
	enum decoded_kind kind;
	const struct event_field *fields[FIELDS_MAX]; /* as the row below names them */
	const struct event_field *flags; /* common_flags, or NULL */
	struct prev_states states; /* SWITCH */
	bool is_end; /* USER */
};

/* Which events mean what, and the fields that tell. One with "?" may be missing. */
static const struct {
	const char *system, *name; /* with '*' at the end or the beginning: parts of names */
	enum decoded_kind kind;
	const char *fields[FIELDS_MAX];
} meanings[] = {
	{ "ftrace", "funcgraph_entry", DECODED_CALL, { "func", "depth", "?args" } },
	{ "ftrace", "fgraph_retaddr_entry", DECODED_CALL, { "func", "depth", "?args" } },
	{ "ftrace",
	  "funcgraph_exit",
	  DECODED_RETURN,
	  { "func", "depth", "calltime", "rettime", "?retval" } },
	{ "ftrace", "function", DECODED_FUNCTION, { "ip" } },
	{ "sched",
	  "sched_switch",
	  DECODED_SWITCH,
	  { "prev_pid", "next_pid", "prev_state", "?prev_comm", "?next_comm" } },
	{ "sched", "sched_waking", DECODED_WAKING, { "pid", "?comm" } },
	{ "sched", "sched_wakeup", DECODED_WAKEUP, { "pid", "?comm" } },
	{ "sched", "sched_wakeup_new", DECODED_WAKEUP_NEW, { "pid", "?comm" } },
	{ "sched", "sched_process_fork", DECODED_FORK, { "child_pid", "?child_comm" } },
	{ "sched", "sched_process_exec", DECODED_EXEC, { "filename", "?old_pid" } },
	{ "sched", "sched_process_exit", DECODED_TASK_EXIT, { "pid" } },
	{ "task", "task_newtask", DECODED_NEW_TASK, { "pid", "clone_flags" } },
	{ "exceptions", "page_fault_*", DECODED_FAULT, { "address", "?error_code" } },
	{ "signal",
	  "signal_deliver",
	  DECODED_SIGNAL,
	  { "sig", "?code", "?sa_handler", "?sa_flags" } },
	{ "signal", "signal_generate", DECODED_SIGNAL_SENT, { "sig", "?code", "pid", "?result" } },
	{ "oom", "mark_victim", DECODED_OOM_KILL, { "pid" } },
	{ "fathom_*", "path_*", DECODED_PATH, { "path", "dir" } },
	{ "fathom_*", "written", DECODED_WRITTEN, { "text", "fd", "?size" } },
	{ "fathom_*", "written_parts", DECODED_WRITTEN, { "text0", "fd", "size0", "n" } },
	{ "fathom_*", "netlink_answer", DECODED_NETLINK, { "error", "type", "text", "head" } },
	{ "fathom_*", "capability", DECODED_CAPABILITY, { "cap" } },
	{ "timer", "hrtimer_expire_entry", DECODED_TIMER_ENTRY, { "hrtimer" } },
	{ "timer", "hrtimer_expire_exit", DECODED_TIMER_EXIT, { "hrtimer" } },
	{ "timer", "timer_expire_entry", DECODED_TIMER_ENTRY, { "timer" } },
	{ "timer", "timer_expire_exit", DECODED_TIMER_EXIT, { "timer" } },
	{ "irq_vectors", "*_entry", DECODED_IRQ_ENTRY, { "vector" } },
	{ "irq_vectors", "*_exit", DECODED_IRQ_EXIT, { "vector" } },
	{ "irq", "irq_handler_entry", DECODED_IRQ_ENTRY, { "irq" } },
	{ "irq", "irq_handler_exit", DECODED_IRQ_EXIT, { "irq" } },
	{ "irq", "softirq_entry", DECODED_SOFTIRQ_ENTRY, { "vec" } },
	{ "irq", "softirq_exit", DECODED_SOFTIRQ_EXIT, { "vec" } },
	{ "irq", "softirq_raise", DECODED_SOFTIRQ_RAISE, { "vec" } },
	{ "block",
	  "block_rq_insert",
	  DECODED_BLOCK_INSERT,
	  { "dev", "sector", "nr_sector", "rwbs", "bytes" } },
	{ "block", "block_rq_merge", DECODED_BLOCK_MERGE, { "dev", "sector", "nr_sector", "rwbs" } },
	{ "block",
	  "block_rq_issue",
	  DECODED_BLOCK_ISSUE,
	  { "dev", "sector", "nr_sector", "rwbs", "bytes" } },
	{ "block",
	  "block_rq_requeue",
	  DECODED_BLOCK_REQUEUE,
	  { "dev", "sector", "nr_sector", "rwbs" } },
	{ "block",
	  "block_rq_complete",
	  DECODED_BLOCK_COMPLETE,
	  { "dev", "sector", "nr_sector", "rwbs", "error" } },
	{ "netlink", "netlink_extack", DECODED_SAID, { "msg" } },
	{ "io_uring", "io_uring_create", DECODED_URING, { "ctx" } },
	{ "io_uring",
	  "io_uring_submit_*",
	  DECODED_URING_SUBMIT,
	  { "ctx", "user_data", "req", "opcode", "sq_thread" } },
	/* It is not even begun. */
	{ "io_uring",
	  "io_uring_req_failed",
	  DECODED_URING_SUBMIT,
	  { "ctx", "user_data", "req", "opcode" } },
	{ "io_uring",
	  "io_uring_complete",
	  DECODED_URING_COMPLETE,
	  { "ctx", "user_data", "?req", "res" } },
	{ "ftrace", "user_stack", DECODED_USER_STACK, { "caller", "?tgid" } },
	{ SAMPLE_SYSTEM,
	  SAMPLE_NAME,
	  DECODED_SAMPLE,
	  { "stack", "ns", "tgid", "kernel", "?end", "?event" } },
	/* Made by probes of programs, and not by the programs; they have no end. */
	{ "syscalls", "sys_enter_uretprobe", DECODED_OTHER, { "__syscall_nr" } },
	{ "syscalls", "sys_enter_uprobe", DECODED_OTHER, { "__syscall_nr" } },
	{ "raw_syscalls", "sys_enter", DECODED_SYSCALL_ENTRY, { "id", "args" } },
	{ "raw_syscalls", "sys_exit", DECODED_SYSCALL_EXIT, { "id", "ret" } },
	{ "syscalls", "sys_enter_*", DECODED_SYSCALL_ENTRY, { "__syscall_nr" } },
	{ "syscalls", "sys_exit_*", DECODED_SYSCALL_EXIT, { "__syscall_nr", "ret" } },
	/* Probes have any name. */
	{ "*", "*", DECODED_PROBE_RETURN, { "__probe_func", "__probe_ret_ip" } },
	{ "*", "*", DECODED_PROBE, { "__probe_ip" } },
};

static bool decoded_event_fits(const char *name, const char *wanted)
{
	size_t len = strlen(wanted), all = strlen(name);

	if (wanted[len - 1] == '*')
		return strncmp(name, wanted, len - 1) == 0;
	if (wanted[0] == '*')
		return all >= len - 1 && str_eq(name + all - (len - 1), wanted + 1);
	return str_eq(name, wanted);
}

/* What stands behind the field: the first argument of a call, a result; NULL when there is none. */
static const struct event_field *field_behind(const struct event_format *format, const char *name)
{
	const struct event_field *field = event_field_find(format, name);

	return field && field + 1 < format->fields + format->n_fields ? field + 1 : NULL;
}

/* Finds the fields of a row. False: one that must be there is not. */
static bool find_fields(struct decode_plan *plan, const char *const names[FIELDS_MAX])
{
	for (size_t k = 0; k < FIELDS_MAX && names[k]; k++) {
		bool optional = *names[k] == '?';

		plan->fields[k] = event_field_find(plan->entry->format, names[k] + optional);
		if (!plan->fields[k] && !optional)
			return false;
	}
	return true;
}

/* What a probe has recorded first at a return is its result, if it is a number. */
static const struct event_field *find_result(const struct event_format *format)
{
	const struct event_field *field = field_behind(format, "__probe_ret_ip");

	return field && (field->kind == EVENT_FIELD_INT || field->kind == EVENT_FIELD_POINTER) ?
		       field :
		       NULL;
}

/* Is it one of the two events of functions in programs? */
static bool find_user_call(struct decode_plan *plan, const struct probed_functions *users)
{
	static const char *const enter[FIELDS_MAX] = { PROBED_FUNCTIONS_NUMBER, "__probe_ip",
						       PROBED_FUNCTIONS_STACK };
	static const char *const leave[FIELDS_MAX] = { PROBED_FUNCTIONS_NUMBER, "__probe_func" };
	const struct event_format *format = plan->entry->format;

	if (!users || !users->system || !str_eq(format->system, users->system))
		return false;
	plan->is_end = str_eq(format->name, PROBED_FUNCTIONS_LEAVE);
	if (!(plan->is_end ?
		      find_fields(plan, leave) :
		      str_eq(format->name, PROBED_FUNCTIONS_ENTER) && find_fields(plan, enter)))
		return false;
	plan->kind = DECODED_USER;
	plan->flags = event_field_find(format, "common_flags");
	return true;
}

static void find_meaning(struct decode_plan *plan, const struct probed_functions *users)
{
	const struct event_format *format = plan->entry->format;

	if (find_user_call(plan, users))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		if (!decoded_event_fits(format->system, meanings[i].system) ||
		    !decoded_event_fits(format->name, meanings[i].name) ||
		    !find_fields(plan, meanings[i].fields))
			continue;
		plan->kind = meanings[i].kind;
		if (plan->kind == DECODED_SYSCALL_ENTRY && !plan->fields[1])
			plan->fields[1] = field_behind(format, "__syscall_nr");
		if (plan->kind == DECODED_PROBE_RETURN)
			plan->fields[2] = find_result(format);
		plan->flags = event_field_find(format, "common_flags");
		if (plan->kind == DECODED_SWITCH)
			prev_states_read(format, &plan->states);
		return;
	}
}

static const struct decode_plan *event_decoder_make_plan(struct event_decoder *reader, uint16_t id)
{
	static const struct decode_plan other = { .kind = DECODED_OTHER };
	struct decode_plan *plan;

	if (!reader->plans)
		reader->plans = mem_zalloc(EVENT_TABLE_IDS, sizeof(void *));
	plan = reader->plans ? arena_zalloc(&reader->arena, 1, sizeof(*plan)) : NULL;
	if (!plan) {
		reader->nomem = true;
		return &other;
	}
	plan->entry = event_table_find(reader->table, id);
	if (plan->entry && plan->entry->format && !reader->plain)
		find_meaning(plan, reader->table->users);
	reader->plans[id] = plan;
	return plan;
}

static uint64_t decoded_number(const struct decode_plan *plan, const struct fathom_event *event,
			       int i)
{
	uint64_t value = 0;

	event_field_u64(plan->entry->format, plan->fields[i], event->data, event->size, &value);
	return value;
}

static int64_t signed_number(const struct decode_plan *plan, const struct fathom_event *event,
			     int i)
{
	int64_t value = 0;

	event_field_s64(plan->entry->format, plan->fields[i], event->data, event->size, &value);
	return value;
}

static struct decoded_name name(const struct decode_plan *plan, const struct fathom_event *event,
				int i)
{
	struct decoded_name name = { 0 };

	if (plan->fields[i])
		event_field_string(plan->entry->format, plan->fields[i], event->data, event->size,
				   &name.s, &name.len);
	return name;
}

static enum decoded_context stream_decoded_context(const struct decode_plan *plan,
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
static char block_operation(const struct decode_plan *plan, const struct fathom_event *event)
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

static void event_decoder_read_block(const struct decode_plan *plan,
				     const struct fathom_event *event, struct decoded_event *ret)
{
	ret->block.device = (uint32_t)decoded_number(plan, event, 0);
	ret->block.sector = decoded_number(plan, event, 1);
	ret->block.sectors = (uint32_t)decoded_number(plan, event, 2);
	ret->block.operation = block_operation(plan, event);
	ret->block.context = stream_decoded_context(plan, event);
	ret->block.bytes = 0;
	ret->block.error = 0;
	if (plan->kind == DECODED_BLOCK_COMPLETE)
		ret->block.error = (int32_t)signed_number(plan, event, 4);
	else if (plan->fields[4])
		ret->block.bytes = (uint32_t)decoded_number(plan, event, 4);
}

static void read_call(const struct decode_plan *plan, const struct fathom_event *event,
		      struct decoded_event *ret)
{
	ret->call.func = decoded_number(plan, event, 0);
	ret->call.depth = (int)decoded_number(plan, event, 1);
	ret->call.more = NULL;
}

static void read_return(const struct decode_plan *plan, const struct fathom_event *event,
			struct decoded_event *ret)
{
	uint64_t calltime = decoded_number(plan, event, 2),
		 rettime = decoded_number(plan, event, 3);

	ret->call.duration = rettime > calltime ? rettime - calltime : 0;
	ret->call.end = rettime;
	ret->call.has_more = plan->fields[4];
	if (ret->call.has_more)
		ret->call.result = signed_number(plan, event, 4);
	read_call(plan, event, ret);
}

static void read_user_call(const struct decode_plan *plan, const struct probed_functions *users,
			   const struct fathom_event *event, struct decoded_event *ret)
{
	const struct probed_function *function;
	uint64_t value = decoded_number(plan, event, 0);

	ret->call.func = value < PROBED_FUNCTIONS_MAX ? probed_function_address((uint32_t)value) :
							0;
	function = probed_functions_find(users, ret->call.func);
	ret->call.is_user = true;
	ret->call.is_end = plan->is_end;
	ret->call.stack = plan->fields[2] ? decoded_number(plan, event, 2) : 0;
	if (!function)
		ret->kind = DECODED_OTHER;
	else if (!function->returns)
		ret->kind = DECODED_FUNCTION;
}

static void read_stack(const struct decode_plan *plan, const struct fathom_event *event,
		       struct decoded_event *ret)
{
	ret->sample.stack = plan->fields[0];
	ret->sample.kernel = 0;
	ret->sample.end = SAMPLE_END_UNTOLD;
	if (plan->kind == DECODED_USER_STACK) {
		ret->sample.process = plan->fields[1] ? (int32_t)decoded_number(plan, event, 1) :
							event->pid;
		return;
	}
	ret->sample.ns = decoded_number(plan, event, 1);
	ret->sample.process = (int32_t)decoded_number(plan, event, 2);
	ret->sample.kernel = (uint32_t)decoded_number(plan, event, 3);
	if (plan->fields[4])
		ret->sample.end = decoded_number(plan, event, 4);
	/* One that was taken at an event stands for no time. */
	if (plan->fields[5] && decoded_number(plan, event, 5))
		ret->kind = DECODED_USER_STACK;
}

/* Text that a probe has copied as far as the next null byte, of which the program writes @size bytes. False: it is not known. */
static bool written_text(const struct event_format *format, const struct event_field *field,
			 const struct fathom_event *event, uint64_t size, const char **ret_text,
			 size_t *ret_len)
{
	static const char fault[] =
		"(fault)"; /* what the kernel has for memory that it cannot read */
	size_t len;

	if (!field || !event_field_string(format, field, event->data, event->size, ret_text, &len))
		return false;
	*ret_len = len < size ? len : (size_t)size;
	return (len || !size) &&
	       !(len == strlen(fault) && memcmp(*ret_text, fault, strlen(fault)) == 0);
}

static void read_written(const struct decode_plan *plan, const struct fathom_event *event,
			 struct decoded_event *ret)
{
	ret->path.dir = signed_number(plan, event, 1);
	ret->path.parts = plan->fields[3] ? decoded_number(plan, event, 3) : 0;
	if (ret->path.parts > PARTS_MAX)
		ret->path.parts = PARTS_MAX;
	if (!written_text(plan->entry->format, plan->fields[0], event,
			  plan->fields[2] ? decoded_number(plan, event, 2) : SIZE_MAX,
			  &ret->path.text, &ret->path.len)) {
		ret->path.text = NULL;
		ret->path.len = 0;
	}
}

static void read_netlink(const struct decode_plan *plan, const struct fathom_event *event,
			 struct decoded_event *ret)
{
	int64_t error = signed_number(plan, event, 0);

	ret->netlink.error = error < 0 && error >= INT32_MIN + 1 ? (int32_t)-error : 0;
	ret->netlink.type = (uint16_t)decoded_number(plan, event, 1);
	ret->netlink.head = plan->fields[3];
	ret->netlink.text = (struct decoded_name){ 0 };
	if (!written_text(plan->entry->format, plan->fields[2], event, SIZE_MAX,
			  &ret->netlink.text.s, &ret->netlink.text.len))
		ret->netlink.text = (struct decoded_name){ 0 };
}

static void read_uring(const struct decode_plan *plan, const struct fathom_event *event,
		       struct decoded_event *ret)
{
	memset(&ret->uring, 0, sizeof(ret->uring));
	ret->uring.ring = decoded_number(plan, event, 0);
	if (plan->kind == DECODED_URING)
		return;
	ret->uring.data = decoded_number(plan, event, 1);
	if (plan->fields[2])
		ret->uring.request = decoded_number(plan, event, 2);
	if (plan->kind == DECODED_URING_COMPLETE)
		ret->uring.result = (int32_t)signed_number(plan, event, 3);
	else
		ret->uring.operation = (uint8_t)decoded_number(plan, event, 3);
	ret->uring.is_polled = plan->fields[4] && decoded_number(plan, event, 4);
}

static void read_request(const struct decode_plan *plan, const struct fathom_event *event,
			 struct decoded_event *ret)
{
	if (plan->kind == DECODED_NETLINK)
		read_netlink(plan, event, ret);
	else if (plan->kind != DECODED_SAID)
		read_uring(plan, event, ret);
	else if (!written_text(plan->entry->format, plan->fields[0], event, SIZE_MAX,
			       &ret->path.text, &ret->path.len))
		ret->path.len = 0;
}

static void event_decoder_read_path(const struct decode_plan *plan,
				    const struct fathom_event *event, struct decoded_event *ret)
{
	if (plan->kind != DECODED_EXEC)
		ret->path.dir = signed_number(plan, event, 1);
	else
		ret->path.old_pid = plan->fields[1] ? (int32_t)decoded_number(plan, event, 1) :
						      event->pid;
	if (!event_field_string(plan->entry->format, plan->fields[0], event->data, event->size,
				&ret->path.text, &ret->path.len))
		ret->path.len = 0;
}

static void read_signal(const struct decode_plan *plan, const struct fathom_event *event,
			struct decoded_event *ret)
{
	memset(&ret->signal, 0, sizeof(ret->signal));
	ret->signal.number = (int32_t)decoded_number(plan, event, 0);
	ret->signal.has_code = plan->fields[1];
	if (plan->fields[1])
		ret->signal.code = (int32_t)signed_number(plan, event, 1);
	if (plan->kind == DECODED_SIGNAL_SENT) {
		ret->signal.pid = (int32_t)decoded_number(plan, event, 2);
		if (plan->fields[3])
			ret->signal.result = (int32_t)decoded_number(plan, event, 3);
		return;
	}
	ret->signal.has_action = plan->fields[2] && plan->fields[3];
	if (ret->signal.has_action) {
		ret->signal.handler = decoded_number(plan, event, 2);
		ret->signal.flags = decoded_number(plan, event, 3);
	}
}

static void read_switch(const struct decode_plan *plan, const struct fathom_event *event,
			struct decoded_event *ret)
{
	uint64_t bits = (uint64_t)signed_number(plan, event, 2);

	ret->sched.prev_pid = (int32_t)decoded_number(plan, event, 0);
	ret->sched.next_pid = (int32_t)decoded_number(plan, event, 1);
	ret->sched.prev = task_state_of(&plan->states, bits);
	ret->sched.is_preempted = bits & plan->states.preempted;
	ret->sched.prev_name = name(plan, event, 3);
	ret->sched.next_name = name(plan, event, 4);
}

static void event_decoder_read_fields(const struct decode_plan *plan,
				      const struct fathom_event *event, struct decoded_event *ret)
{
	switch (plan->kind) {
	case DECODED_RETURN:
		read_return(plan, event, ret);
		break;
	case DECODED_CALL:
		ret->call.has_more = plan->fields[2] && event->size > plan->fields[2]->offset;
		read_call(plan, event, ret);
		break;
	case DECODED_PROBE_RETURN:
		ret->call.has_more = plan->fields[2];
		if (ret->call.has_more)
			ret->call.result = signed_number(plan, event, 2);
		__attribute__((fallthrough));
	case DECODED_PROBE:
		ret->call.func = decoded_number(plan, event, 0);
		ret->call.more = NULL;
		/* Those of programs have other names. */
		if (plan->entry->format->abi.long_size == 8 && !(ret->call.func >> 63))
			ret->kind = DECODED_OTHER;
		break;
	case DECODED_FUNCTION:
		ret->call.func = decoded_number(plan, event, 0);
		break;
	case DECODED_SWITCH:
		read_switch(plan, event, ret);
		break;
	case DECODED_NEW_TASK:
		ret->task.pid = (int32_t)decoded_number(plan, event, 0);
		ret->task.flags = decoded_number(plan, event, 1);
		break;
	case DECODED_WAKING:
	case DECODED_WAKEUP:
	case DECODED_WAKEUP_NEW:
	case DECODED_FORK:
		ret->task.name = name(plan, event, 1);
		ret->task.context = stream_decoded_context(plan, event);
		__attribute__((fallthrough));
	case DECODED_TASK_EXIT:
	case DECODED_OOM_KILL:
		ret->task.pid = (int32_t)decoded_number(plan, event, 0);
		break;
	case DECODED_WRITTEN:
		read_written(plan, event, ret);
		break;
	case DECODED_PATH:
	case DECODED_EXEC:
		event_decoder_read_path(plan, event, ret);
		break;
	case DECODED_SIGNAL:
	case DECODED_SIGNAL_SENT:
		read_signal(plan, event, ret);
		break;
	case DECODED_SAID:
	case DECODED_NETLINK:
	case DECODED_URING:
	case DECODED_URING_SUBMIT:
	case DECODED_URING_COMPLETE:
		read_request(plan, event, ret);
		break;
	case DECODED_FAULT:
	case DECODED_CAPABILITY:
		ret->amount.value = decoded_number(plan, event, 0);
		ret->amount.error = plan->fields[1] ? decoded_number(plan, event, 1) : 0;
		break;
	case DECODED_SYSCALL_EXIT:
		ret->call_number.old_pid = 0; /* by exec-pids.h */
		ret->call_number.result = signed_number(plan, event, 1);
		__attribute__((fallthrough));
	case DECODED_SYSCALL_ENTRY:
		if (plan->kind == DECODED_SYSCALL_ENTRY)
			ret->call_number.first = plan->fields[1] ? decoded_number(plan, event, 1) :
								   0;
		__attribute__((fallthrough));
	case DECODED_IRQ_ENTRY:
	case DECODED_IRQ_EXIT:
	case DECODED_SOFTIRQ_ENTRY:
	case DECODED_SOFTIRQ_EXIT:
	case DECODED_SOFTIRQ_RAISE:
		ret->call_number.number = signed_number(plan, event, 0);
		break;
	case DECODED_BLOCK_INSERT:
	case DECODED_BLOCK_MERGE:
	case DECODED_BLOCK_ISSUE:
	case DECODED_BLOCK_REQUEUE:
	case DECODED_BLOCK_COMPLETE:
		event_decoder_read_block(plan, event, ret);
		break;
	case DECODED_SAMPLE:
	case DECODED_USER_STACK:
		read_stack(plan, event, ret);
		break;
	case DECODED_USER: /* by read_user_call() */
	case DECODED_TIMER_ENTRY:
	case DECODED_TIMER_EXIT:
	case DECODED_OTHER:
		break;
	}
}

void event_decoder_read(struct event_decoder *reader, const struct fathom_event *event,
			struct decoded_event *ret)
{
	const struct decode_plan *plan = reader->plans ? reader->plans[event->id] : NULL;

	if (!plan)
		plan = event_decoder_make_plan(reader, event->id);
	ret->kind = plan->kind;
	ret->event = event;
	ret->entry = plan->entry;
	ret->unwanted = false;
	ret->early = ret->late = false;
	ret->joined = false;
	if (CALL_KINDS >> plan->kind & 1)
		memset(&ret->call, 0, sizeof(ret->call));
	if (plan->kind == DECODED_USER)
		read_user_call(plan, reader->table->users, event, ret);
	else
		event_decoder_read_fields(plan, event, ret);
}

const char *decoded_syscall_name(const struct decoded_event *decoded)
{
	const char *event = decoded->entry ? decoded->entry->format->name : "";
	const char *name = str_after(event, "sys_enter_") ?: str_after(event, "sys_exit_");

	return name && *name ? name : NULL;
}

bool decoded_syscall_argument(const struct decoded_event *decoded, unsigned i, uint64_t *ret_value)
{
	const struct event_format *format = decoded->entry->format;
	const struct event_field *field = field_behind(format, "__syscall_nr");

	if (!field || i >= (size_t)(format->fields + format->n_fields - field))
		return false;
	return event_field_u64(format, field + i, decoded->event->data, decoded->event->size,
			       ret_value);
}

bool decoded_part(const struct decoded_event *decoded, size_t i, const char **ret_text,
		  size_t *ret_len)
{
	const struct event_format *format = decoded->entry->format;
	const struct fathom_event *event = decoded->event;
	const struct event_field *field;
	char text[32], size[32];
	uint64_t bytes = 0;

	snprintf(text, sizeof(text), "text%zu", i);
	snprintf(size, sizeof(size), "size%zu", i);
	field = event_field_find(format, size);
	if (!field || !event_field_u64(format, field, event->data, event->size, &bytes))
		return false;
	return written_text(format, event_field_find(format, text), event, bytes, ret_text,
			    ret_len);
}

bool decoded_byte(const struct decoded_event *decoded, size_t i, uint8_t *ret_byte)
{
	uint64_t value;

	if (!event_field_element(decoded->entry->format, decoded->netlink.head,
				 decoded->event->data, decoded->event->size, i, &value))
		return false;
	*ret_byte = (uint8_t)value;
	return true;
}

bool decoded_frame(const struct decoded_event *decoded, size_t i, uint64_t *ret_address)
{
	return event_field_element(decoded->entry->format, decoded->sample.stack,
				   decoded->event->data, decoded->event->size, i, ret_address);
}

void event_decoder_done(struct event_decoder *reader)
{
	arena_done(&reader->arena);
	free(reader->plans);
	memset(reader, 0, sizeof(*reader));
}
