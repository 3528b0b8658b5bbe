/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "tui/scope.h"

static struct scope time_of(uint64_t from, uint64_t to)
{
	return (struct scope){ .kind = SCOPE_TIME, .window = { .from = from, .to = to } };
}

static void narrows(void **state)
{
	struct scope wide = time_of(100, 200), over = time_of(150, 300), off = time_of(10, 20);
	struct scope task = { .kind = SCOPE_TASK, .pid = 0 }, cpu = { .kind = SCOPE_CPU, .cpu = 3 };
	struct scope filter = { .kind = SCOPE_FILTER, .filter = "pid == 1" };
	struct scopes scopes;
	const char *why = NULL;

	scopes_init(&scopes);
	assert_int_equal(scopes_top(&scopes)->window.to, UINT64_MAX);
	assert_false(scopes_pop(&scopes));
	assert_true(scopes_push(&scopes, &wide, &why));
	assert_true(scopes_push(&scopes, &filter, &why));
	assert_true(scopes_push(&scopes, &over, &why));
	assert_int_equal(scopes_top(&scopes)->window.from, 150);
	assert_int_equal(scopes_top(&scopes)->window.to, 200);
	assert_string_equal(scopes_top(&scopes)->filter, "");
	assert_false(scopes_push(&scopes, &off, &why));
	assert_string_equal(why, "outside the visible time range");
	assert_true(scopes_push(&scopes, &cpu, &why));
	assert_true(scopes_push(&scopes, &task, &why));
	assert_false(scopes_push(&scopes, &task, &why));
	assert_string_equal(why, "already limited to this task");
	/* The scope refers to its own CPU, not to that of another scope. */
	assert_ptr_equal(scopes_top(&scopes)->window.cpus, &scopes_top(&scopes)->cpu);
	assert_int_equal(scopes_top(&scopes)->window.cpus[0], 3);
	assert_true(scopes_top(&scopes)->has_pid);
	assert_true(scopes_pop(&scopes));
	assert_false(scopes_top(&scopes)->has_pid);
	assert_true(scopes_pop(&scopes));
	assert_int_equal(scopes_top(&scopes)->window.n_cpus, 0);
	assert_int_equal(scopes_top(&scopes)->window.from, 150);
}

static void is_bounded(void **state)
{
	struct scope filter = { .kind = SCOPE_FILTER, .filter = "pid == 1" };
	struct scopes scopes;
	const char *why = NULL;

	scopes_init(&scopes);
	for (unsigned i = 1; i < SCOPES_MAX; i++)
		assert_true(scopes_push(&scopes, &filter, &why));
	assert_false(scopes_push(&scopes, &filter, &why));
	assert_non_null(why);
	assert_int_equal(scopes.n, SCOPES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(narrows),
		cmocka_unit_test(is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
