/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "tree.h"

#include "base/cleanup.h"
#include "kernel/events/events.h"

#define _cleanup_events_ _cleanup_(events_done)
#define _cleanup_layout_ _cleanup_(event_layout_done)

static const char sched_switch[] =
	"name: sched_switch\nID: 316\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:const char * why;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:char *p;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] dev;\toffset:48;\tsize:4;\tsigned:1;\n"
	"\tfield:u8 m[2][3];\toffset:52;\tsize:6;\tsigned:0;\n\n"
	"print fmt: \"prev_comm=%s field:x;\", REC->prev_comm\n";

static void splits_a_format(void **state)
{
	_cleanup_layout_ struct event_layout f = { 0 };
	static const struct {
		const char *type, *name;
	} want[] = {
		{ "unsigned short", "common_type" }, { "int", "common_pid" },
		{ "char", "prev_comm[16]" },	     { "pid_t", "prev_pid" },
		{ "const char *", "why" },	     { "char *", "p" },
		{ "__data_loc char[]", "dev" },	     { "u8", "m[2][3]" },
	};

	assert_int_equal(event_layout_parse(sched_switch, &f), 0);
	assert_int_equal(f.id, 316);
	assert_int_equal(f.n_fields, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_string_equal(f.fields[i].type, want[i].type);
		assert_string_equal(f.fields[i].name, want[i].name);
		assert_int_equal(f.fields[i].common, i < 2);
	}
	assert_int_equal(f.fields[2].offset, 8);
	assert_int_equal(f.fields[2].size, 16);
	assert_true(f.fields[3].is_signed);
	assert_false(f.fields[4].is_signed);
	assert_string_equal(f.print_fmt, "\"prev_comm=%s field:x;\", REC->prev_comm");
}

static void survives_garbage(void **state)
{
	static const char *const texts[] = {
		"",
		"ID: 1\nfield:;",
		"ID: 1\nfield:[];\n",
		"ID: 1\nfield:x",
		"ID: 1\nfield:]]];",
		"ID: 1\nfield:a[;offset:99999999999999999999",
		"ID:",
		"\nprint fmt:",
		"ID: 1\nfield:void (*f)(int);\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_layout_ struct event_layout f = { 0 };

		event_layout_parse(texts[i], &f);
	}
	/* Every prefix of a valid format. */
	for (size_t len = 0; len < sizeof(sched_switch); len++) {
		_cleanup_layout_ struct event_layout f = { 0 };
		char part[sizeof(sched_switch)];

		memcpy(part, sched_switch, len);
		part[len] = '\0';
		event_layout_parse(part, &f);
	}
}

static void reads_a_tree(void **state)
{
	_cleanup_events_ struct events e = { 0 };
	_cleanup_layout_ struct event_layout f = { 0 };
	struct fathom_err err = { 0 };
	int dir = *(int *)*state;

	if (succeeds(events_read(dir, &e, &err) != -ENOMEM))
		assert_non_null(strstr(fathom_err_text(&err), "no events"));
	tree_file("/available_events",
		  "sched:sched_switch\nirq:softirq_entry\nbad\n:x\ny:\nsched:sched_waking\n");
	tree_file("/set_event", "sched:sched_waking\nmod:gone\n");
	tree_file("/events/sched/sched_switch/format", sched_switch);
	if (succeeds(events_read(dir, &e, NULL) == 0)) {
		assert_int_equal(e.n, 3);
		assert_int_equal(e.n_systems, 2);
		assert_int_equal(e.n_enabled, 1);
		assert_string_equal(e.list[0].name, "softirq_entry");
		assert_string_equal(e.list[2].system, "sched");
		assert_string_equal(e.list[2].name, "sched_waking");
		assert_true(e.list[2].enabled);
	}
	if (succeeds(event_layout_read(dir, "sched", "sched_switch", &f, NULL) == 0))
		assert_int_equal(f.id, 316);
	assert_int_equal(event_layout_read(dir, "sched", "nothing", &f, &err), -ENOENT);
}

static int whole_way(void *arg)
{
	_cleanup_layout_ struct event_layout f = { 0 };

	return event_layout_parse(sched_switch, &f);
}

static int read_list(void *arg)
{
	_cleanup_events_ struct events e = { 0 };

	return events_read(*(int *)arg, &e, NULL);
}

static void survives_failing_allocations(void **state)
{
	tree_file("/available_events", "a:b\nc:d\n");
	tree_file("/set_event", "a:b\n");
	oom_check(whole_way, NULL);
	oom_check(read_list, *state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_a_format),
		cmocka_unit_test(survives_garbage),
		cmocka_unit_test_setup_teardown(reads_a_tree, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, tree_setup,
						tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
