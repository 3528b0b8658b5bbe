/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/stream/decoded-event.h"
#include "base/cleanup.h"

/* The states of Linux 4.4, and of 4.14 and later. */
static const struct prev_states old = { 11,
					{ 'S', 'D', 'T', 't', 'Z', 'X', 'x', 'K', 'W', 'P', 'N' },
					2048 };
static const struct prev_states new = { 8, { 'S', 'D', 'T', 't', 'X', 'Z', 'P', 'I' }, 0x100 };

static void decodes_task_states(void **state)
{
	static const struct {
		const struct prev_states *states;
		uint64_t bits;
		enum task_state expected;
	} cases[] = {
		{ &new, 0, TASK_STATE_RUNNABLE },
		{ &new, 0x100, TASK_STATE_RUNNABLE },
		{ &new, 1, TASK_STATE_SLEEPING },
		{ &new, 2, TASK_STATE_BLOCKED },
		{ &new, 4, TASK_STATE_STOPPED },
		{ &new, 8, TASK_STATE_STOPPED },
		{ &new, 0x10, TASK_STATE_DEAD },
		{ &new, 0x20, TASK_STATE_DEAD },
		{ &new, 0x40, TASK_STATE_STOPPED },
		{ &new, 0x80, TASK_STATE_IDLE },
		{ &old, 0, TASK_STATE_RUNNABLE },
		/* Preempted on its way to sleep. */
		{ &old, 2048 | 1, TASK_STATE_RUNNABLE },
		{ &old, 16, TASK_STATE_DEAD },
		{ &old, 64, TASK_STATE_DEAD },
		{ &old, 2 | 128, TASK_STATE_BLOCKED },
		{ &old, 2 | 1024, TASK_STATE_IDLE },
		{ &old, 512, TASK_STATE_STOPPED },
		{ &old, 256, TASK_STATE_RUNNABLE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(task_state_of(cases[i].states, cases[i].bits), cases[i].expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_task_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
