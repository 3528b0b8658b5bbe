/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/export.h"

#include "base/strbuf.h"
#include "test.h"

static void names_match_the_table(void **state)
{
	_cleanup_strbuf_ struct strbuf names = { 0 };

	for (size_t i = 0; export_outputs[i]; i++)
		strbuf_addf(&names, "%s%s", i ? " " : "", export_outputs[i]->name);
	if (succeeds(!names.err))
		assert_string_equal(strbuf_str(&names), EXPORT_NAMES);
}

static void outputs_are_complete(void **state)
{
	for (size_t i = 0; export_outputs[i]; i++) {
		const struct export_output *output = export_outputs[i];

		assert_true(output->suffix[0] == '.' && output->summary[0]);
		assert_true(output->copy || output->calls ||
			    (output->begin && output->event && output->end));
		assert_non_null(strstr(output->open, "open it "));
		assert_true(!(output->flags & EXPORT_DIRECTORY) || output->file_name);
		assert_ptr_equal(export_find(output->name), output);
	}
}

static void outputs_are_found_by_suffix(void **state)
{
	assert_ptr_equal(export_find_suffix("a.pftrace"), &export_perfetto);
	assert_ptr_equal(export_find_suffix("dir.json/a.b.json"), &export_chrome);
	assert_ptr_equal(export_find_suffix("a.speedscope.json"), &export_speedscope);
	assert_ptr_equal(export_find_suffix("a.firefox.json"), &export_firefox);
	assert_ptr_equal(export_find_suffix("a.v6.dat"), &export_trace_dat_v6);
	assert_ptr_equal(export_find_suffix("a.dat"), &export_trace_dat);
	assert_null(export_find_suffix(".json"));
	assert_null(export_find_suffix("json"));
	assert_null(export_find_suffix("a.json.gz"));
	assert_null(export_find_suffix(""));
	assert_null(export_find("Perfetto"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_match_the_table),
		cmocka_unit_test(outputs_are_complete),
		cmocka_unit_test(outputs_are_found_by_suffix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
