/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "kernel/tracefs/error-log.h"

static bool parse(const char *log, const char *written, struct error_log_entry *entry)
{
	_cleanup_free_ char *text = strdup(log);

	return error_log_parse(text, written, entry);
}

static const char log_text[] =
	"[   13.787233] event filter parse error: error: Field not found\n"
	"  Command: nosuch == 1\n"
	"                  ^\n"
	"[   13.787240] hist:sched:sched_switch: error: Couldn't find field\n"
	"  Command: hist:keys=nosuch\n"
	"                     ^\n"
	"[   13.800000] event filter parse error: error: Invalid value\n"
	"  Command: prev_pid == \n"
	"                       ^\n";

static void finds_the_rejected_command(void **state)
{
	struct error_log_entry entry;

	assert_true(parse(log_text, "nosuch == 1", &entry));
	assert_string_equal(entry.message, "Field not found");
	assert_string_equal(entry.command, "nosuch == 1");
	assert_int_equal(entry.caret, 7);
	assert_true(parse(log_text, "hist:keys=nosuch", &entry));
	assert_string_equal(entry.message, "Couldn't find field");
	assert_int_equal(entry.caret, 10);
	assert_true(parse(log_text, "prev_pid == ", &entry));
	assert_string_equal(entry.command, "prev_pid ==");
	assert_int_equal(entry.caret, 11);
	assert_true(parse(log_text, "traceoff if nosuch == 1", &entry));
	assert_false(parse(log_text, "other == 1", &entry));
}

static void finds_the_newest_entry(void **state)
{
	struct error_log_entry entry;

	assert_true(parse("[ 1.0] a: error: first\n  Command: x\n           ^\n"
			  "[ 2.0] a: error: second\n  Command: x\n           ^\n",
			  "x", &entry));
	assert_string_equal(entry.message, "second");
}

static void survives_unexpected_text(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"# error log\n",
		"[ 1.0] a: error: m",
		"[ 1.0] a: error: m\n  Command: x",
		"  Command: x\n  ^\n",
		"[ 1.0] a: error: m\n  Command: \n ^\n",
		"[ 1.0] a: error: m\n  Command: x\n",
	};
	struct error_log_entry entry;
	char long_line[3000];

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		parse(texts[i], "x", &entry);
	assert_true(parse("[ 1.0] a: error: m\n  Command: x\nno caret\n", "x", &entry));
	assert_string_equal(entry.command, "");
	memset(long_line, 'x', sizeof(long_line));
	memcpy(long_line, "[ 1.0] a: error: m\n  Command: ", 30);
	long_line[sizeof(long_line) - 1] = '\0';
	parse(long_line, long_line + 30, &entry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_rejected_command),
		cmocka_unit_test(finds_the_newest_entry),
		cmocka_unit_test(survives_unexpected_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
