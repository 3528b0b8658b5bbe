/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include <fathom/fathom.h>

#include "format/file/trace-file.h"
#include "read/context/user-processes.h"
#include "temp-file.h"
#include "trace-writer.h"

#define FORK  7
#define EXEC  8
#define OTHER 9

#define FORMAT(name, id, first, second)                                                \
	"name: " name "\nID: " #id "\nformat:\n"                                       \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:pid_t " first ";\toffset:8;\tsize:4;\tsigned:1;\n"                    \
	"\tfield:pid_t " second ";\toffset:12;\tsize:4;\tsigned:1;\n\n"                \
	"print fmt: \"x\"\n"

static const struct trace_format formats[] = {
	{ "sched", FORMAT("sched_process_fork", 7, "parent_pid", "child_pid") },
	{ "sched", FORMAT("sched_process_exec", 8, "pid", "old_pid") },
	{ "sched", FORMAT("sched_wake_idle_without_ipi", 9, "cpu", "target") },
	{ 0 },
};

/* 7 forks 8, which then calls execve(); the mappings of both at the end are in options. */
static int make(void)
{
	static const struct {
		uint64_t time;
		uint16_t id;
		int32_t first, second;
	} events[] = {
		{ 1000, FORK, 7, 8 },
		{ 1500, OTHER, 7, 9 },
		{ 2000, EXEC, 8, 8 },
		{ 2500, OTHER, 7, 7 },
	};
	static const char *const maps[] = { "7 1 /bin/a\n1000 2000 /bin/a\n",
					    "8 1 /bin/b\n1000 2000 /bin/b\n" };
	struct trace_writer *w =
		trace_writer_new(&(struct trace_config){ .version = 7, .formats = formats });
	struct page_writer *cpu = w ? trace_writer_cpu(w, 0, 0) : NULL;
	int r = cpu ? 0 : -ENOMEM;

	for (size_t i = 0; cpu && i < sizeof(events) / sizeof(events[0]); i++) {
		int32_t data[] = { events[i].id, 7, events[i].first, events[i].second };

		page_writer_record(cpu, events[i].time, data, sizeof(data));
	}
	for (size_t i = 0; r == 0 && i < sizeof(maps) / sizeof(maps[0]); i++)
		trace_writer_option(w, TRACE_ID_PROCMAPS, maps[i], (uint32_t)strlen(maps[i]));
	if (r == 0)
		r = trace_writer_save(w, temp_path);
	trace_writer_free(w);
	return r;
}

static int read_it(struct user_symbols *symbols)
{
	struct fathom_trace *trace;
	struct event_table table;
	int r = fathom_trace_open(temp_path, 0, &trace, NULL);

	if (r < 0)
		return r;
	r = event_table_init(&table, trace, NULL);
	if (r == 0) {
		r = user_processes_read(trace, &table, symbols, NULL);
		event_table_done(&table);
	}
	fathom_trace_free(trace);
	return r;
}

/*
 * Returns the path at 0x1800; "none" if it is known that nothing is mapped, "unknown" if nothing is
 * known of the process.
 */
static const char *path_at(const struct user_symbols *symbols, int32_t pid, uint64_t time)
{
	bool known = false;
	const struct user_mapping *found =
		user_maps_find(&symbols->maps, pid, time, 0x1800, &known);

	return found ? found->path : known ? "none" : "unknown";
}

static void follows_forks_and_programs(void **state)
{
	struct user_symbols symbols = { 0 };

	if (succeeds(make() == 0 && read_it(&symbols) == 0)) {
		assert_string_equal(path_at(&symbols, 7, 500), "/bin/a");
		assert_string_equal(path_at(&symbols, 7, 3000), "/bin/a");
		assert_string_equal(path_at(&symbols, 8, 1700), "/bin/a");
		assert_string_equal(path_at(&symbols, 8, 2200), "/bin/b");
		assert_string_equal(path_at(&symbols, 9, 1700), "unknown");
	}
	user_symbols_done(&symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_forks_and_programs),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
