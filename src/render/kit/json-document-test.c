/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <string.h>

#include <fathom/version.h>

#include "render/kit/json-document.h"

static void check_document(const struct completeness *completeness, const char *expected)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 }, text = { 0 };
	struct json json;

	json_document_begin(&json, &buf, false);
	json_u64(&json, "n", 1);
	json_document_end(&json, completeness);
	strbuf_addf(&text, "{\"schema\":%d,\"version\":\"%s\",\"n\":1,\"completeness\":{%s}}\n",
		    JSON_SCHEMA, fathom_version(), expected);
	if (succeeds(!buf.err && !text.err))
		assert_string_equal(strbuf_str(&buf), strbuf_str(&text));
}

static void names_what_is_missing(void **state)
{
	struct completeness all = { .of_recording = true,
				    .lost_known = true,
				    .lost_more = true,
				    .lost = 7,
				    .damaged = true,
				    .unfinished = true,
				    .cut = true,
				    .time_range = true,
				    .filtered = true,
				    .some_tasks = true,
				    .some_cpus = true,
				    .hidden_interrupts = true,
				    .unreadable = true };

	check_document(
		&all,
		"\"is_complete\":false,\"missing\":[\"lost_events\",\"damaged_parts\","
		"\"unfinished_end\",\"unread_end\",\"outside_time_range\",\"filtered_events\","
		"\"untraced_tasks\",\"untraced_cpus\",\"hidden_interrupts\","
		"\"unreadable_state\"],"
		"\"lost_event_count\":7,\"lost_count_is_minimum\":true");
	check_document(NULL, "\"is_complete\":true,\"missing\":[],\"lost_event_count\":null,"
			     "\"lost_count_is_minimum\":false");
}

static void knows_whether_losses_were_counted(void **state)
{
	struct completeness counted = { .of_recording = true, .lost_known = true };
	struct completeness uncounted = { .of_recording = true };

	check_document(&counted, "\"is_complete\":true,\"missing\":[],\"lost_event_count\":0,"
				 "\"lost_count_is_minimum\":false");
	check_document(&uncounted, "\"is_complete\":null,\"missing\":[],\"lost_event_count\":null,"
				   "\"lost_count_is_minimum\":false");
}

static void merges(void **state)
{
	struct completeness sum = { 0 };
	const struct completeness one = { .of_recording = true, .lost_known = true, .lost = 3 };
	const struct completeness other = { .of_recording = true,
					    .lost_known = true,
					    .lost = 4,
					    .some_cpus = true,
					    .hidden_interrupts = true };
	const struct completeness uncounted = { .of_recording = true };

	completeness_add(&sum, &one);
	completeness_add(&sum, &other);
	check_document(&sum, "\"is_complete\":false,\"missing\":[\"lost_events\","
			     "\"untraced_cpus\",\"hidden_interrupts\"],\"lost_event_count\":7,"
			     "\"lost_count_is_minimum\":false");
	completeness_add(&sum, &uncounted);
	assert_false(sum.lost_known);
	completeness_add(&sum, &one);
	assert_false(sum.lost_known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_is_missing),
		cmocka_unit_test(knows_whether_losses_were_counted),
		cmocka_unit_test(merges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
