/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "export-sample.h"
#include "test.h"

#define BEGIN "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
#define END   "\n]}\n"
#define NAMES(task, name)                                                            \
	"{\"ph\":\"M\",\"pid\":" task ",\"tid\":" task ",\"name\":\"process_name\"," \
	"\"args\":{\"name\":\"" name "\"}},\n"                                       \
	"{\"ph\":\"M\",\"pid\":" task ",\"tid\":" task ",\"name\":\"thread_name\","  \
	"\"args\":{\"name\":\"" name "\"}},\n"
#define BEGINS(task, time, name)                                                           \
	"{\"ph\":\"B\",\"pid\":" task ",\"tid\":" task ",\"ts\":" time ",\"name\":\"" name \
	"\",\"cat\":\"function\",\"args\":{\"cpu\":0}}"
#define BEGINS_CUT(task, time, name)                                                       \
	"{\"ph\":\"B\",\"pid\":" task ",\"tid\":" task ",\"ts\":" time ",\"name\":\"" name \
	" (incomplete)\",\"cat\":\"function\",\"args\":{\"cpu\":0,\"incomplete\":true}}"
#define ENDS(task, time) "{\"ph\":\"E\",\"pid\":" task ",\"tid\":" task ",\"ts\":" time "}"

static void writes(const char *wanted, const struct export_sample_event *events)
{
	struct export_sample sample;
	int r = export_sample_open(&sample, &export_chrome, events);

	if (r == 0)
		r = export_sample_write(&sample);
	if (succeeds(r == 0))
		assert_string_equal(strbuf_str(&sample.bytes), wanted);
	export_sample_done(&sample);
	assert_true(r == 0 || r == -ENOMEM);
}

static void is_valid_without_events(void **state)
{
	writes("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n",
	       (struct export_sample_event[]){ { 0 } });
}

static void functions_nest(void **state)
{
	writes(BEGIN NAMES("42", "task") BEGINS("42", "1.000", "first") ",\n" BEGINS(
		       "42", "1.100", "second") ",\n" ENDS("42", "1.200") ",\n" ENDS("42", "1.300")
		       END,
	       (struct export_sample_event[]){ /* Its start was not recorded. */
					       { EXPORT_EXIT, 0, 900, 42, EXPORT_SECOND, 1 },
					       { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
					       { EXPORT_EXIT, 0, 1200, 42, EXPORT_SECOND, 1 },
					       { EXPORT_EXIT, 0, 1300, 42, EXPORT_FIRST, 0 },
					       { 0 } });
}

static void open_calls_are_ended(void **state)
{
	/*
	 * A call ends at the start of one that cannot be inside it, and at the end of the one
	 * around it.
	 */
	writes(BEGIN NAMES("42", "task")
		       BEGINS("42", "1.000", "first") ",\n" BEGINS_CUT("42", "1.100", "second") ",\n" ENDS(
			       "42",
			       "1.100") ",\n" BEGINS_CUT("42", "1.200",
							 "first") ",\n" ENDS("42",
									     "1.200") ",\n" ENDS("42",
												 "1.300")
			       END,
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
					       { EXPORT_ENTRY, 0, 1200, 42, EXPORT_FIRST, 1 },
					       { EXPORT_EXIT, 0, 1300, 42, EXPORT_FIRST, 0 },
					       { 0 } });
}

static void a_loss_ends_calls_at_the_last_event(void **state)
{
	writes(BEGIN NAMES("42", "task") BEGINS_CUT("42", "1.000", "first") ",\n" BEGINS_CUT(
		       "42", "1.100", "second") ",\n" ENDS("42", "1.100") ",\n" ENDS("42", "1.100")
		       END,
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
					       { EXPORT_LOST, 0, 0, 0, 9 },
					       { EXPORT_EXIT, 0, 5000, 42, EXPORT_FIRST, 0, 10 },
					       { 0 } });
	/* If the end event says when the call began, it refers to the open call. */
	writes(BEGIN NAMES("42", "task") BEGINS("42", "1.000", "first") ",\n" BEGINS_CUT(
		       "42", "1.100", "second") ",\n" ENDS("42", "1.100") ",\n" ENDS("42", "5.000")
		       END,
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
					       { EXPORT_LOST, 0, 0, 0, 9 },
					       { EXPORT_EXIT, 0, 5000, 42, EXPORT_FIRST, 0, 4000 },
					       { 0 } });
}

/*
 * Times are those recorded in the kernel's events, not the times at which the events were written.
 */
static void calls_have_kernel_times(void **state)
{
	writes(BEGIN NAMES("42", "task") BEGINS("42", "0.500", "first") ",\n" BEGINS(
		       "42", "1.050", "second") ",\n" ENDS("42", "1.200") ",\n" ENDS("42", "1.300")
		       END,
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
					       { EXPORT_EXIT, 0, 1200, 42, EXPORT_SECOND, 1, 150 },
					       { EXPORT_EXIT, 0, 1300, 42, EXPORT_FIRST, 0, 800 },
					       { 0 } });
}

static void system_calls_have_a_track(void **state)
{
	writes(BEGIN NAMES(
		       "43",
		       "other") "{\"ph\":\"M\",\"pid\":43,\"tid\":16777259,\"name\":\"thread_name\","
				"\"args\":{\"name\":\"system calls\"}},\n"
				"{\"ph\":\"B\",\"pid\":43,\"tid\":16777259,\"ts\":1.000,\"name\":\"read\","
				"\"cat\":\"syscall\",\"args\":{\"cpu\":0,\"__syscall_nr\":0,\"fd\":3,\"count\":0}},\n"
				"{\"ph\":\"E\",\"pid\":43,\"tid\":16777259,\"ts\":1.100},\n"
				"{\"ph\":\"B\",\"pid\":43,\"tid\":16777259,\"ts\":1.200,\"name\":\"sys_7\","
				"\"cat\":\"syscall\",\"args\":{\"cpu\":0,\"id\":7,\"args\":[0,0,0,0,0,0]}}" END,
	       (struct export_sample_event[]){ { EXPORT_ENTER_READ, 0, 1000, 43, 0, 3 },
					       { EXPORT_EXIT_READ, 0, 1100, 43, 0, 5 },
					       { EXPORT_SYS_ENTER, 0, 1200, 43, 7, 0 },
					       { 0 } });
}

static void other_events_are_instants(void **state)
{
	writes(BEGIN NAMES(
		       "8388609",
		       "swapper/1") "{\"ph\":\"i\",\"pid\":8388609,\"tid\":8388609,\"ts\":1000000.001,"
				    "\"name\":\"kinds\",\"cat\":\"test\",\"s\":\"t\",\"args\":{\"cpu\":1,\"small\":200,"
				    "\"negative\":-5,\"large\":7,\"name\":\"a \\\"string\\\"\",\"list\":[1,-2,3]}},\n"
				    "{\"ph\":\"i\",\"pid\":77,\"tid\":77,\"ts\":1000000.002,\"name\":\"unknown\","
				    "\"cat\":\"unknown\",\"s\":\"t\",\"args\":{\"cpu\":1}}" END,
	       (struct export_sample_event[]){
		       { EXPORT_KINDS, 1, 1000000001, 0, (uint64_t)-5, 7, 0, "a \"string\"" },
		       { EXPORT_UNKNOWN, 1, 1000000002, 77 },
		       { 0 } });
}

/* More tasks than the initial size of the table. */
static void remembers_many_tasks(void **state)
{
	enum {
		N = 1000
	};
	struct export_sample_event *events = calloc(2 * N + 1, sizeof(*events));
	struct export_sample sample;
	size_t ends = 0;
	int r;

	assert_non_null(events);
	for (unsigned i = 0; i < 2 * N; i++)
		events[i] = (struct export_sample_event){ i < N ? EXPORT_ENTRY : EXPORT_EXIT,
							  0,
							  1000 + i,
							  100 + (int32_t)(i % N),
							  EXPORT_FIRST,
							  0 };
	r = export_sample_open(&sample, &export_chrome, events);
	if (r == 0)
		r = export_sample_write(&sample);
	if (succeeds(r == 0)) {
		for (const char *p = strbuf_str(&sample.bytes); (p = strstr(p, "\"ph\":\"E\""));
		     p++)
			ends++;
		assert_int_equal(ends, N);
		assert_int_equal(sample.events, 2 * N);
	}
	export_sample_done(&sample);
	free(events);
	assert_true(r == 0 || r == -ENOMEM);
}

#define SLICE(task, time, name, category)                                                  \
	"{\"ph\":\"B\",\"pid\":" task ",\"tid\":" task ",\"ts\":" time ",\"name\":\"" name \
	"\",\"cat\":\"" category "\",\"args\":{\"cpu\":0}}"

static void user_functions_nest_with_kernel_functions(void **state)
{
	/* The function starts when the trap of its probe has ended. */
	writes(BEGIN NAMES("42", "task")
		       SLICE("42", "1.000", "first", "function") ",\n" ENDS("42", "1.200") ",\n" SLICE(
			       "42", "1.200", "main [app]",
			       "user function") ",\n" SLICE("42", "1.300", "second",
							    "function") ",\n" ENDS("42",
										   "1.400") ",\n" ENDS("42",
												       "1.500")
			       END,
	       (struct export_sample_event[]){ { EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
					       { EXPORT_USER_ENTER, 0, 1100, 42, 0, 0x7000 },
					       { EXPORT_EXIT, 0, 1200, 42, EXPORT_FIRST, 0 },
					       { EXPORT_ENTRY, 0, 1300, 42, EXPORT_SECOND, 0 },
					       { EXPORT_EXIT, 0, 1400, 42, EXPORT_SECOND, 0 },
					       { EXPORT_USER_LEAVE, 0, 1500, 42, 0 },
					       { 0 } });
}

/* Returns the number after @key, without its decimal point. */
static uint64_t number_of(const char *object, const char *key)
{
	uint64_t value = 0;

	object = strstr(object, key);
	assert_non_null(object);
	for (object += strlen(key); *object == '.' || (*object >= '0' && *object <= '9'); object++)
		if (*object != '.')
			value = value * 10 + (uint64_t)(*object - '0');
	return value;
}

/* Checks for each track that ends match starts, and that time never goes back. */
static void check_balance(const char *p)
{
	uint64_t last[2] = { 0 };
	int open[2] = { 0 };

	for (; (p = strstr(p, "{\"ph\":\"")); p++) {
		char phase = p[7];
		uint64_t track, time;

		if (phase != 'B' && phase != 'E')
			continue;
		track = number_of(p, "\"tid\":") - 42;
		time = number_of(p, "\"ts\":");
		assert_true(track < 2);
		assert_true(time >= last[track]);
		last[track] = time;
		open[track] += phase == 'B' ? 1 : -1;
		assert_true(open[track] >= 0);
	}
	assert_int_equal(open[0], 0);
	assert_int_equal(open[1], 0);
}

static void slices_are_always_balanced(void **state)
{
	for (uint64_t seed = 1; seed <= (mem_fault ? 2 : 100); seed++) {
		struct export_sample_event events[200];
		struct export_sample sample;
		int r;

		export_sample_scramble(events, ARRAY_SIZE(events), seed);
		r = export_sample_open(&sample, &export_chrome, events);
		if (r == 0)
			r = export_sample_write(&sample);
		if (succeeds(r == 0)) {
			assert_non_null(strstr(strbuf_str(&sample.bytes), "user function"));
			check_balance(strbuf_str(&sample.bytes));
		}
		export_sample_done(&sample);
		assert_true(r == 0 || r == -ENOMEM);
	}
}

static void survives_failing_allocations(void **state)
{
	static const struct export_sample_event events[] = {
		{ EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
		{ EXPORT_SYS_ENTER, 1, 1002, 42, 0, 3 },
		{ EXPORT_KINDS, 0, 1003, 42, 1, 2, 0, "a string" },
		{ EXPORT_UNKNOWN, 0, 1200, 77 },
		{ EXPORT_USER_ENTER, 0, 1300, 42, 0, 0x7000 },
		{ 0 }
	};
	struct export_sample sample;

	if (succeeds(export_sample_open(&sample, &export_chrome, events) == 0 &&
		     export_sample_write(&sample) == 0))
		oom_check(export_sample_write, &sample);
	export_sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_valid_without_events),
		cmocka_unit_test(functions_nest),
		cmocka_unit_test(open_calls_are_ended),
		cmocka_unit_test(a_loss_ends_calls_at_the_last_event),
		cmocka_unit_test(calls_have_kernel_times),
		cmocka_unit_test(system_calls_have_a_track),
		cmocka_unit_test(other_events_are_instants),
		cmocka_unit_test(remembers_many_tasks),
		cmocka_unit_test(user_functions_nest_with_kernel_functions),
		cmocka_unit_test(slices_are_always_balanced),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
