/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "actions/action.h"
#include "actions/analysis/stats-run.h"
#include "base/err.h"

/* An action whose output is kept in memory. */
struct heard {
	struct action action;
	struct out out;
	char *answer, *messages;
	size_t n_answer, n_messages;
};

static bool heard_init(struct heard *heard, const char *name, void *args, int argc, char **argv)
{
	FILE *answer;

	memset(heard, 0, sizeof(*heard));
	answer = open_memstream(&heard->answer, &heard->n_answer);
	heard->action =
		(struct action){ .name = name,
				 .args = args,
				 .argc = argc,
				 .argv = argv,
				 .out = &heard->out,
				 .messages = open_memstream(&heard->messages, &heard->n_messages) };
	if (!answer || !heard->action.messages)
		return false;
	out_init(&heard->out, answer, OUT_COLOR_NEVER);
	return true;
}

static void heard_end(struct heard *heard)
{
	fclose(heard->out.stream);
	fclose(heard->action.messages);
}

static void heard_done(struct heard *heard)
{
	free(heard->answer);
	free(heard->messages);
}

static void test_messages(void **state)
{
	struct fathom_err err = { 0 };
	struct heard heard;

	require(heard_init(&heard, "hello", NULL, 0, NULL));
	err_set(&err, -EINVAL, "'%s' is no name", "\x1b[31m");
	assert_int_equal(action_failed(&heard.action, &err), EXIT_FAILED);
	assert_int_equal(action_usage_error(&heard.action, &err), EXIT_USAGE);
	/* The exit status of another command must not be confused with a failure of our own. */
	heard.action.runs_command = true;
	assert_int_equal(action_failed(&heard.action, &err), EXIT_NOT_RUN);
	assert_int_equal(action_usage_error(&heard.action, &err), EXIT_NOT_RUN);
	heard_end(&heard);
	assert_string_equal(heard.answer, "");
	assert_string_equal(heard.messages, "fathom hello: '\\x1b[31m' is no name\n"
					    "fathom hello: '\\x1b[31m' is no name\n"
					    "see 'fathom hello -h'\n"
					    "fathom hello: '\\x1b[31m' is no name\n"
					    "fathom hello: '\\x1b[31m' is no name\n"
					    "see 'fathom hello -h'\n");
	heard_done(&heard);
}

static void test_no_operands(void **state)
{
	char *operands[] = { (char *)"\x1b[31m", (char *)"more" };
	struct fathom_err err = { 0 };
	struct heard heard;

	require(heard_init(&heard, "hello", NULL, 0, NULL));
	assert_int_equal(action_takes_no_operands(&heard.action, &err), 0);
	heard.action.argc = 2;
	heard.action.argv = operands;
	assert_int_equal(action_takes_no_operands(&heard.action, &err), -EINVAL);
	assert_int_equal(action_usage_error(&heard.action, &err), EXIT_USAGE);
	heard_end(&heard);
	assert_string_equal(heard.messages, "fathom hello: unexpected argument '\\x1b[31m'\n"
					    "see 'fathom hello -h'\n");
	heard_done(&heard);
}

/* An action works without a program around it, and writes to the caller's streams only. */
static void test_failure(void **state)
{
	char *operands[] = { (char *)"/nonexistent/trace.dat", (char *)"another" };
	struct stats_args args = { 0 };
	struct heard heard;

	require_memory();
	require(heard_init(&heard, "stats", &args, 1, operands));
	assert_int_equal(stats_run(&heard.action), EXIT_FAILED);
	heard.action.argc = 2;
	assert_int_equal(stats_run(&heard.action), EXIT_USAGE);
	heard_end(&heard);
	assert_string_equal(heard.answer, "");
	assert_string_equal(heard.messages,
			    "fathom stats: cannot open '/nonexistent/trace.dat': No such file or "
			    "directory\n"
			    "fathom stats: too many arguments: expected one file\n"
			    "see 'fathom stats -h'\n");
	heard_done(&heard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_no_operands),
		cmocka_unit_test(test_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
