/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <stdlib.h>

#include "actions/plan/probe-progress.h"

#define SECOND UINT64_C(1000000000)

static uint64_t time_now;

static uint64_t test_clock(void)
{
	return time_now;
}

static void shows_steps_and_their_rate(void **state)
{
	static const char creating[] = "creating probes", enabling[] = "enabling probes";
	struct probe_progress progress;
	char *text = NULL;
	size_t len = 0;
	FILE *messages = open_memstream(&text, &len);

	require(messages);
	probe_progress_init(&progress, messages);
	/* As on a terminal. */
	progress.line.terminal = true;
	progress.line.interval = SECOND / 4;
	progress.line.next = SECOND;
	progress.line.now = test_clock;
	progress.last_shown = 0;
	for (size_t i = 0; i < 10000; i++) {
		/* One millisecond each. */
		time_now = i * 1000000;
		if (time_now < SECOND * 3 / 2)
			probe_progress_take(&progress, creating, i, 10000);
	}
	probe_progress_take(&progress, enabling, 5, 10);
	probe_progress_done(&progress);
	fclose(messages);
	assert_string_equal(text, "\r\033[Kcreating probes: 10 % of 10000, 1000/s"
				  "\r\033[Kcreating probes: 12 % of 10000, 1000/s"
				  "\r\033[Kenabling probes: 50 % of 10, 1/s\r\033[K");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_steps_and_their_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
