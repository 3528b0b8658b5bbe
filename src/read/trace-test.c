/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the functions of the public header other than those for events. */
#include "test.h"

#include <fathom/fathom.h>

#include "format/bytes.h"
#include "format/file/trace-file.h"
#include "read/trace.h"
#include "temp-file.h"
#include "trace-writer.h"

/* A file with two guests, the second of which has no CPUs. */
static struct fathom_trace *open_file(unsigned version)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = version });
	struct fathom_trace *trace = NULL;
	uint8_t first[6 + 8 + 4 + 16] = "first", second[7 + 8 + 4] = "second";

	assert_non_null(w);
	store_u64(first + 6, 99, false);
	store_u32(first + 14, 2, false);
	/* The CPUs in reverse order. */
	store_u32(first + 18, 1, false);
	store_u32(first + 22, 4243, false);
	store_u32(first + 26, 0, false);
	store_u32(first + 30, 4242, false);
	store_u64(second + 7, 100, false);
	trace_writer_option(w, TRACE_ID_GUEST, first, sizeof(first));
	trace_writer_option(w, TRACE_ID_GUEST, second, sizeof(second));
	assert_int_equal(trace_writer_save(w, temp_path), 0);
	trace_writer_free(w);
	assert_int_equal(fathom_trace_open(temp_path, 0, &trace, NULL), 0);
	return trace;
}

static void lists_guests(void **state)
{
	for (unsigned version = 6; version <= 7; version++) {
		struct fathom_trace *trace = open_file(version);
		struct fathom_trace_guest guest;

		assert_int_equal(fathom_trace_guest(trace, 0, &guest), 0);
		assert_string_equal(guest.name, "first");
		assert_int_equal(guest.trace_id, 99);
		assert_int_equal(guest.cpus, 2);
		assert_int_equal(guest.pids[0], 4242);
		assert_int_equal(guest.pids[1], 4243);
		assert_int_equal(fathom_trace_guest(trace, 1, &guest), 0);
		assert_string_equal(guest.name, "second");
		assert_int_equal(guest.trace_id, 100);
		assert_int_equal(guest.cpus, 0);
		assert_int_equal(fathom_trace_guest(trace, 2, &guest), -ENOENT);
		assert_string_equal(guest.name, "second");
		fathom_trace_free(trace);
	}
}

/* Counts equal the numbers of elements that can be read one by one. */
static void counts_sections_and_options(void **state)
{
	for (unsigned version = 6; version <= 7; version++) {
		struct fathom_trace *trace = open_file(version);
		struct fathom_trace_section section;
		struct fathom_trace_option option;
		size_t sections = 0, options = 0, guests = 0;

		while (fathom_trace_section_at(trace, sections, &section) == 0)
			sections++;
		for (; fathom_trace_option(trace, options, &option) == 0; options++)
			guests += option.id == TRACE_ID_GUEST;
		assert_int_equal(fathom_trace_section_count(trace), sections);
		assert_int_equal(fathom_trace_option_count(trace), options);
		assert_int_equal(guests, 2);
		assert_true(sections > 0);
		fathom_trace_free(trace);
	}
}

#define COMMON(type, type_size, pid, pid_size)                                         \
	"name: e\nID: 7\nformat:\n"                                                    \
	"\tfield:unsigned short common_type;\toffset:" type ";\tsize:" type_size ";\n" \
	"\tfield:int common_pid;\toffset:" pid ";\tsize:" pid_size ";\n\nprint fmt: \"\"\n"

/* Taken from the first format, of ftrace's events or of others. */
static void finds_common_fields(void **state)
{
	static const struct {
		const char *system, *text;
		uint16_t type;
		uint32_t pid, end;
		bool is_usual;
	} table[] = {
		{ "ftrace", COMMON("0", "2", "4", "4"), 0, 4, 8, true },
		{ "sched", COMMON("0", "2", "4", "4"), 0, 4, 8, true },
		{ "sched", COMMON("2", "2", "12", "4"), 2, 12, 16, true },
		{ "sched", COMMON("8", "2", "0", "4"), 8, 0, 10, true },
		{ "sched", COMMON("2", "4", "12", "4"), 0, 4, 8, false },
		{ "sched", COMMON("2", "2", "12", "8"), 0, 4, 8, false },
		{ "sched", "name: e\nID: 7\n", 0, 4, 8, true },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct trace_format formats[] = { { table[i].system, table[i].text },
							{ NULL, NULL } };
		struct trace_writer *w = trace_writer_new(
			&(struct trace_config){ .version = 7, .formats = formats });
		struct fathom_trace *trace = NULL;

		assert_non_null(w);
		assert_int_equal(trace_writer_save(w, temp_path), 0);
		trace_writer_free(w);
		assert_int_equal(fathom_trace_open(temp_path, 0, &trace, NULL), 0);
		assert_int_equal(trace->common.type, table[i].type);
		assert_int_equal(trace->common.pid, table[i].pid);
		assert_int_equal(trace->common.end, table[i].end);
		assert_int_equal(fathom_trace_damage_count(trace), !table[i].is_usual);
		fathom_trace_free(trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_guests),
		cmocka_unit_test(counts_sections_and_options),
		cmocka_unit_test(finds_common_fields),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
