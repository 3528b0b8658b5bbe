/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which rules of data/causes match a failure. */
#include "test.h"

#include <errno.h>
#include <signal.h>

#include "analyze/why/causes.h"
#include "analyze/why/failures.h"
#include "analyze/why/meanings.h"
#include "base/cleanup.h"

DEFINE_CLEANUP(struct meanings, meanings_free);

static const char rules[] = "inner*() EACCES: the inner\n"
			    "outer() EACCES: the outer\n"
			    "openat:/dev/* ENOENT: the device\n"
			    "openat open ENOENT: the path\n"
			    "SIGSEGV: the program\n"
			    "out-of-memory: the memory\n";

/* Returns the advice for openat() of this path, with an error returned by these functions. */
static const char *ask(const char *text, size_t len, const char *path, int error, const char *inner)
{
	static char answer[400];
	_cleanup_(meanings_free_p) struct meanings *causes = NULL;
	struct func funcs[] = { { .name = "outer" }, { .name = inner } };
	struct blame_step steps[] = { { .func = 0, .error = error },
				      { .func = 1, .error = error } };
	struct failures failures = { .blame.funcs.list = funcs, .blame.funcs.n = 2 };
	struct failure failure = { .name = "openat",
				   .error = error,
				   .evidence.object = (char *)path,
				   .steps = steps,
				   .n_steps = inner ? 2 : 0 };
	const char *found;

	if (meanings_parse(text, len, &causes, NULL) < 0)
		return NULL;
	found = causes_of_failure(causes, &failures, &failure);
	snprintf(answer, sizeof(answer), "%s", found ?: "nothing");
	return answer;
}

static void expect(const char *path, int error, const char *inner, const char *expected)
{
	const char *answer = ask(rules, sizeof(rules) - 1, path, error, inner);

	if (succeeds(answer))
		assert_string_equal(answer, expected);
}

static void the_innermost_function_decides(void **state)
{
	expect("/dev/x", EACCES, "inner_one", "the inner");
	expect("/dev/x", EACCES, "unknown", "the outer");
	expect("/dev/x", ENOENT, "unknown", "the device");
	expect("/home", ENOENT, NULL, "the path");
	expect(NULL, ENOENT, NULL, "the path");
	expect("/home", EIO, "inner_one", "nothing");
}

static void signals_have_causes(void **state)
{
	const struct process process = { .out_of_memory = true };
	_cleanup_(meanings_free_p) struct meanings *causes = NULL;

	if (succeeds(meanings_parse(rules, sizeof(rules) - 1, &causes, NULL) == 0)) {
		assert_string_equal(causes_of_signal(causes, SIGSEGV, &process), "the program");
		assert_null(causes_of_signal(causes, SIGKILL, NULL));
		assert_string_equal(causes_of_signal(causes, SIGKILL, &process), "the memory");
	}
}

static void the_built_in_rules_are_valid(void **state)
{
	static const struct {
		const char *path, *inner, *expected;
		int error;
	} cases[] = {
		{ "/etc/secret", "generic_permission", "namei", EACCES },
		{ "/dev/kvm", NULL, "driver", ENOENT },
		{ "/usr/lib/libfoo.so.2", NULL, "ldd", ENOENT },
		{ "/nonexistent", "path_openat", "spelling", ENOENT },
		{ "/file", "alloc_fd", "ulimit -n", EMFILE },
	};
	struct fathom_err err = { 0 };
	struct meanings *causes = NULL;

	if (meanings_parse(causes_default, causes_default_len, &causes, &err) < 0)
		print_message("%s\n", err.message);
	require(causes);
	meanings_free(causes);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *answer = ask(causes_default, causes_default_len, cases[i].path,
					 cases[i].error, cases[i].inner);

		if (succeeds(answer) && !strstr(answer, cases[i].expected))
			fail_msg("%s: '%s'", cases[i].path, answer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_function_decides),
		cmocka_unit_test(signals_have_causes),
		cmocka_unit_test(the_built_in_rules_are_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
