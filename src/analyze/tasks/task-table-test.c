/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/tasks/task-table.h"

/* A step. SWITCH: from @pid, which is @dead or not, to @other. */
struct step {
	enum decoded_kind kind;
	int32_t pid, other;
	bool dead;
	uint16_t buffer;
};

#define SWITCH DECODED_SWITCH
#define ENTRY  DECODED_SYSCALL_ENTRY

/* Returns the number of the task that has @pid after all steps, or -1. */
static int64_t number_after(const struct step *steps, size_t n, int32_t pid)
{
	struct task_table table = { 0 };
	int64_t number = -1;
	uint32_t place;

	for (size_t i = 0; i < n; i++) {
		struct fathom_event event = { .pid = steps[i].pid, .buffer = steps[i].buffer };
		struct decoded_event decoded = { .kind = steps[i].kind, .event = &event };

		if (steps[i].kind == SWITCH) {
			decoded.sched.prev_pid = steps[i].pid;
			decoded.sched.next_pid = steps[i].other;
			decoded.sched.prev = steps[i].dead ? TASK_STATE_DEAD : TASK_STATE_SLEEPING;
		} else {
			decoded.task.pid = steps[i].other;
		}
		task_table_feed(&table, &decoded);
	}
	place = task_table_find(&table, pid);
	if (place != TASK_TABLE_NONE)
		number = table.list[place].number;
	if (!table.nomem && place != TASK_TABLE_NONE)
		assert_int_equal(table.list[place].pid, pid);
	task_table_done(&table);
	return number;
}

/* Returns how many tasks had the pid 7. */
static unsigned tasks_of_7(const struct step *steps, size_t n)
{
	int64_t before = -1, now;
	unsigned found = 0;

	for (size_t i = 1; i <= n; i++) {
		now = number_after(steps, i, 7);
		found += now != before;
		before = now;
	}
	return found;
}

#define TASKS_OF_7(...)                                  \
	tasks_of_7((const struct step[]){ __VA_ARGS__ }, \
		   sizeof((const struct step[]){ __VA_ARGS__ }) / sizeof(struct step))

static void a_task_is_created_once(void **state)
{
	assert_int_equal(TASKS_OF_7({ DECODED_NEW_TASK, 1, 7 }, { DECODED_FORK, 1, 7 },
				    { DECODED_WAKEUP_NEW, 1, 7 }, { SWITCH, 1, 7 }, { ENTRY, 7 },
				    { SWITCH, 7, 1 }, { DECODED_WAKING, 1, 7 }, { SWITCH, 1, 7 },
				    { DECODED_TASK_EXIT, 7, 7 }, { SWITCH, 7, 1 }, { SWITCH, 1, 7 },
				    { SWITCH, 7, 1, .dead = true }),
			 1);
	assert_int_equal(TASKS_OF_7({ DECODED_WAKEUP_NEW, 1, 7 }, { ENTRY, 7 }), 1);
	/* The same event in two buffers. */
	assert_int_equal(TASKS_OF_7({ DECODED_FORK, 1, 7 }, { DECODED_FORK, 1, 7, .buffer = 1 },
				    { SWITCH, 7, 1, .dead = true },
				    { SWITCH, 7, 1, .dead = true, .buffer = 1 }),
			 1);
}

static void pids_are_reused(void **state)
{
	/* The end was not recorded. */
	assert_int_equal(TASKS_OF_7({ DECODED_FORK, 1, 7 }, { DECODED_FORK, 1, 7 }), 2);
	assert_int_equal(TASKS_OF_7({ DECODED_WAKEUP_NEW, 1, 7 }, { DECODED_WAKEUP_NEW, 1, 7 }), 2);
	assert_int_equal(
		TASKS_OF_7({ ENTRY, 7 }, { DECODED_NEW_TASK, 1, 7 }, { DECODED_FORK, 1, 7 }), 2);
	/* The creation was not recorded. */
	assert_int_equal(TASKS_OF_7({ SWITCH, 7, 1, .dead = true }, { SWITCH, 1, 7 }), 2);
	assert_int_equal(TASKS_OF_7({ SWITCH, 7, 1, .dead = true }, { SWITCH, 7, 1 }), 2);
	assert_int_equal(TASKS_OF_7({ SWITCH, 7, 1, .dead = true }, { DECODED_WAKEUP, 1, 7 }), 2);
	assert_int_equal(TASKS_OF_7({ ENTRY, 7 }, { DECODED_TASK_EXIT, 7, 7 }, { ENTRY, 7 }), 2);
	/* The last functions of a switch follow its event. */
	assert_int_equal(TASKS_OF_7({ SWITCH, 7, 1, .dead = true }, { DECODED_CALL, 7 },
				    { DECODED_RETURN, 7 }),
			 1);
}

static void idle_tasks_are_not_tasks(void **state)
{
	assert_int_equal(number_after((const struct step[]){ { SWITCH, 0, 7 } }, 1, 0), -1);
	assert_int_equal(number_after((const struct step[]){ { SWITCH, 0, 7 } }, 1, 8), -1);
}

struct kept {
	struct task_slot slot;
	int value;
};

/* Increments and returns the counter of the task that has the pid now; -1 if there is none. */
static int keep(struct task_table *table, struct kept **list, size_t *n, size_t *cap, int32_t pid)
{
	enum task_slot_state state;
	struct kept *kept = task_table_known(table, pid, *list, *n, sizeof(*kept));
	int before = kept ? kept->value : -1;

	kept = task_table_slot(table, pid, list, n, cap, sizeof(*kept), &state);
	if (!kept)
		return -2;
	assert_int_equal(state == TASK_SLOT_KNOWN, before >= 0);
	if (state == TASK_SLOT_NEW)
		assert_int_equal(kept->value, 0);
	if (state == TASK_SLOT_RENEWED)
		*kept = (struct kept){ .slot = kept->slot };
	kept->value++;
	return before;
}

static void data_belongs_to_one_task(void **state)
{
	struct task_table table = { 0 };
	struct fathom_event event = { .pid = 7 };
	struct decoded_event exits = { .kind = DECODED_TASK_EXIT, .event = &event, .task.pid = 7 };
	struct decoded_event enters = { .kind = ENTRY, .event = &event };
	struct kept *list = NULL;
	size_t n = 0, cap = 0;

	assert_int_equal(keep(&table, &list, &n, &cap, 0), -2);
	assert_false(table.nomem);
	assert_int_equal(keep(&table, &list, &n, &cap, 7), -1);
	assert_int_equal(keep(&table, &list, &n, &cap, 8), -1);
	assert_int_equal(keep(&table, &list, &n, &cap, 7), 1);
	task_table_feed(&table, &exits);
	assert_int_equal(keep(&table, &list, &n, &cap, 7), 2);
	task_table_feed(&table, &enters);
	assert_int_equal(keep(&table, &list, &n, &cap, 7), -1);
	assert_int_equal(keep(&table, &list, &n, &cap, 7), 1);
	assert_int_equal(keep(&table, &list, &n, &cap, 8), 1);
	assert_int_equal(n, 2);
	free(list);
	task_table_done(&table);
}

static int feed_some(void *arg)
{
	struct task_table table = { 0 };
	struct kept *list = NULL;
	size_t n = 0, cap = 0;
	int r;

	for (int32_t pid = 1; pid < 100; pid++) {
		struct fathom_event event = { .pid = pid };
		struct decoded_event decoded = { .kind = ENTRY, .event = &event };

		task_table_feed(&table, &decoded);
		if (!table.nomem)
			assert_int_equal(task_table_get(&table, pid), pid - 1);
		keep(&table, &list, &n, &cap, pid);
	}
	r = table.nomem ? -ENOMEM : 0;
	free(list);
	task_table_done(&table);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_some, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_is_created_once),
		cmocka_unit_test(pids_are_reused),
		cmocka_unit_test(idle_tasks_are_not_tasks),
		cmocka_unit_test(data_belongs_to_one_task),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
