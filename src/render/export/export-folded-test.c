/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-sample.h"
#include "test.h"

static const struct export_sample_event events[] = {
	{ EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
	{ EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
	{ EXPORT_EXIT, 0, 1200, 42, EXPORT_SECOND, 1, 100 },
	{ EXPORT_EXIT, 0, 1300, 42, EXPORT_FIRST, 0, 300 },
	/* Another task makes the same calls, and one more. */
	{ EXPORT_ENTRY, 1, 2000, 43, EXPORT_FIRST, 0 },
	{ EXPORT_ENTRY, 1, 2100, 43, EXPORT_SECOND, 1 },
	{ EXPORT_EXIT, 1, 2150, 43, EXPORT_SECOND, 1, 50 },
	{ EXPORT_EXIT, 1, 2200, 43, EXPORT_FIRST, 0, 200 },
	{ EXPORT_ENTRY, 1, 2300, 43, EXPORT_SECOND, 0 },
	{ EXPORT_EXIT, 1, 2307, 43, EXPORT_SECOND, 0, 7 },
	{ 0 },
};

static int write_sample(const struct export_sample_event *list, struct export_sample *sample)
{
	int r = export_sample_open(sample, &export_folded, list);

	return r < 0 ? r : export_sample_write(sample);
}

static void sums_paths(void **state)
{
	struct export_sample sample;
	int r = write_sample(events, &sample);

	if (succeeds(r == 0)) {
		assert_non_null(strstr(strbuf_str(&sample.bytes), "first 350\n"));
		assert_non_null(strstr(strbuf_str(&sample.bytes), "first;second 150\n"));
		assert_non_null(strstr(strbuf_str(&sample.bytes), "second 7\n"));
		assert_int_equal(sample.bytes.len,
				 strlen("first 350\nfirst;second 150\nsecond 7\n"));
		assert_int_equal(sample.events, 10);
	}
	export_sample_done(&sample);
	assert_true(r == 0 || r == -ENOMEM);
}

static void requires_calls(void **state)
{
	struct export_sample sample;
	int r = write_sample(
		(struct export_sample_event[]){ { EXPORT_PRINT, 0, 1000, 42, 0, 0, 0, "no call" },
						{ 0 } },
		&sample);

	export_sample_done(&sample);
	assert_true(r == -ENODATA || r == -ENOMEM);
}

static void survives_failing_allocations(void **state)
{
	struct export_sample sample;

	if (succeeds(write_sample(events, &sample) == 0))
		oom_check(export_sample_write, &sample);
	export_sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_paths),
		cmocka_unit_test(requires_calls),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
