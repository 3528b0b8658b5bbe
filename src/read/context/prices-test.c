/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include <fathom/fathom.h>

#include "base/cleanup.h"
#include "format/file/trace-file.h"
#include "read/context/prices.h"
#include "temp-file.h"
#include "trace-writer.h"

static bool read_from(const char *note, struct prices *ret_prices)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	struct fathom_trace *trace;
	bool known;

	assert_non_null(w);
	trace_writer_option(w, TRACE_ID_CPUCOUNT, (uint8_t[]){ 1, 0, 0, 0 }, 4);
	trace_writer_option(w, TRACE_ID_FATHOM_INFO, note, (uint32_t)strlen(note) + 1);
	assert_int_equal(trace_writer_save(w, temp_path), 0);
	trace_writer_free(w);
	assert_int_equal(fathom_trace_open(temp_path, 0, &trace, NULL), 0);
	known = prices_read(trace, ret_prices);
	fathom_trace_free(trace);
	return known;
}

static void reads_recorded_costs(void **state)
{
	struct prices prices;
	char note[200];

	snprintf(note, sizeof(note), "seconds: 1\n" PRICES_KEY ": " PRICES_FORMAT "\nlost: 0\n",
		 775.1, 1550.9);
	assert_true(read_from(note, &prices));
	assert_true(prices.event_ns > 775 && prices.event_ns < 775.2);
	assert_true(prices.call_ns > 1550.8 && prices.call_ns < 1551);
}

static void reads_costs_of_system_calls(void **state)
{
	struct prices prices;
	char note[200];

	snprintf(note, sizeof(note), PRICES_KEY ": " PRICES_FORMAT PRICES_FORMAT_CALLS "\n", 588.3,
		 0.0, 615.2, 1423.1, 85.04);
	assert_true(read_from(note, &prices));
	assert_true(prices.syscall_ns > 615.1 && prices.syscall_ns < 615.3);
	assert_true(prices.path_ns > 1423 && prices.path_ns < 1423.2);
	assert_true(prices.path_byte_ns > 85.03 && prices.path_byte_ns < 85.05);
	/* All of them or none. */
	assert_true(read_from("prices: event 5 ns, function call 0 ns, in a system call 6 ns\n",
			      &prices));
	assert_true(prices.event_ns > 4 && prices.syscall_ns == 0);
}

static void does_not_invent_costs(void **state)
{
	static const char *const notes[] = {
		"lost: 0\n",
		"prices: \n",
		"prices: event 775 ns\n",
		"prices: event -3 ns, function call 0 ns\n",
		"prices: event nan ns, function call 0 ns\n",
		"prices: event 1e300 ns, function call 0 ns\n",
	};
	struct prices prices;

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		if (read_from(notes[i], &prices))
			fail_msg("'%s' was taken for prices", notes[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_recorded_costs),
		cmocka_unit_test(reads_costs_of_system_calls),
		cmocka_unit_test(does_not_invent_costs),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
