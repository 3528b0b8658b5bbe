/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fathom-docgen: generates the parts of the documentation that come from the tables, at build time.
 * It is not installed.
 *
 * fathom-docgen man TEMPLATE COMMAND      the scdoc source of a man page
 * fathom-docgen bash|zsh|fish             the completion for that shell
 * fathom-docgen names                     the names of all commands
 *
 * The lines @SYNOPSIS@, @OPTIONS@, @COMMANDS@ and @LETTERS@ of a template are replaced.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "cli/completion.h"
#include "cli/kit/commands.h"
#include "cli/kit/usage.h"
#include "cli/letters.h"

/* Characters with a meaning in scdoc, such as '_', '*' and '[', get a backslash. */
static void docgen_put_escaped(const char *text)
{
	for (; *text; text++) {
		if (strchr("_*\\[]<>|#-", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void put_synopsis(const struct command *command)
{
	char line[USAGE_LINE_SIZE];

	usage_synopsis(command, line, sizeof(line));
	docgen_put_escaped(line);
	putchar('\n');
}

static void docgen_put_options(const struct option_def *defs)
{
	char head[USAGE_LINE_SIZE];

	for (; defs->kind != OPTION_END; defs++) {
		if (defs->kind == OPTION_GROUP) {
			printf("## %s\n\n", defs->help);
			continue;
		}
		usage_option_head(defs, head, sizeof(head));
		putchar('*');
		docgen_put_escaped(head + strspn(head, " "));
		fputs("*\n\t", stdout);
		docgen_put_escaped(defs->help);
		fputs("\n\n", stdout);
	}
}

static void put_commands(void)
{
	for (const struct command_row *row = command_rows; row->group || row->command; row++) {
		if (row->group) {
			printf("## %s\n\n", row->group);
			continue;
		}
		printf("*fathom-%s*(1)\n\t", row->command->name);
		docgen_put_escaped(row->command->summary);
		fputs("\n\n", stdout);
	}
}

/* A row of a table of two columns; @first: the first row. */
static void put_row(bool first, const char *left, const char *right)
{
	printf(first ? "[[ *" : "|[ *");
	docgen_put_escaped(left);
	fputs(first ? "*\n:< " : "*\n:  ", stdout);
	docgen_put_escaped(right);
	putchar('\n');
}

/* "-o, --output" */
static void put_letters(void)
{
	for (const struct letter *l = letters; l->letter; l++) {
		_cleanup_strbuf_ struct strbuf left = { 0 };

		quote_addf(&left, "-%c", l->letter);
		for (const char *name = l->names; *name; name += strspn(name, " ")) {
			int len = (int)strcspn(name, " ");

			quote_addf(&left, ", --%.*s", len, name);
			name += len;
		}
		put_row(l == letters, strbuf_str(&left), l->meaning);
	}
	fputs("\nExceptions:\n\n", stdout);
	for (const struct letter_exception *e = letter_exceptions; e->letter; e++) {
		_cleanup_strbuf_ struct strbuf right = { 0 };

		quote_addf(&right, "%s%s%s", e->commands ?: "", e->commands ? ": " : "", e->reason);
		put_row(e == letter_exceptions, (const char[]){ '-', e->letter, '\0' },
			strbuf_str(&right));
	}
	fputs("\nThese commands take letters of the *trace-cmd*(1) command of the same name:\n\n",
	      stdout);
	for (const struct letter_compat *c = letter_compats; c->commands; c++) {
		_cleanup_strbuf_ struct strbuf right = { 0 };

		for (const char *letter = c->letters; *letter; letter++)
			quote_addf(&right, "%s-%c", letter == c->letters ? "" : " ", *letter);
		put_row(c == letter_compats, c->commands, strbuf_str(&right));
	}
	putchar('\n');
}

static int make_man(const char *template, const char *name)
{
	const struct command *command = command_find(name);
	_cleanup_fclose_ FILE *in = fopen(template, "r");
	char line[4096];

	if (!in) {
		perror(template);
		return 1;
	}
	while (fgets(line, sizeof(line), in)) {
		if (str_eq(line, "@COMMANDS@\n")) {
			put_commands();
		} else if (str_eq(line, "@LETTERS@\n")) {
			put_letters();
		} else if (line[0] == '@' && !command) {
			fprintf(stderr, "%s: no command '%s'\n", template, name);
			return 1;
		} else if (str_eq(line, "@SYNOPSIS@\n")) {
			put_synopsis(command);
		} else if (str_eq(line, "@OPTIONS@\n")) {
			docgen_put_options(command->options);
			docgen_put_options(common_options);
		} else {
			fputs(line, stdout);
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	commands = all_commands;
	command_rows = all_rows;
	if (argc == 4 && str_eq(argv[1], "man"))
		return make_man(argv[2], argv[3]);
	if (argc == 2 && str_eq(argv[1], "names")) {
		for (size_t i = 0; commands[i]; i++)
			puts(commands[i]->name);
		return 0;
	}
	if (argc == 2 && completion_print(argv[1], stdout) == 0)
		return 0;
	fprintf(stderr, "usage: fathom-docgen man TEMPLATE COMMAND | bash | zsh | fish | names\n");
	return 2;
}
