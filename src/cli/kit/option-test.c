/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "base/err.h"
#include "cli/kit/option.h"

struct args {
	bool verbose;
	bool json;
	const char *output;
	unsigned long count;
	unsigned color;
	mode_t mode;
	char calls[64];
};

static int note(void *args, const char *value, struct fathom_err *err)
{
	struct args *a = args;

	if (strcmp(value, "bad") == 0)
		return err_set(err, -EINVAL, "bad value");
	strncat(a->calls, value, sizeof(a->calls) - strlen(a->calls) - 1);
	return 0;
}

static const struct option_def defs[] = {
	OPT_FLAG('v', "verbose", struct args, verbose, "more"),
	OPT_FLAG(0, "json", struct args, json, "json"),
	OPT_STRING('o', "output", "FILE", struct args, output, "file"),
	OPT_NUMBER('n', "count", "N", struct args, count, "count"),
	OPT_CHOICE(0, "color", "WHEN", "auto always never", struct args, color, "colour"),
	OPT_MODE(struct args, mode),
	OPT_CALL('e', NULL, "EVENT", note, "event"),
	OPT_END,
};

/* Parses up to seven words, ending with NULL. */
struct parsed {
	struct args args;
	struct fathom_err err;
	char words[8][32];
	char *argv[8];
	int operands;
	int r;
};

static void parse(struct parsed *p, bool stop, const char *const *words)
{
	struct option_set set = { defs, &p->args };
	int argc = 0;

	memset(p, 0, sizeof(*p));
	for (; words[argc]; argc++) {
		snprintf(p->words[argc], sizeof(p->words[argc]), "%s", words[argc]);
		p->argv[argc] = p->words[argc];
	}
	p->r = options_parse(&set, 1, argc, p->argv, stop, &p->operands, &p->err);
}

#define PARSE(p, ...) parse(p, false, (const char *const[]){ __VA_ARGS__, NULL })

static void parses_every_kind(void **state)
{
	struct parsed p;

	PARSE(&p, "-v", "--output=f", "-n", "12", "--color", "never", "operand");
	assert_int_equal(p.r, 0);
	assert_true(p.args.verbose);
	assert_false(p.args.json);
	assert_string_equal(p.args.output, "f");
	assert_int_equal(p.args.count, 12);
	assert_int_equal(p.args.color, 2);
	assert_int_equal(p.operands, 1);
	assert_string_equal(p.argv[0], "operand");
}

static void parses_combined_letters(void **state)
{
	struct parsed p;

	PARSE(&p, "-vofile", "-ea", "-e", "b");
	assert_int_equal(p.r, 0);
	assert_true(p.args.verbose);
	assert_string_equal(p.args.output, "file");
	assert_string_equal(p.args.calls, "ab");
}

static void moves_operands_to_the_front(void **state)
{
	struct parsed p;

	PARSE(&p, "a", "-v", "-", "--", "-x", "b");
	assert_int_equal(p.r, 0);
	assert_int_equal(p.operands, 4);
	assert_string_equal(p.argv[0], "a");
	assert_string_equal(p.argv[1], "-");
	assert_string_equal(p.argv[2], "-x");
	assert_string_equal(p.argv[3], "b");
}

static void ignores_options_of_the_traced_command(void **state)
{
	struct parsed p;

	parse(&p, true, (const char *const[]){ "-v", "ls", "-l", "--json", NULL });
	assert_int_equal(p.r, 0);
	assert_int_equal(p.operands, 3);
	assert_string_equal(p.argv[1], "-l");
	assert_false(p.args.json);
}

static void check_error(const char *message, const char *const *words)
{
	struct parsed p;

	parse(&p, false, words);
	assert_int_equal(p.r, -EINVAL);
	assert_string_equal(p.err.message, message);
}

#define ERROR(message, ...) check_error(message, (const char *const[]){ __VA_ARGS__, NULL })

static void reports_errors(void **state)
{
	ERROR("unknown option '--jsno'; did you mean '--json'?", "--jsno=1");
	ERROR("unknown option '--zzz'", "--zzz");
	ERROR("unknown option '-x'", "-vx");
	ERROR("option '--output' requires a value: '--output=FILE'", "--output");
	ERROR("option '-o' requires a value: '-o FILE'", "-o");
	ERROR("option '--json' takes no value", "--json=yes");
	ERROR("invalid value 'x1' for '--count': expected a number", "-n", "x1");
	ERROR("invalid value '-1' for '--count': expected a number", "-n", "-1");
	ERROR("invalid value '99999999999999999999' for '--count': expected a number", "-n",
	      "99999999999999999999");
	ERROR("invalid value 'red' for '--color': expected auto, always or never", "--color=red");
	ERROR("bad value", "-e", "bad");
}

static void parses_modes(void **state)
{
	static const char *const wrong[] = { "", "9", "0x180", "-1", "01000", "0040", "640 " };
	struct parsed p;

	PARSE(&p, "--mode", "0640");
	assert_int_equal(p.r, 0);
	assert_int_equal(p.args.mode, 0640);
	PARSE(&p, "--mode=600");
	assert_int_equal(p.args.mode, 0600);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		PARSE(&p, "--mode", wrong[i]);
		assert_int_equal(p.r, -EINVAL);
		assert_int_equal(p.args.mode, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_modes),
		cmocka_unit_test(parses_every_kind),
		cmocka_unit_test(parses_combined_letters),
		cmocka_unit_test(moves_operands_to_the_front),
		cmocka_unit_test(ignores_options_of_the_traced_command),
		cmocka_unit_test(reports_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
