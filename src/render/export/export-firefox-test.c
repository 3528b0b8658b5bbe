/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-sample.h"
#include "test.h"

static int write_sample(const struct export_sample_event *events, struct export_sample *sample)
{
	int r = export_sample_open(sample, &export_firefox, events);

	return r < 0 ? r : export_sample_write(sample);
}

/* Checks that the file contains all of @wanted, NULL-terminated, in this order. */
static void holds(const struct export_sample *sample, const char *const *wanted)
{
	const char *p = strbuf_str(&sample->bytes);

	for (; *wanted; wanted++) {
		const char *found = strstr(p, *wanted);

		if (!found)
			print_error("missing: %s, behind: %s", *wanted, p);
		assert_non_null(found);
		p = found + strlen(*wanted);
	}
}

static void writes(const char *const *wanted, const struct export_sample_event *events)
{
	struct export_sample sample;
	int r = write_sample(events, &sample);

	if (r == 0)
		holds(&sample, wanted);
	export_sample_done(&sample);
	assert_true(r == 0 || r == -ENOMEM);
}

/* The same for the range from @from to @to. @missing must not occur. */
static void writes_part(uint64_t from, uint64_t to, const char *const *wanted, const char *missing,
			const struct export_sample_event *events)
{
	struct export_sample sample;
	int r = export_sample_open(&sample, &export_firefox, events);

	sample.from = from;
	sample.to = to;
	if (r == 0)
		r = export_sample_write(&sample);
	if (r == 0) {
		holds(&sample, wanted);
		assert_null(strstr(strbuf_str(&sample.bytes), missing));
	}
	export_sample_done(&sample);
	assert_true(r == 0 || r == -ENOMEM);
}

static void calls_are_weighted_samples(void **state)
{
	/* No call is open between calls, and before the first one. */
	writes(
		(const char *[]){
			"\"name\":\"task\",\"processName\":\"task\"", "\"pid\":\"42\"",
			"\"weightType\":\"tracing-ms\"", "\"stack\":[null,0,1,0,null,2,null]",
			"\"time\":[0.000000,0.000010,0.000110,0.000210,0.000310,0.000410,0.000420]",
			"\"weight\":[0.000010,0.000100,0.000100,0.000100,0.000100,0.000010,0.000000]",
			"\"length\":7}", "\"prefix\":[null,0,null]", "\"frame\":[0,2,2]",
			"\"func\":[0,0,1,1]", "\"stringArray\":[\"first\",\"second\",", NULL },
		(struct export_sample_event[]){ { EXPORT_PRINT, 0, 990, 42, 0, 0, 0, "begin" },
						{ EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
						{ EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
						{ EXPORT_EXIT, 0, 1200, 42, EXPORT_SECOND, 1 },
						{ EXPORT_EXIT, 0, 1300, 42, EXPORT_FIRST, 0 },
						{ EXPORT_ENTRY, 0, 1400, 42, EXPORT_SECOND, 0 },
						{ EXPORT_EXIT, 0, 1410, 42, EXPORT_SECOND, 0 },
						{ 0 } });
}

static void system_calls_are_samples_and_markers(void **state)
{
	writes((const char *[]){ "\"stack\":[0,null]", "\"name\":[0]", "\"startTime\":[0.000000]",
				 "\"endTime\":[0.000100]", "\"phase\":[1]", "\"category\":[2]",
				 "{\"type\":\"syscall\",\"result\":\"-2 ENOENT\",\"arguments\":",
				 "\"cpu\":0}", "\"stringArray\":[\"read\"", NULL },
	       (struct export_sample_event[]){ { EXPORT_ENTER_READ, 0, 1000, 43, 0, 3 },
					       { EXPORT_EXIT_READ, 0, 1100, 43, 0, (uint64_t)-2 },
					       { 0 } });
}

static void states_are_markers(void **state)
{
	/* A task sleeps until it is woken, waits for the CPU, and runs to the end. */
	writes((const char *[]){ "\"name\":\"task\"", "\"startTime\":", "0.000100", "0.000300",
				 "\"endTime\":", "0.000300", "0.000400", "0.000500",
				 "{\"type\":\"state\",\"why\":\"sleeping",
				 "woken by other-43\",\"cpu\":",
				 "{\"type\":\"state\",\"why\":\"runnable\"",
				 "{\"type\":\"state\",\"why\":\"on CPU 0\"", NULL },
	       (struct export_sample_event[]){ { EXPORT_PRINT, 0, 1000, 42, 0, 0, 0, "begin" },
					       { EXPORT_SWITCH, 0, 1100, 42, 42, 43, 1, "other" },
					       { EXPORT_WAKING, 0, 1300, 43, 42, 0, 0, "task" },
					       { EXPORT_SWITCH, 0, 1400, 43, 43, 42, 0, "task" },
					       { EXPORT_PRINT, 0, 1500, 42, 0, 0, 0, "end" },
					       { 0 } });
}

/* Sleeps from 1100 to 1300, waits for a CPU until 1400, runs. */
static const struct export_sample_event sleeper[] = {
	{ EXPORT_PRINT, 0, 1000, 42, 0, 0, 0, "begin" },
	{ EXPORT_SWITCH, 0, 1100, 42, 42, 43, 1, "other" },
	{ EXPORT_PRINT, 0, 1220, 43, 0, 0, 0, "middle" },
	{ EXPORT_WAKING, 0, 1300, 43, 42, 0, 0, "task" },
	{ EXPORT_SWITCH, 0, 1400, 43, 43, 42, 0, "task" },
	{ EXPORT_PRINT, 0, 1500, 42, 0, 0, 0, "end" },
	{ 0 }
};

static void states_are_clipped_by_a_window(void **state)
{
	/* Even before its first event in the window. */
	writes_part(1200, 1450,
		    (const char *[]){ "\"name\":\"other\"", "\"why\":\"on CPU 0\"",
				      "\"name\":\"task\"",
				      "\"startTime\":[0.000000,0.000100,0.000200]",
				      "\"endTime\":[0.000100,0.000200,0.000250]",
				      "{\"type\":\"state\",\"why\":\"sleeping",
				      "woken by other-43\",\"cpu\":",
				      "{\"type\":\"state\",\"why\":\"runnable\"",
				      "{\"type\":\"state\",\"why\":\"on CPU 0\"", NULL },
		    "begin", sleeper);
	/* Even without any event in the window. */
	writes_part(1210, 1250,
		    (const char *[]){ "\"name\":\"other\"", "\"text\":\"middle\"",
				      "\"name\":\"task\"", "\"startTime\":[0.000000]",
				      "\"endTime\":[0.000040]",
				      "{\"type\":\"state\",\"why\":\"sleeping", NULL },
		    "woken", sleeper);
}

static void tasks_that_were_not_recorded_have_no_states(void **state)
{
	struct export_sample_event events[ARRAY_SIZE(sleeper) + 1] = { { EXPORT_NOTE, 0, 0, 0, 0, 0,
									 0, "pids: 43\n" } };

	memcpy(events + 1, sleeper, sizeof(sleeper));
	writes_part(0, UINT64_MAX,
		    (const char *[]){ "\"name\":\"task\"", "\"text\":\"begin\"",
				      "\"name\":\"other\"", "\"why\":\"on CPU 0\"",
				      "\"why\":\"preempted\"", NULL },
		    "\"why\":\"sleeping", events);
}

static void other_events_are_markers(void **state)
{
	writes((const char *[]){ "\"name\":\"swapper/1\"", "\"pid\":\"swapper/1\"",
				 "\"tid\":\"swapper/1\"", "\"endTime\":[null,null]",
				 "\"phase\":[0,0]",
				 "{\"type\":\"event\",\"text\":\"a \\\"b\\\"\",\"cpu\":1}",
				 "{\"type\":\"event\",\"text\":\"\",\"cpu\":1}",
				 "\"test:kinds\",\"unknown\"]", NULL },
	       (struct export_sample_event[]){
		       { EXPORT_KINDS, 1, 1000000001, 0, (uint64_t)-5, 7, 0, "a string" },
		       { EXPORT_UNKNOWN, 1, 1000000002, 0 },
		       { 0 } });
}

static void is_valid_without_events(void **state)
{
	writes((const char *[]){ "\"threads\":[],\n\"shared\":{\"stackTable\":{", "}}\n", NULL },
	       (struct export_sample_event[]){ { 0 } });
}

static void survives_failing_allocations(void **state)
{
	static const struct export_sample_event events[] = {
		{ EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
		{ EXPORT_ENTER_READ, 1, 1002, 43, 0, 3 },
		{ EXPORT_EXIT_READ, 1, 1003, 43, 0, 3 },
		{ EXPORT_SWITCH, 0, 1100, 42, 42, 43, 1, "other" },
		{ EXPORT_WAKING, 0, 1300, 43, 42, 0, 0, "task" },
		{ EXPORT_KINDS, 0, 1400, 42, 1, 2, 0, "a string" },
		{ EXPORT_UNKNOWN, 0, 1500, 77 },
		{ 0 }
	};
	struct export_sample sample;

	if (succeeds(write_sample(events, &sample) == 0))
		oom_check(export_sample_write, &sample);
	export_sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_weighted_samples),
		cmocka_unit_test(system_calls_are_samples_and_markers),
		cmocka_unit_test(states_are_markers),
		cmocka_unit_test(states_are_clipped_by_a_window),
		cmocka_unit_test(tasks_that_were_not_recorded_have_no_states),
		cmocka_unit_test(other_events_are_markers),
		cmocka_unit_test(is_valid_without_events),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
