/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/watch/watch-target.h"

#include <errno.h>

#include "test.h"

static void identifies_the_owner_of_the_memory(void **state)
{
	static const struct {
		const char *text, *file, *symbol;
		uint64_t address, length;
		unsigned access;
		bool is_kernel;
	} list[] = {
		{ "jiffies", NULL, "jiffies", .is_kernel = true },
		{ "jiffies/4:rw", NULL, "jiffies", 0, 4, WATCH_READ | WATCH_WRITE, true },
		{ "w:w", NULL, "w", .access = WATCH_WRITE, .is_kernel = true },
		{ "(struct task_struct)init_task.comm:rw", NULL, "init_task",
		  .access = WATCH_READ | WATCH_WRITE, .is_kernel = true },
		{ "./app:counter", "./app", "counter" },
		{ "./app:w:w", "./app", "w", .access = WATCH_WRITE },
		{ "/opt/a/app:a.c:depth+8/4:rw", "/opt/a/app", "a.c:depth", 8, 4,
		  WATCH_READ | WATCH_WRITE },
		{ "app:ns::total", "app", "ns::total" },
		{ "app:(struct pair)both.first:w", "app", "both", .access = WATCH_WRITE },
		{ "libc:environ", "libc", "environ" },
		{ "app:0x404040/2", "app", NULL, 0x404040, 2 },
		{ "0x404040/8:rw", NULL, NULL, 0x404040, 8, WATCH_READ | WATCH_WRITE },
		{ "0xffffffff81000000:x", NULL, NULL, 0xffffffff81000000, 0, WATCH_EXECUTE, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		struct arena arena = { 0 };
		struct watch_target target;
		struct fathom_err err = { 0 };

		if (watch_target_parse(list[i].text, &arena, &target, &err) == 0) {
			assert_int_equal(target.is_kernel, list[i].is_kernel);
			assert_int_equal(target.spec.access, list[i].access);
			assert_int_equal(target.spec.length, list[i].length);
			assert_int_equal(target.spec.address, list[i].address);
			assert_int_equal(!target.file, !list[i].file);
			if (target.file)
				assert_string_equal(target.file, list[i].file);
			assert_int_equal(!target.spec.symbol, !list[i].symbol);
			if (target.spec.symbol)
				assert_string_equal(target.spec.symbol, list[i].symbol);
		} else {
			assert_int_equal(err.code, -ENOMEM);
		}
		arena_done(&arena);
	}
}

static void rejects_invalid_targets(void **state)
{
	static const char *const list[] = { "", "app:x/0:w", "app:c+z", "(struct a", "0x12z" };

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		struct arena arena = { 0 };
		struct watch_target target;
		struct fathom_err err = { 0 };
		int r = watch_target_parse(list[i], &arena, &target, &err);

		assert_true(r == -ENOMEM || r == -EINVAL);
		assert_int_equal(err.code, r);
		arena_done(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identifies_the_owner_of_the_memory),
		cmocka_unit_test(rejects_invalid_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
