/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-sample.h"
#include "test.h"

#define OPENS(frame, at)  "{\"type\":\"O\",\"frame\":" #frame ",\"at\":" #at "}"
#define CLOSES(frame, at) "{\"type\":\"C\",\"frame\":" #frame ",\"at\":" #at "}"

/* Checks the events of the first profile, one per line. */
static void writes(const char *wanted, const struct export_sample_event *events)
{
	struct export_sample sample;
	int r = export_sample_open(&sample, &export_speedscope, events);

	if (r == 0)
		r = export_sample_write(&sample);
	if (succeeds(r == 0)) {
		char *begin = strstr(sample.bytes.s, "\"events\":[\n"), *end;

		assert_non_null(begin);
		begin += strlen("\"events\":[\n");
		end = strstr(begin, "]}");
		assert_non_null(end);
		*end = '\0';
		assert_string_equal(begin, wanted);
	}
	export_sample_done(&sample);
	assert_true(r == 0 || r == -ENOMEM);
}

static void functions_nest(void **state)
{
	writes(OPENS(0, 0) ",\n" OPENS(1, 100) ",\n" CLOSES(1, 200) ",\n" CLOSES(0, 300),
	       (struct export_sample_event[]){ /* Its start was not recorded. */
					       { EXPORT_EXIT, 0, 900, 42, EXPORT_SECOND, 1 },
					       { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
					       { EXPORT_EXIT, 0, 1200, 42, EXPORT_SECOND, 1 },
					       { EXPORT_EXIT, 0, 1300, 42, EXPORT_FIRST, 0 },
					       { 0 } });
}

static void open_calls_are_closed(void **state)
{
	/*
	 * A call ends at the start of one that cannot be inside it, and at the end of the one
	 * around it or of the trace.
	 */
	writes(OPENS(0, 0) ",\n" OPENS(1, 100) ",\n" CLOSES(1, 100) ",\n" OPENS(2, 200) ",\n" CLOSES(
		       2, 200) ",\n" CLOSES(0, 300) ",\n" OPENS(1, 400) ",\n" CLOSES(1, 900),
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
					       { EXPORT_ENTRY, 0, 1200, 42, EXPORT_FIRST, 1 },
					       { EXPORT_EXIT, 0, 1300, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1400, 42, EXPORT_SECOND, 0 },
					       { EXPORT_PRINT, 1, 1900, 43, 0, 0, 0, "the end" },
					       { 0 } });
}

static void a_loss_closes_calls_at_the_last_event(void **state)
{
	writes(OPENS(0, 0) ",\n" OPENS(1, 100) ",\n" CLOSES(1, 100) ",\n" CLOSES(0, 100),
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
					       { EXPORT_LOST, 0, 0, 0, 9 },
					       { EXPORT_EXIT, 0, 5000, 42, EXPORT_FIRST, 0, 10 },
					       { 0 } });
	/* Even if the task has no further events. */
	writes(OPENS(0, 0) ",\n" CLOSES(0, 0),
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_LOST, 0, 0, 0, 9 },
					       { EXPORT_PRINT, 0, 5000, 43, 0, 0, 0, "late" },
					       { 0 } });
}

/* The task may have returned and made the call again on the CPU that lost events. */
static void a_loss_on_another_cpu_counts_after_migration(void **state)
{
	writes(OPENS(0, 0) ",\n" CLOSES(0, 0) ",\n" OPENS(1, 4100) ",\n" CLOSES(1, 4200),
	       (struct export_sample_event[]){ { EXPORT_PRINT, 1, 900, 43, 0, 0, 0, "early" },
					       { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_LOST, 1, 0, 0, 9 },
					       { EXPORT_EXIT, 1, 5000, 42, EXPORT_FIRST, 0, 10 },
					       { EXPORT_ENTRY, 1, 5100, 42, EXPORT_SECOND, 0 },
					       { EXPORT_EXIT, 1, 5200, 42, EXPORT_SECOND, 0 },
					       { 0 } });
}

static void an_exited_task_has_no_open_calls(void **state)
{
	writes(OPENS(0, 0) ",\n" CLOSES(0, 500),
	       (struct export_sample_event[]){
		       { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
		       { EXPORT_SWITCH, 0, 1500, 42, 42, 43, 0x20, "other" },
		       { EXPORT_PRINT, 0, 5000, 43, 0, 0, 0, "late" },
		       { 0 } });
}

/*
 * Thread 43 of process 42 executes a program and gets the pid 42. Its calls remain where they
 * began.
 */
static void follows_exec_by_a_thread(void **state)
{
	writes(OPENS(0, 0) ",\n" OPENS(2, 100) ",\n" CLOSES(2, 200) ",\n" OPENS(
		       2, 210) ",\n" CLOSES(2, 250) ",\n" CLOSES(0, 300),
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 43, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 1, 1050, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1100, 43, EXPORT_SECOND, 1 },
					       { EXPORT_EXIT, 0, 1200, 42, EXPORT_SECOND, 1, 100 },
					       { EXPORT_ENTRY, 0, 1210, 42, EXPORT_SECOND, 1 },
					       { EXPORT_EXIT, 0, 1250, 42, EXPORT_SECOND, 1 },
					       { EXPORT_EXIT, 0, 1300, 42, EXPORT_FIRST, 0, 300 },
					       { EXPORT_ENTRY, 0, 1400, 42, EXPORT_SECOND, 0 },
					       { EXPORT_EXIT, 0, 1500, 42, EXPORT_SECOND, 0 },
					       { 0 } });
	/* The calls of 42 do not end; with the pid 43, it has only returned from the inner call. */
	writes(OPENS(0, 0) ",\n" OPENS(1, 10) ",\n" CLOSES(1, 220) ",\n" CLOSES(0, 220) ",\n" OPENS(
		       1, 400) ",\n" CLOSES(1, 500),
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 1, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 1, 1010, 42, EXPORT_SECOND, 1 },
					       { EXPORT_ENTRY, 0, 1100, 43, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1150, 43, EXPORT_FIRST, 1 },
					       { EXPORT_EXIT, 0, 1200, 42, EXPORT_FIRST, 1, 50 },
					       { EXPORT_EXIT, 1, 1220, 43, EXPORT_SECOND, 1, 210 },
					       { EXPORT_EXIT, 0, 1300, 42, EXPORT_FIRST, 0, 200 },
					       { EXPORT_ENTRY, 0, 1400, 42, EXPORT_SECOND, 0 },
					       { EXPORT_EXIT, 0, 1500, 42, EXPORT_SECOND, 0 },
					       { 0 } });
}

static void a_system_call_contains_its_functions(void **state)
{
	writes(OPENS(0, 0) ",\n" CLOSES(0, 50) ",\n" OPENS(1, 50) ",\n" OPENS(2, 100) ",\n" CLOSES(
		       2, 200) ",\n" OPENS(0, 300) ",\n" CLOSES(0, 350) ",\n" CLOSES(1, 350),
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTER_READ, 0, 1020, 42, 0, 3 },
					       { EXPORT_EXIT, 0, 1050, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 0 },
					       { EXPORT_EXIT, 0, 1200, 42, EXPORT_SECOND, 0 },
					       { EXPORT_ENTRY, 0, 1300, 42, EXPORT_FIRST, 0 },
					       { EXPORT_EXIT_READ, 0, 1320, 42, 0, 5 },
					       { EXPORT_EXIT, 0, 1350, 42, EXPORT_FIRST, 0 },
					       { 0 } });
	/* If the system call entry function is traced, it is around the call. */
	writes(OPENS(0, 0) ",\n" OPENS(1, 10) ",\n" CLOSES(1, 50) ",\n" OPENS(2, 50) ",\n" CLOSES(
		       2, 300) ",\n" CLOSES(0, 400),
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1010, 42, EXPORT_SECOND, 1 },
					       { EXPORT_ENTER_READ, 0, 1020, 42, 0, 3 },
					       { EXPORT_EXIT, 0, 1050, 42, EXPORT_SECOND, 1 },
					       { EXPORT_EXIT_READ, 0, 1300, 42, 0, 5 },
					       { EXPORT_EXIT, 0, 1400, 42, EXPORT_FIRST, 0 },
					       { 0 } });
}

static void system_calls_stand_alone(void **state)
{
	/* Both event families have the second call; the end of the third is missing. */
	writes(OPENS(0, 0) ",\n" CLOSES(0, 100) ",\n" OPENS(0, 200) ",\n" CLOSES(0, 300) ",\n" OPENS(
		       1, 400) ",\n" CLOSES(1, 500) ",\n" OPENS(0, 500) ",\n" CLOSES(0, 600),
	       (struct export_sample_event[]){ { EXPORT_SYS_EXIT, 0, 900, 43, 3, 5 },
					       { EXPORT_ENTER_READ, 0, 1000, 43, 0, 3 },
					       { EXPORT_EXIT_READ, 0, 1100, 43, 0, 5 },
					       { EXPORT_SYS_ENTER, 0, 1200, 43, 0, 0 },
					       { EXPORT_ENTER_READ, 0, 1201, 43, 0, 3 },
					       { EXPORT_SYS_EXIT, 0, 1300, 43, 0, 0 },
					       { EXPORT_EXIT_READ, 0, 1301, 43, 0, 3 },
					       { EXPORT_SYS_ENTER, 0, 1400, 43, 7, 0 },
					       { EXPORT_SYS_ENTER, 0, 1500, 43, 0, 0 },
					       { EXPORT_SYS_EXIT, 0, 1600, 43, 0, 0 },
					       { 0 } });
}

/* Two tasks alternate; the second one made more calls and is shown first. */
static const struct export_sample_event two_tasks[] = {
	{ EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
	{ EXPORT_SYS_ENTER, 1, 1010, 0, 7, 3 },
	{ EXPORT_SYS_EXIT, 1, 1020, 0, 7, 0 },
	{ EXPORT_ENTRY, 1, 1100, 0, EXPORT_SECOND, 0 },
	{ EXPORT_EXIT, 0, 1150, 42, EXPORT_FIRST, 0 },
	{ EXPORT_EXIT, 1, 1200, 0, EXPORT_SECOND, 0 },
	{ 0 },
};

static void each_task_has_a_profile(void **state)
{
	static const char wanted[] =
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"exporter\":\"fathom " FATHOM_VERSION "\",\n\"activeProfileIndex\":1,\n"
		"\"profiles\":[\n"
		"{\"type\":\"evented\",\"name\":\"task 42\",\"unit\":\"nanoseconds\","
		"\"startValue\":0,\"endValue\":150,\"events\":[\n" OPENS(0, 0) ",\n" CLOSES(
			0,
			150) "]},\n"
			     "{\"type\":\"evented\",\"name\":\"swapper/1\",\"unit\":\"nanoseconds\","
			     "\"startValue\":10,\"endValue\":200,\"events\":[\n" OPENS(1, 10) ",\n" CLOSES(
				     1,
				     20) ",\n" OPENS(2,
						     100) ",\n" CLOSES(2,
								       200) "]}],\n"
									    "\"shared\":{\"frames\":[\n{\"name\":\"first\"},\n"
									    "{\"name\":\"sys_7\",\"file\":\"system call\"},\n{\"name\":\"second\"}]}}\n";
	struct export_sample sample;
	int r = export_sample_open(&sample, &export_speedscope, two_tasks);

	if (r == 0)
		r = export_sample_write(&sample);
	if (succeeds(r == 0))
		assert_string_equal(strbuf_str(&sample.bytes), wanted);
	export_sample_done(&sample);
	assert_true(r == 0 || r == -ENOMEM);
}

static void requires_calls(void **state)
{
	static const struct export_sample_event events[] = {
		{ EXPORT_PRINT, 0, 1000, 42, 0, 0, 0, "no call" }, { 0 }
	};
	struct export_sample sample;
	int r = export_sample_open(&sample, &export_speedscope, events);

	if (r == 0)
		r = export_sample_write(&sample);
	export_sample_done(&sample);
	assert_true(r == -ENODATA || r == -ENOMEM);
}

static void survives_failing_allocations(void **state)
{
	struct export_sample sample;

	if (succeeds(export_sample_open(&sample, &export_speedscope, two_tasks) == 0 &&
		     export_sample_write(&sample) == 0))
		oom_check(export_sample_write, &sample);
	export_sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_nest),
		cmocka_unit_test(open_calls_are_closed),
		cmocka_unit_test(a_loss_closes_calls_at_the_last_event),
		cmocka_unit_test(a_loss_on_another_cpu_counts_after_migration),
		cmocka_unit_test(an_exited_task_has_no_open_calls),
		cmocka_unit_test(follows_exec_by_a_thread),
		cmocka_unit_test(a_system_call_contains_its_functions),
		cmocka_unit_test(system_calls_stand_alone),
		cmocka_unit_test(each_task_has_a_profile),
		cmocka_unit_test(requires_calls),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
