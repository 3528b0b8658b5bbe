/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The meaning of filters, on synthetic records. */
#include "test.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "read/filter.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct {
	const char *system;
	const char *text;
} texts[] = {
	{ "sched", "name: sched_switch\nID: 1\n" COMMON
		   "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		   "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		   "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
		   "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:1;\n"
		   "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
		   "\tfield:unsigned int next_prio;\toffset:60;\tsize:4;\tsigned:0;\n\n"
		   "print fmt: \"x\"\n" },
	{ "sched", "name: sched_wakeup\nID: 2\n" COMMON
		   "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		   "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\n"
		   "print fmt: \"x\"\n" },
	{ "raw_syscalls",
	  "name: sys_exit\nID: 3\n" COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	  "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
	  "print fmt: \"x\"\n" },
	{ "ftrace", "name: function\nID: 4\n" COMMON
		    "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		    "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
		    "print fmt: \"x\"\n" },
	{ "ftrace", "name: funcgraph_exit\nID: 5\n" COMMON
		    "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
		    "\tfield:unsigned long retval;\toffset:16;\tsize:8;\tsigned:0;\n"
		    "\tfield:int depth;\toffset:24;\tsize:4;\tsigned:1;\n"
		    "\tfield:unsigned long long calltime;\toffset:32;\tsize:8;\tsigned:0;\n"
		    "\tfield:unsigned long long rettime;\toffset:40;\tsize:8;\tsigned:0;\n\n"
		    "print fmt: \"x\"\n" },
	{ "raw_syscalls",
	  "name: sys_enter\nID: 6\n" COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	  "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"
	  "print fmt: \"x\"\n" },
	{ "sched", "name: sched_process_exec\nID: 7\n" COMMON
		   "\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:1;\n"
		   "\tfield:pid_t old_pid;\toffset:12;\tsize:4;\tsigned:1;\n\n"
		   "print fmt: \"x\"\n" },
	{ "ftrace", "name: kernel_stack\nID: 8\n" COMMON
		    "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n\n"
		    "print fmt: \"x\"\n" },
};

enum {
	SWITCH,
	WAKEUP,
	EXIT,
	FUNCTION,
	GRAPH,
	ENTER,
	EXEC,
	STACK,
	N_FORMATS
};

static struct arena format_arena;
static struct event_format *formats[N_FORMATS];

static int parse_formats(void **state)
{
	struct event_abi abi = { .long_size = 8,
				 .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

	for (int i = 0; i < N_FORMATS; i++)
		if (event_format_parse(texts[i].text, strlen(texts[i].text), texts[i].system, abi,
				       &format_arena, &formats[i], NULL) < 0)
			return -1;
	return 0;
}

static int free_formats(void **state)
{
	arena_done(&format_arena);
	return 0;
}

static const struct {
	const char *name;
	uint64_t start, end;
} functions[] = {
	{ "vfs_read", 0xffffffff81000000, 0xffffffff81000100 },
	{ "vfs_write", 0xffffffff81000100, 0xffffffff81000200 },
	{ "schedule", 0xffffffff81000200, 0xffffffff81000300 },
	/* a static function of the same name */
	{ "vfs_read", 0xffffffff81000300, 0xffffffff81000400 },
};

static size_t ranges(void *arg, const char *name, struct filter_range *found, size_t max)
{
	size_t n = 0;

	for (int i = 3; i >= 0; i--) {
		if (!str_eq(functions[i].name, name))
			continue;
		if (n < max)
			found[n] = (struct filter_range){ functions[i].start, functions[i].end };
		n++;
	}
	return n;
}

static unsigned name_lookups;

static const char *name_of(void *arg, uint64_t address)
{
	name_lookups++;
	for (int i = 0; i < 4; i++)
		if (address >= functions[i].start && address < functions[i].end)
			return functions[i].name;
	return NULL;
}

static void each(void *arg, bool (*fn)(void *fn_arg, const char *name), void *fn_arg)
{
	for (int i = 0; i < 4; i++)
		if (fn(fn_arg, functions[i].name))
			return;
}

static const char *comm_of(void *arg, const struct filter_event *event)
{
	return event->pid == 42 ? "stat" : event->pid == 43 ? "trace-cmd" : NULL;
}

static bool tgid_of(void *arg, const struct filter_event *event, int32_t *ret)
{
	*ret = event->pid / 10 * 10;
	return event->pid != 99;
}

static const struct filter_env env = {
	.function_ranges = ranges,
	.function_name = name_of,
	.function_each = each,
	.comm = comm_of,
	.tgid = tgid_of,
};

union record {
	struct {
		uint16_t type;
		uint8_t flags, preempt;
		int32_t pid;
		union {
			struct {
				char prev_comm[16];
				int32_t prev_pid, prev_prio;
				int64_t prev_state;
				char next_comm[16];
				int32_t next_pid;
				uint32_t next_prio;
			};
			struct {
				char comm[16];
				int32_t wakee;
			};
			struct {
				uint64_t func, retval;
				int32_t depth, pad;
				uint64_t calltime, rettime;
			};
			struct {
				int64_t id, ret;
			};
			struct {
				int64_t nr;
				uint64_t args[6];
			};
			struct {
				uint32_t loc;
				int32_t old_pid;
				char text[16];
			};
		};
	};
	char bytes[96];
};

static union record switch_record = { { .type = 1,
					.pid = 42,
					.prev_comm = "stat",
					.prev_pid = 42,
					.prev_prio = -5,
					.prev_state = 1,
					.next_comm = "tar",
					.next_pid = 7,
					.next_prio = UINT32_MAX } };
static union record wakeup_record = { { .type = 2, .pid = 42, .comm = "bash", .wakee = 5 } };
static union record exit_record = { { .type = 3, .pid = 43, .id = 4, .ret = -2 } };
static union record function_record = {
	{ .type = 4, .pid = 42, .func = 0xffffffff81000010, .retval = 0xffffffff81000210 }
};
static union record graph_record = { { .type = 5,
				       .pid = 42,
				       .func = 0xffffffff81000150,
				       .retval = UINT64_MAX - 12,
				       .depth = 3,
				       .calltime = 1000000,
				       .rettime = 1015000 } };
static union record enter_record = { { .type = 6, .pid = 42, .nr = 257, .args = { 3, 4096 } } };
static union record exec_record = {
	{ .type = 7, .pid = 42, .loc = 9 << 16 | 16, .old_pid = 42, .text = "/bin/tar" }
};
static union record stack_record = { { .type = 8, .pid = 42 } };

static union record *const records[N_FORMATS] = { &switch_record,   &wakeup_record, &exit_record,
						  &function_record, &graph_record,  &enter_record,
						  &exec_record,	    &stack_record };

static struct filter_event event_of(int which)
{
	return (struct filter_event){ .time = 12600000000,
				      .cpu = 1,
				      .pid = records[which]->pid,
				      .format = formats[which],
				      .data = records[which]->bytes,
				      .size = sizeof(union record) };
}

/* Parses and binds a filter. Returns NULL after an error, which is in @err. */
static struct filter *make(struct arena *arena, const char *text, struct fathom_err *err)
{
	struct filter *filter;

	if (filter_parse(text, arena, &filter, err) < 0 ||
	    filter_bind(filter, (const struct event_format *const *)formats, N_FORMATS, &env, err) <
		    0)
		return NULL;
	return filter;
}

/* Returns one letter for each event that matches. */
static const char *matching(const char *text)
{
	static const char letters[] = "SWXFGEPK";
	static char result[N_FORMATS + 1];
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	struct filter *filter = make(&arena, text, &err);
	size_t n = 0;

	if (!filter) {
		arena_done(&arena);
		fail_msg("'%s': %s", text, fathom_err_text(&err));
	}
	for (int i = 0; i < N_FORMATS; i++) {
		struct filter_event event = event_of(i);

		if (filter_match(filter, &event)) {
			result[n++] = letters[i];
			assert_true(filter_wants(filter, formats[i]));
		}
	}
	result[n] = '\0';
	arena_done(&arena);
	return result;
}

#define assert_matches(text, events) assert_string_equal(matching(text), events)

static void trace_cmd_filters_work(void **state)
{
	assert_matches("sched_switch: prev_pid == 42", "S");
	assert_matches("sched/sched_switch : prev_pid != 42", "");
	assert_matches("sched: common_pid == 42", "SWP");
	assert_matches("sched_switch,sys_exit:common_pid>=42", "SX");
	assert_matches("sched / sched_switch , raw_syscalls : id == 4 || next_pid == 7", "SX");
	assert_matches(".*:COMM != \"trace-cmd\"", "SWFGEPK");
	assert_matches("sys_.*: id > 0", "XE");
	assert_matches("SCHED_SWITCH: CPU == 1", "S");
	assert_matches("sched_switch", "S");
	assert_matches("sched", "SWP");
	assert_matches("sched_switch,sys_exit", "SX");
	assert_matches("sched/sched_switch", "S");
	assert_matches("sched_switch: next_comm =~ \"^T\"", "S");
	assert_matches("sched_switch: next_comm !~ \"^T\"", "");
	assert_matches("sched_switch: prev_state & 1", "S");
	assert_matches("sched_switch: !(prev_pid == 42) || next_pid == 7", "S");
	assert_matches("function: ip == \"vfs_read\"", "F");
	assert_matches("function: ip == \"nosuch\"", "");
	assert_matches("function: ip != \"nosuch\"", "F");
	assert_matches("sched_switch:", "S");
	assert_matches("sched_switch: TIMESTAMP > 12600000000", "");
	assert_matches("sched_*: common_pid == 42", "SWP");
	assert_matches("*_exit: common_pid == 42", "G");
}

static void missing_fields_behave_as_in_trace_cmd(void **state)
{
	assert_matches("sched: bogus == 1 || common_pid == 42", "SWP");
	assert_matches("sched: next_pid == 7", "S");
	assert_matches("sched: !(next_pid == 7)", "WP");
}

static void and_and_or_have_equal_precedence_after_a_colon(void **state)
{
	assert_matches("sched_switch: prev_pid == 42 || prev_pid == 1 && next_pid == 1", "");
	assert_matches("sched_switch and (prev_pid == 42 or prev_pid == 1 and next_pid == 1)", "S");
	assert_matches("sched_switch and prev_pid == 42 or sys_exit and prev_pid == 1", "S");
}

static void short_filters_work(void **state)
{
	assert_matches("sched_switch and next_comm ~ \"ta*\"", "S");
	assert_matches("next_comm ~ ta*", "S");
	assert_matches("vfs_* and dur > 10us", "G");
	assert_matches("vfs_* and dur > 15.0us", "");
	assert_matches("vfs_* and dur >= 15\xc2\xb5s", "G");
	assert_matches("vfs_read", "F");
	assert_matches("schedule", "");
	assert_matches("comm == stat", "SWFGEPK");
	assert_matches("comm == trace-cmd", "X");
	assert_matches("cpu == 1 and sys_exit", "X");
	assert_matches("ret < 0", "XG");
	assert_matches("ret == -13", "G");
	assert_matches("pid in (43, 44)", "X");
	assert_matches("pid not in (43, 44)", "SWFGEPK");
	assert_matches("time > 12.5s and time < 12.7 and not pid == 42", "X");
	assert_matches("time < 12.6", "");
	assert_matches("tgid == 40 and sched_wakeup", "W");
	assert_matches("raw_syscalls:sys_exit", "X");
	assert_matches("raw_syscalls:sys_* and id == 257 or sched:sched_wakeup", "WE");
	assert_matches("raw_syscalls/sys_exit or function", "XF");
	assert_matches("event == sys_exit or event ~ \"*wakeup\"", "WX");
	assert_matches("system == sched", "SWP");
	assert_matches("event in (sys_exit, sys_enter)", "XE");
	assert_matches("buffer == \"\" and sys_exit", "X");
	assert_matches("func == vfs_write", "G");
	assert_matches("func != vfs_write", "F");
	assert_matches("func ~ \"vfs_*\" and depth == 3", "G");
	assert_matches("parent_ip == schedule", "F");
	assert_matches("parent_ip.function == schedule", "F");
	assert_matches("args[1] == 4K", "E");
	assert_matches("args[7] == 0 or args[6] == 0", "");
	assert_matches("filename ~ \"*/tar\"", "P");
	assert_matches("filename == \"/bin/tar\"", "P");
	assert_matches("prev_comm == next_comm", "");
	assert_matches("prev_comm != next_comm", "S");
	assert_matches("next_pid == old_pid or prev_pid == 42", "S");
	assert_matches("5 < next_pid", "S");
	assert_matches("next_pid + 1 == 8", "S");
	assert_matches("next_pid * 2 - 4 == 20 / 2", "S");
	assert_matches("(next_pid & 4) == 4", "S");
	assert_matches("next_pid & 4 == 4", "S");
	assert_matches("(next_pid) == (7)", "S");
	assert_matches("((sched_switch))", "S");
	assert_matches("(sched_switch, function) and pid == 42", "SF");
	assert_matches("not (sched or raw_syscalls)", "FGK");
	assert_matches("not vfs_read and function, funcgraph_exit", "G");
	assert_matches("*", "SWXFGEPK");
}

/* Facts take precedence without events before the colon, fields with them. */
static void names_are_resolved_as_documented(void **state)
{
	assert_matches("pid == 5", "");
	assert_matches("sched_wakeup and pid == 42", "W");
	assert_matches("sched_wakeup: pid == 5", "W");
	assert_matches("sched_wakeup.pid == 5", "W");
	assert_matches("sched_wakeup.comm == bash", "W");
	assert_matches("sched_wakeup: comm == \"bash\" && COMM == \"stat\"", "W");
	assert_matches("sched: pid == 42", "");
	assert_matches("sched: pid == 5", "W");
	assert_matches("sched_switch: pid == 42", "S");
	assert_matches("sched: CPU == 1 && COMM == \"stat\"", "SWP");
}

static void unknown_values_never_match(void **state)
{
	assert_matches("next_pid == 7", "S");
	assert_matches("not next_pid == 7", "");
	assert_matches("next_pid != 8", "S");
	assert_matches("not (next_pid == 7 and pid == 42)", "X");
	assert_matches("not (next_pid == 7 or pid == 42)", "");
	assert_matches("next_pid / 0 * 0 == 0 or sys_exit", "X");
	assert_matches("not next_pid << 64 == 0 or sys_exit", "X");
}

static void numbers_compare_as_numbers(void **state)
{
	assert_matches("prev_prio < 0", "S");
	assert_matches("prev_prio > 0", "");
	assert_matches("prev_prio == -5", "S");
	assert_matches("prev_prio >= -5 and prev_prio <= -5", "S");
	assert_matches("prev_prio in (-5, 3)", "S");
	assert_matches("prev_prio == 0xfffffffffffffffb", "S");
	assert_matches("next_prio == -1", "S");
	assert_matches("next_prio > 0", "S");
	assert_matches("next_prio > -1", "S");
	assert_matches("retval > -1", "G");
	assert_matches("retval < -1", "");
	assert_matches("retval == -13", "G");
	assert_matches("ip > 0xffffffff81000000", "F");
	assert_matches("ip < 0xffffffff81000000", "");
	assert_matches("prev_prio < next_prio", "S");
	assert_matches("prev_prio < common_preempt_count", "S");
	assert_matches("common_preempt_count > prev_prio", "S");
	assert_matches("next_pid == 07", "S");
	assert_matches("next_pid == '\a' or next_pid == \"0x7\"", "S");
	assert_matches("next_pid < 0 - 1", "");
	assert_matches("-next_pid == -7", "S");
}

static void truncated_records_are_unknown(void **state)
{
	struct arena arena = { 0 };
	struct filter *filter = make(&arena, "not next_pid == 8", NULL);
	struct filter_event event = event_of(SWITCH);

	if (succeeds(filter)) {
		assert_true(filter_match(filter, &event));
		event.size = 60;
		assert_true(filter_match(filter, &event));
		event.size = 59;
		assert_false(filter_match(filter, &event));
		event.size = 0;
		assert_false(filter_match(filter, &event));
	}
	arena_done(&arena);
	filter = make(&arena, "not filename ~ \"x*\"", NULL);
	event = event_of(EXEC);
	if (succeeds(filter)) {
		assert_true(filter_match(filter, &event));
		event.size = 20;
		assert_false(filter_match(filter, &event));
	}
	arena_done(&arena);
}

static void events_without_a_format_have_common_fields(void **state)
{
	struct arena arena = { 0 };
	struct filter *filter = make(&arena, "pid == 42", NULL);
	struct filter_event event = event_of(SWITCH);

	event.format = NULL;
	if (succeeds(filter))
		assert_true(filter_match(filter, &event));
	arena_done(&arena);
	filter = make(&arena, "not event == sched_switch", NULL);
	if (succeeds(filter))
		assert_false(filter_match(filter, &event));
	arena_done(&arena);
}

static void function_names_are_looked_up_once(void **state)
{
	struct arena arena = { 0 };
	struct filter *filter = make(&arena, "vfs_*", NULL);
	struct filter_event event = event_of(FUNCTION);

	name_lookups = 0;
	for (int i = 0; filter && i < 100; i++)
		assert_true(filter_match(filter, &event));
	if (succeeds(filter))
		assert_int_equal(name_lookups, 1);
	arena_done(&arena);
}

static void foreign_byte_order_is_read(void **state)
{
	struct event_abi abi = { .long_size = 8,
				 .big_endian = __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__ };
	unsigned char bytes[24] = { 0 };
	struct arena arena = { 0 };
	struct event_format *format;
	struct filter *filter;
	struct filter_event event = { .data = bytes, .size = sizeof(bytes) };
	int r = event_format_parse(texts[EXIT].text, strlen(texts[EXIT].text), "raw_syscalls", abi,
				   &arena, &format, NULL);

	if (r == 0)
		r = filter_parse("ret == -2 and common_pid == 258", &arena, &filter, NULL);
	if (r == 0)
		r = filter_bind(filter, (const struct event_format *const *)&format, 1, NULL, NULL);
	if (succeeds(r == 0)) {
		memset(bytes + 16, 0xff, 8);
		bytes[abi.big_endian ? 23 : 16] = 0xfe;
		bytes[abi.big_endian ? 6 : 5] = 1;
		bytes[abi.big_endian ? 7 : 4] = 2;
		event.format = format;
		assert_true(filter_match(filter, &event));
		bytes[abi.big_endian ? 7 : 4] = 3;
		assert_false(filter_match(filter, &event));
	}
	arena_done(&arena);
	assert_int_equal(r, 0);
}

static void long_lists_work(void **state)
{
	struct arena arena = { 0 };
	static char text[FILTER_TEXT_MAX];
	struct filter_event event = event_of(SWITCH);
	size_t len = (size_t)snprintf(text, sizeof(text), "pid in (1");
	struct filter *filter;

	for (int i = 2; i < 5000; i += 2)
		len += (size_t)snprintf(text + len, sizeof(text) - len, ",%d", 5000 - i);
	snprintf(text + len, sizeof(text) - len, ")");
	filter = make(&arena, text, NULL);
	for (int pid = 0; filter && pid < 5010; pid++) {
		event.pid = pid;
		assert_int_equal(filter_match(filter, &event),
				 pid == 1 || (pid > 0 && pid < 5000 && pid % 2 == 0));
	}
	arena_done(&arena);
}

static bool list_shows(struct filter_list *list, int which)
{
	struct filter_event event = event_of(which);

	return filter_list_match(list, &event);
}

static void lists_show_and_hide(void **state)
{
	struct filter_list list = { 0 };
	struct arena arena = { 0 };
	struct filter *a = make(&arena, "sched_switch: prev_pid == 42", NULL);
	struct filter *b = make(&arena, "sys_exit", NULL);
	struct filter *c = make(&arena, "sys_exit: ret == 0 - 2", NULL);
	int r = -ENOMEM;

	assert_true(list_shows(&list, SWITCH));
	if (a && b && c && filter_list_add(&list, a, false) == 0 &&
	    filter_list_add(&list, b, false) == 0 && filter_list_add(&list, c, true) == 0)
		r = filter_list_bind(&list, (const struct event_format *const *)formats, N_FORMATS,
				     &env, 2, NULL);
	if (succeeds(r == 0)) {
		assert_true(list_shows(&list, SWITCH));
		assert_true(list_shows(&list, STACK));
		assert_true(list_shows(&list, STACK));
		assert_false(list_shows(&list, WAKEUP));
		assert_false(list_shows(&list, STACK));
		assert_false(list_shows(&list, EXIT));
		exit_record.ret = 0;
		assert_true(list_shows(&list, EXIT));
		exit_record.ret = -2;
	}
	filter_list_done(&list);
	if (succeeds(c && filter_list_add(&list, c, true) == 0)) {
		assert_true(list_shows(&list, WAKEUP));
		assert_false(list_shows(&list, EXIT));
	}
	filter_list_done(&list);
	arena_done(&arena);
	assert_int_equal(r, 0);
}

static void notes_report_fields_that_no_event_has(void **state)
{
	struct arena arena = { 0 };
	struct filter *filter = make(&arena, "sched: prev_pit == 1", NULL);
	uint64_t offset = 0;

	if (succeeds(filter)) {
		assert_string_equal(filter_note(filter, &offset),
				    "no event has a field 'prev_pit'; did you mean 'prev_pid'?");
		assert_int_equal(offset, 7);
	}
	arena_done(&arena);
	filter = make(&arena, "sched: prev_pid == 1", NULL);
	if (succeeds(filter))
		assert_null(filter_note(filter, &offset));
	arena_done(&arena);
}

static void can_be_rebound(void **state)
{
	struct arena arena = { 0 };
	struct filter *filter = make(&arena, "next_pid == 7", NULL);
	struct filter_event event = event_of(SWITCH);
	const struct event_format *const *list = (const struct event_format *const *)formats;

	if (succeeds(filter)) {
		assert_int_equal(filter_bind(filter, list + 1, 2, &env, NULL), -ENOENT);
		assert_false(filter_match(filter, &event));
		if (succeeds(filter_bind(filter, list, 1, NULL, NULL) == 0))
			assert_true(filter_match(filter, &event));
	}
	arena_done(&arena);
}

/* Compares random filters with a direct evaluation in three-valued logic. */
enum truth {
	NO,
	UNKNOWN,
	YES
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static enum truth generate(uint32_t *seed, int depth, struct strbuf *text)
{
	static const struct {
		const char *text;
		enum truth truth;
	} leaves[] = {
		{ "next_pid == 7", YES },	 { "prev_prio > 0", NO },
		{ "ret == 5", UNKNOWN },	 { "pid in (42)", YES },
		{ "sched_switch", YES },	 { "sys_exit", NO },
		{ "filename ~ \"*\"", UNKNOWN }, { "next_pid / 0 == 0", UNKNOWN },
		{ "prev_comm == stat", YES },	 { "next_comm =~ \"z\"", NO },
	};
	unsigned pick = next_random(seed) % 10;
	enum truth a, b;

	if (depth == 0) {
		strbuf_adds(text, leaves[pick].text);
		return leaves[pick].truth;
	}
	strbuf_adds(text, pick < 3 ? "not (" : "(");
	a = generate(seed, depth - 1, text);
	strbuf_addc(text, ')');
	if (pick < 3)
		return YES - a;
	strbuf_adds(text, pick < 6 ? " and (" : " or (");
	b = generate(seed, depth - 1, text);
	strbuf_addc(text, ')');
	return pick < 6 ? (a < b ? a : b) : (a > b ? a : b);
}

static void random_filters_evaluate_correctly(void **state)
{
	bool (*fault)(void) = mem_fault;
	struct filter_event event = event_of(SWITCH);
	unsigned rounds = fault ? 10 : 5000;
	uint32_t seed = 7;

	mem_fault = NULL;
	for (unsigned i = 0; i < rounds; i++) {
		struct arena arena = { 0 };
		_cleanup_strbuf_ struct strbuf text = { 0 };
		enum truth truth = generate(&seed, (int)(i % 6), &text);
		struct filter *filter = make(&arena, text.s, NULL);

		assert_non_null(filter);
		if (filter_match(filter, &event) != (truth == YES))
			fail_msg("'%s' has to be %d", text.s, truth);
		arena_done(&arena);
	}
	mem_fault = fault;
}

static int parse_and_bind(void *arg)
{
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	struct filter *filter = make(
		&arena,
		"sched_*, vfs_* and next_pid + 1 == 8 or comm in (a, b) or pid in (1, 2) and "
		"func ~ \"v*\" or parent_ip == schedule or next_comm =~ \"x\" or args[0] == id",
		&err);

	arena_done(&arena);
	return filter ? 0 : err.code;
}

static void survives_failing_allocations(void **state)
{
	oom_check(parse_and_bind, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace_cmd_filters_work),
		cmocka_unit_test(missing_fields_behave_as_in_trace_cmd),
		cmocka_unit_test(and_and_or_have_equal_precedence_after_a_colon),
		cmocka_unit_test(short_filters_work),
		cmocka_unit_test(names_are_resolved_as_documented),
		cmocka_unit_test(unknown_values_never_match),
		cmocka_unit_test(numbers_compare_as_numbers),
		cmocka_unit_test(truncated_records_are_unknown),
		cmocka_unit_test(events_without_a_format_have_common_fields),
		cmocka_unit_test(function_names_are_looked_up_once),
		cmocka_unit_test(foreign_byte_order_is_read),
		cmocka_unit_test(long_lists_work),
		cmocka_unit_test(lists_show_and_hide),
		cmocka_unit_test(notes_report_fields_that_no_event_has),
		cmocka_unit_test(can_be_rebound),
		cmocka_unit_test(random_filters_evaluate_correctly),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, parse_formats, free_formats);
}
