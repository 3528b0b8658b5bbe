/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fathom-docgen: makes the parts of the documentation that follow from the
 * tables, at build time; it is not installed.
 *
 *	fathom-docgen man TEMPLATE COMMAND	the man page's scdoc source
 *	fathom-docgen bash|zsh|fish		the completion for that shell
 *	fathom-docgen names			the names of the commands
 *
 * In a template the lines @SYNOPSIS@, @OPTIONS@ and @COMMANDS@ are replaced.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/completion.h"
#include "cli/kit/commands.h"
#include "cli/kit/usage.h"

/* scdoc gives '_', '*', '[' and so on a meaning; every one gets a backslash. */
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
