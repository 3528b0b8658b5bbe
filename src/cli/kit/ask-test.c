/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/kit/ask.h"

/* Types @text, unless it is NULL, then ends the input. Returns the answer. */
static bool answer(const char *text, int signals)
{
	int ends[2], before = dup(STDIN_FILENO);
	bool yes;

	assert_true(before >= 0);
	assert_int_equal(pipe(ends), 0);
	if (text)
		assert_int_equal(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
	if (signals < 0)
		close(ends[1]);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	yes = ask_answer(signals);
	/* Does not ask without a terminal. */
	assert_false(ask_is_possible());
	dup2(before, STDIN_FILENO);
	close(before);
	close(ends[0]);
	if (signals >= 0)
		close(ends[1]);
	return yes;
}

static void only_y_is_a_yes(void **state)
{
	assert_true(answer("y\n", -1));
	assert_true(answer("Yes\n", -1));
	assert_false(answer("n\n", -1));
	assert_false(answer("\n", -1));
	assert_false(answer(" y\n", -1));
	assert_false(answer("", -1));
}

static void a_signal_is_a_no(void **state)
{
	sigset_t set, old;
	int signals;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGCHLD);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, &old), 0);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	assert_true(signals >= 0);
	assert_true(answer("y\n", signals));
	raise(SIGINT);
	assert_false(answer(NULL, signals));
	/* The exit of a child is not an answer. */
	raise(SIGCHLD);
	assert_true(answer("y\n", signals));
	close(signals);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_y_is_a_yes),
		cmocka_unit_test(a_signal_is_a_no),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
