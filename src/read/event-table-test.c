/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fathom/fathom.h>

#include "read/event-table.h"
#include "temp-file.h"
#include "trace-writer.h"

#define COMMON                                                                 \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct trace_format formats[] = {
	{ "ftrace", "name: function\nID: 1\nformat:\n" COMMON "print fmt: \"\"\n" },
	{ "a", "name: same\nID: 10\nformat:\n" COMMON "print fmt: \"first\"\n" },
	{ "a", "name: broken\nID: 11\nformat:\n\tfield:rubbish\n" },
	{ "a", "name: silent\nID: 12\nformat:\n" COMMON "print fmt: \"%d\", REC->(\n" },
	{ "b", "name: same\nID: 13\nformat:\n" COMMON "print fmt: \"second\"\n" },
	{ "b", "name: again\nID: 13\nformat:\n" COMMON "print fmt: \"third\"\n" },
	{ "b", "name: large\nID: 65536\nformat:\n" COMMON "print fmt: \"\"\n" },
	{ NULL, NULL },
};

static int make_file(void)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .formats = formats });
	struct page_writer *p = w ? trace_writer_cpu(w, 0, 0) : NULL;
	int r = -ENOMEM;

	if (p) {
		page_writer_event(p, 1000, 10, 42, 16);
		r = trace_writer_save(w, temp_path);
	}
	trace_writer_free(w);
	return r;
}

static struct fathom_trace *open_file(void)
{
	struct fathom_trace *trace = NULL;

	assert_int_equal(make_file(), 0);
	assert_int_equal(fathom_trace_open(temp_path, 0, &trace, NULL), 0);
	return trace;
}

static void finds_formats_by_id(void **state)
{
	struct fathom_trace *trace = open_file();
	struct event_table table;
	struct event_entry *entry;

	assert_int_equal(event_table_init(&table, trace, NULL), 0);
	assert_int_equal(table.n, 7);
	assert_int_equal(table.by_id[10]->format_state, EVENT_UNREAD);
	entry = event_table_find(&table, 10);
	assert_non_null(entry);
	assert_int_equal(entry->format_state, EVENT_READ);
	assert_string_equal(entry->format->system, "a");
	/* Of two events with the same ID the first is used. */
	assert_string_equal(event_table_find(&table, 13)->format->name, "same");
	assert_null(event_table_find(&table, 14));
	assert_null(event_table_find(&table, 65536));
	assert_null(event_table_find(&table, 0));
	assert_int_equal(table.entries[6].id, -1);
	event_table_done(&table);
	fathom_trace_free(trace);
}

static void finds_formats_by_name(void **state)
{
	struct fathom_trace *trace = open_file();
	struct event_table table;

	assert_int_equal(event_table_init(&table, trace, NULL), 0);
	assert_int_equal(event_table_find_name(&table, NULL, "same")->id, 10);
	assert_int_equal(event_table_find_name(&table, "b", "same")->id, 13);
	assert_null(event_table_find_name(&table, "c", "same"));
	assert_null(event_table_find_name(&table, NULL, "sam"));
	assert_null(event_table_find_name(&table, NULL, "same2"));
	event_table_done(&table);
	fathom_trace_free(trace);
}

static void reports_unreadable_formats(void **state)
{
	struct fathom_trace *trace = open_file();
	struct fathom_err err = { 0 };
	struct event_table table;
	struct event_entry *entry;

	assert_int_equal(event_table_init(&table, trace, NULL), 0);
	assert_null(event_table_find(&table, 11));
	assert_null(event_table_format(&table, table.by_id[11], &err));
	assert_string_not_equal(fathom_err_text(&err), "");
	/* The reason is reported again to callers who ask again. */
	fathom_err_reset(&err);
	assert_null(event_table_format(&table, table.by_id[11], &err));
	assert_int_not_equal(err.code, 0);
	entry = event_table_find(&table, 12);
	assert_non_null(entry);
	fathom_err_reset(&err);
	assert_null(event_table_program(&table, entry, &err));
	assert_int_not_equal(err.code, 0);
	assert_non_null(event_table_program(&table, event_table_find(&table, 10), NULL));
	assert_false(table.nomem);
	event_table_done(&table);
	fathom_trace_free(trace);
}

static int use(void *arg)
{
	struct event_table table;
	struct event_entry *entry;
	int r = event_table_init(&table, arg, NULL);

	if (r < 0)
		return r;
	entry = event_table_find(&table, 13);
	if (entry)
		event_table_program(&table, entry, NULL);
	r = table.nomem ? -ENOMEM : 0;
	event_table_done(&table);
	return r;
}

static void survives_failing_allocations(void **state)
{
	struct fathom_trace *trace = open_file();

	oom_check(use, trace);
	fathom_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_formats_by_id),
		cmocka_unit_test(finds_formats_by_name),
		cmocka_unit_test(reports_unreadable_formats),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
