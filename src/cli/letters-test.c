/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/kit/commands.h"
#include "cli/letters.h"

/* More options than this have headings. */
#define MANY 14

static unsigned bad;

static void complain(const struct command *command, const struct option_def *def, const char *what)
{
	print_error("fathom %s -%c --%s: %s\n", command->name, def->letter ?: '-', def->name ?: "",
		    what);
	bad++;
}

/* Calls @check for every option of every command. */
static void each_option(void (*check)(const struct command *command, const struct option_def *def))
{
	bad = 0;
	for (size_t i = 0; all_commands[i]; i++) {
		for (const struct option_def *d = all_commands[i]->options; d->kind; d++)
			if (d->kind != OPTION_GROUP)
				check(all_commands[i], d);
		for (const struct option_def *d = common_options; d->kind; d++)
			check(all_commands[i], d);
	}
	assert_int_equal(bad, 0);
}

static void check_letter(const struct command *command, const struct option_def *def)
{
	bool usual, permitted;

	if (!def->letter)
		return;
	usual = letter_is_usual(def);
	permitted = letter_find_exception(command, def) || letter_find_compat(command, def);
	if (!usual && !permitted)
		complain(command, def, "the letter means something else in other commands");
	if (usual && permitted)
		complain(command, def, "is no exception, but listed as one");
}

static void letters_mean_the_same_everywhere(void **state)
{
	each_option(check_letter);
}

static bool has_letter(const char *names, char letter)
{
	for (size_t i = 0; all_commands[i]; i++)
		for (const struct option_def *d = all_commands[i]->options; d->kind; d++)
			if (d->letter == letter &&
			    (!names || str_has_word(names, " ", all_commands[i]->name)))
				return true;
	return letter == 'h';
}

static void tables_list_only_what_exists(void **state)
{
	for (const struct letter *l = letters; l->letter; l++)
		assert_true(has_letter(NULL, l->letter));
	for (const struct letter_exception *e = letter_exceptions; e->letter; e++)
		assert_true(has_letter(e->commands, e->letter));
	for (const struct letter_compat *c = letter_compats; c->commands; c++)
		for (const char *letter = c->letters; *letter; letter++)
			if (!has_letter(c->commands, *letter))
				fail_msg("no command of '%s' has -%c", c->commands, *letter);
}

static void check_unique(const struct command *command, const struct option_def *def)
{
	const struct option_def *tables[] = { command->options, common_options };
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct option_def *d = tables[i]; d->kind; d++)
			n += d->kind != OPTION_GROUP &&
			     ((d->letter && d->letter == def->letter) ||
			      (d->name && def->name && str_eq(d->name, def->name)));
	if (n != 1)
		complain(command, def, "is there twice");
}

static void no_option_is_listed_twice(void **state)
{
	each_option(check_unique);
}

/* What people expect of options with these names. */
static void check_familiar(const struct command *command, const struct option_def *def)
{
	static const struct {
		const char *name;
		char letter;
	} familiar[] = { { "output", 'o' }, { "quiet", 'q' }, { "help", 'h' }, { "input", 'i' } };

	for (size_t i = 0; def->name && i < ARRAY_SIZE(familiar); i++)
		if (str_eq(def->name, familiar[i].name) && def->letter != familiar[i].letter)
			complain(command, def, "has another letter than in other commands");
}

static void familiar_options_have_their_letters(void **state)
{
	each_option(check_familiar);
}

static void many_options_have_headings(void **state)
{
	for (size_t i = 0; all_commands[i]; i++) {
		const struct option_def *first = all_commands[i]->options;
		const char *group = NULL;
		unsigned n = 0;

		for (const struct option_def *d = first; d->kind; d++) {
			if (d->kind == OPTION_GROUP)
				group = d->help;
			n += d->kind != OPTION_GROUP;
		}
		if (n > MANY && first->kind != OPTION_GROUP)
			fail_msg("fathom %s has %u options without headings", all_commands[i]->name,
				 n);
		if (group && (first->kind != OPTION_GROUP || !str_eq(group, "Output")))
			fail_msg("fathom %s: the first option needs a heading, and the last one "
				 "is 'Output'",
				 all_commands[i]->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_mean_the_same_everywhere),
		cmocka_unit_test(tables_list_only_what_exists),
		cmocka_unit_test(no_option_is_listed_twice),
		cmocka_unit_test(familiar_options_have_their_letters),
		cmocka_unit_test(many_options_have_headings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
