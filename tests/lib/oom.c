/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes allocations fail, in two ways: oom_check() for one operation, and 'torture' for a whole
 * test program, which gets two pipes in FATHOM_FAIL_ALLOC: it reads numbers N from the first and,
 * for each, runs its tests in a child process in which the N-th allocation fails (none with 0); the
 * exit status of the child is written to the second. The cost of starting the program is thus paid
 * only once. The number of allocations is written to the file named by FATHOM_FAIL_COUNT.
 *
 * The run with 0 notes which allocations each test makes. Later, only the test that makes the N-th
 * one runs, which takes a small part of the time of all tests.
 */
#include "test.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

/* An ordinary run takes milliseconds. */
#define SECONDS_PER_RUN 60
#define TESTS_MAX	1024

static unsigned long own_seen, fail_at;
static unsigned long *seen = &own_seen;

/*
 * The tests of a program in order, with the number of allocations in each: those after @before, up
 * to @last. Shared with child processes; NULL except under 'torture'.
 */
static struct {
	size_t n;
	struct test_allocations {
		unsigned long before, last;
	} of[TESTS_MAX];
} * found;

/* The current group, and the index of its next test. */
static struct {
	const struct CMUnitTest *tests;
	struct test_allocations *of;
	size_t next;
} group;

/* Does not exist in a build without LeakSanitizer. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static bool fault(void)
{
	return ++*seen == fail_at;
}

bool test_lacks(const char *condition, const char *file, int line)
{
	if (!mem_fault) {
		print_error("set-up failed: %s\n", condition);
		_fail(file, line);
	}
	return false;
}

void oom_check(int (*op)(void *arg), void *arg)
{
	int r;

	/* Under torture, each allocation fails in its turn anyway. */
	if (mem_fault) {
		op(arg);
		return;
	}
	mem_fault = fault;
	for (unsigned long n = 1;; n++) {
		*seen = 0;
		fail_at = n;
		r = op(arg);
		if (*seen < n)
			break;
		if (r != -ENOMEM) {
			mem_fault = NULL;
			fail_msg("allocation %lu failed, the operation returned %d", n, r);
		}
	}
	mem_fault = NULL;
	if (r < 0)
		fail_msg("the operation failed with enough memory: %d", r);
	if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
		fail_msg("memory was forgotten after a failed allocation");
}

void oom_check_shared(int (*op)(void *arg), void *arg)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(seen != MAP_FAILED);
	*seen = own_seen;
	oom_check(op, arg);
	own_seen = *seen;
	munmap(seen, sizeof(*seen));
	seen = &own_seen;
}

static void write_count(void)
{
	const char *path = getenv("FATHOM_FAIL_COUNT");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (f) {
		fprintf(f, "%lu\n", *seen);
		fclose(f);
	}
}

/* Wraps the setup function of each test. */
static int enter(void **state)
{
	size_t i = group.next++;

	if (fail_at) {
		*seen = group.of[i].before;
	} else {
		group.of[i].before = *seen;
		if (i > 0)
			group.of[i - 1].last = *seen;
	}
	return group.tests[i].setup_func ? group.tests[i].setup_func(state) : 0;
}

/* Returns the number of the test that makes the failing allocation; found->n if none does. */
static size_t find_test(void)
{
	size_t i = 0;

	while (i < found->n && (fail_at <= found->of[i].before || fail_at > found->of[i].last))
		i++;
	return i;
}

int test_group_run(const char *name, const struct CMUnitTest *tests, size_t n,
		   CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	static struct CMUnitTest entered[TESTS_MAX];
	static size_t first;
	size_t begin = 0, end = n;
	int failures;

	if (!found || first + n > TESTS_MAX)
		return _cmocka_run_group_tests(name, tests, n, set_up, tear_down);
	group.tests = tests;
	group.of = &found->of[first];
	if (fail_at) {
		size_t one = find_test();

		/*
		 * An allocation outside tests is one of a group's setup, or earlier: all tests
		 * run.
		 */
		if (one < found->n) {
			begin = one < first || one >= first + n ? n : one - first;
			end = begin < n ? begin + 1 : n;
		}
	}
	for (size_t i = begin; i < end; i++) {
		entered[i] = tests[i];
		entered[i].setup_func = enter;
	}
	group.next = begin;
	failures = begin < end ? _cmocka_run_group_tests(name, &entered[begin], end - begin, set_up,
							 tear_down) :
				 0;
	first += n;
	if (!fail_at) {
		group.of[n - 1].last = *seen;
		found->n = first;
	} else if (begin < end && end - begin < found->n) {
		/*
		 * The run is over: cleaning up would take a quarter of its time. A test that ended early
		 * has left its files.
		 */
		tree_remove();
		fflush(NULL);
		_exit(failures != 0);
	}
	return failures;
}

/* Returns in child processes only, and never without a number. */
static void serve(int in, int out)
{
	while (read(in, &fail_at, sizeof(fail_at)) == sizeof(fail_at)) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			close(in);
			close(out);
			alarm(SECONDS_PER_RUN);
			return;
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid ||
		    write(out, &status, sizeof(status)) != sizeof(status))
			_exit(98);
	}
	_exit(0);
}

__attribute__((constructor)) static void arm(void)
{
	const char *pipes = getenv("FATHOM_FAIL_ALLOC");
	int in, out;

	if (!pipes || sscanf(pipes, "%d,%d", &in, &out) != 2)
		return;
	found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (found == MAP_FAILED)
		_exit(98);
	serve(in, out);
	mem_fault = fault;
	atexit(write_count);
}
