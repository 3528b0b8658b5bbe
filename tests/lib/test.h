/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Included by every unit test: cmocka, preceded by the headers that it requires. */
#ifndef FATHOM_TESTS_TEST_H
#define FATHOM_TESTS_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tree.h"

/* Whether this is built with AddressSanitizer; gcc and clang have different macros. */
#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZED 1
#endif
#endif
#ifndef ADDRESS_SANITIZED
#define ADDRESS_SANITIZED 0
#endif

/*
 * Returns whether a test's prerequisites are met. Otherwise the test fails, unless allocations fail
 * on purpose: then this returns false.
 */
#define succeeds(condition) ((condition) || test_lacks(#condition, __FILE__, __LINE__))
/* Fails the test, or returns false while allocations fail on purpose. */
bool test_lacks(const char *condition, const char *file, int line);

/*
 * The ways to leave a test early; tools/check-tests allows no others. Only for test functions. This
 * one is for the setup: if memory is exhausted, it ends the test, with its cleanup.
 */
#define require(condition)                \
	do {                              \
		if (!succeeds(condition)) \
			return;           \
	} while (0)

/* For a test that is meaningless, or takes too long, while allocations fail. */
#define require_memory()        \
	do {                    \
		if (mem_fault)  \
			return; \
	} while (0)

/* Ends a test that this machine cannot run; the gate counts it and shows @reason. */
#define skip_because(reason)                                          \
	do {                                                          \
		print_message("skipped: %s: %s\n", __func__, reason); \
		skip();                                               \
	} while (0)

/*
 * Runs a group of tests; under 'torture', only the test in which an allocation is to fail, see
 * oom.c.
 */
int test_group_run(const char *name, const struct CMUnitTest *tests, size_t n,
		   CMFixtureFunction set_up, CMFixtureFunction tear_down);
#undef cmocka_run_group_tests
#undef cmocka_run_group_tests_name
#define cmocka_run_group_tests_name(name, tests, set_up, tear_down) \
	test_group_run(name, tests, sizeof(tests) / sizeof((tests)[0]), set_up, tear_down)
#define cmocka_run_group_tests(tests, set_up, tear_down) \
	cmocka_run_group_tests_name(#tests, tests, set_up, tear_down)

/*
 * Runs @op once for every allocation that it makes, with that allocation failing, until it
 * succeeds. @op returns 0 or a negative errno, and leaves nothing behind. Fails the test if @op
 * returns anything but -ENOMEM after a failed allocation or, in a build with LeakSanitizer, leaks
 * memory.
 */
void oom_check(int (*op)(void *arg), void *arg);
/*
 * Likewise, if @op waits for a process that it starts: the allocations of that process also fail in
 * turn.
 */
void oom_check_shared(int (*op)(void *arg), void *arg);

/*
 * For functions and variables of the program that a test examines: excludes them from sanitizers.
 * gcc instruments nothing here, and does not know all of these attributes.
 */
#if defined(__clang__)
#define PLAIN_FUNCTION __attribute__((no_sanitize("address", "undefined", "coverage")))
#define PLAIN_VARIABLE __attribute__((no_sanitize("address")))
#else
#define PLAIN_FUNCTION
#define PLAIN_VARIABLE
#endif

/* Returns the CPU time used by this process, in nanoseconds. */
uint64_t cpu_time(void);
/*
 * Returns the CPU time that qsort() takes for @n random numbers. A test against quadratic run time
 * compares with this: a slow, busy or sanitized machine slows down both.
 */
uint64_t cpu_time_of_sort(size_t n);

#endif
