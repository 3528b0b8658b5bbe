/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program: finds the command, parses its options and runs it. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fathom/version.h>

#include "actions/plan/left-sessions.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/fds.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "cli/complete.h"
#include "cli/kit/ask.h"
#include "cli/kit/commands.h"
#include "cli/kit/common-options.h"
#include "actions/input/recording-operand.h"
#include "cli/kit/usage.h"
#include "cli/letters.h"

/* EPIPE is not a failure: the reader (head, a pager) has seen enough. */
static int main_finish(struct out *out, int code)
{
	int r = out_finish(out);

	if (r < 0 && r != -EPIPE && code == EXIT_OK) {
		quote_printf(stderr, "fathom: cannot write the output: %s\n", strerrordesc_np(-r));
		return EXIT_FAILED;
	}
	return code;
}

static int parse_and_run(const struct command *command, struct action *action)
{
	struct common_args common = { 0 };
	struct option_set sets[] = { { command->options, action->args },
				     { common_options, &common } };
	struct fathom_err err = { 0 };
	struct out out;

	if (options_parse(sets, ARRAY_SIZE(sets), action->argc, action->argv, command->runs_command,
			  &action->argc, &err) < 0)
		return action_usage_error(action, &err);
	out_init(&out, stdout, (enum out_color)common.color);
	if (common.help) {
		if (!common.no_pager)
			out_start_pager(&out);
		usage_print(command, &out);
		return main_finish(&out, EXIT_OK);
	}
	if (command->runs_command && action->argc &&
	    recording_operand_check(command->for_recording ?: "report", action->argv[0], &err) < 0)
		return action_usage_error(action, &err);
	if (!command->minds_sessions)
		left_sessions_warn(action);
	if (command->paged && !common.no_pager)
		out_start_pager(&out);
	action->out = &out;
	return main_finish(&out, command->run(action));
}

static int main_run_command(const struct command *command, int argc, char **argv)
{
	_cleanup_free_ void *args = mem_zalloc(1, command->args_size);
	struct action action = { .name = command->name,
				 .runs_command = command->runs_command,
				 .args = args,
				 .argc = argc,
				 .argv = argv,
				 .messages = stderr,
				 .ask = ask_is_possible() ? ask_answer : NULL,
				 .is_attended = ask_is_attended() };
	struct fathom_err err = { 0 };
	int code;

	if (!args) {
		err_nomem(&err);
		return action_failed(&action, &err);
	}
	code = parse_and_run(command, &action);
	if (command->done)
		command->done(args);
	return code;
}

/* The option of @word at @at, which is 1, or of a further letter; NULL if @defs have none. */
static const struct option_def *main_find_option(const struct option_def *defs, const char *word,
						 size_t at)
{
	for (; defs->kind != OPTION_END; defs++)
		if (word[1] == '-' ? defs->name && strlen(defs->name) == strcspn(word + 2, "=") &&
					     str_after(word + 2, defs->name) :
				     defs->letter && defs->letter == word[at])
			return defs;
	return NULL;
}

static bool main_asks_for_help(const char *word)
{
	return str_eq(word, "--help") || str_eq(word, "-h");
}

/* Returns how many words before the command are options and their values. */
static int main_count_leading(int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1] && !main_asks_for_help(argv[i])) {
		const struct option_def *def = NULL;
		const char *word = argv[i];
		size_t at = 1;

		do {
			def = main_find_option(leading_options, word, at) ?:
				      main_find_option(common_options, word, at);
			at++;
		} while (def && !def->arg && word[1] != '-' && word[at]);
		if (!def)
			break;
		i++;
		if (def->arg && (word[1] == '-' ? !strchr(word, '=') : !word[at]))
			i++;
	}
	return (i < argc ? i : argc) - 1;
}

/* Moves the command before the @n words that precede it. */
static void main_move_command(char **argv, int n)
{
	char *command = argv[n + 1];

	memmove(argv + 2, argv + 1, (size_t)n * sizeof(*argv));
	argv[1] = command;
}

/*
 * Before a command, an option has its usual meaning. Reports the first of the @n words from @words
 * that has another one in @command.
 */
static int main_check_leading(const struct command *command, char **words, int n)
{
	for (int i = 0; i < n; i++) {
		const struct option_def *def =
			words[i][0] != '-' ? NULL : main_find_option(command->options, words[i], 1);

		if (!def || !def->letter || letter_is_usual(def))
			continue;
		quote_printf(stderr,
			     "fathom: '-%c' has another meaning for '%s'; write it after the "
			     "command: 'fathom %s -%c'\n",
			     def->letter, command->name, command->name, def->letter);
		return command->runs_command ? EXIT_NOT_RUN : EXIT_USAGE;
	}
	return EXIT_OK;
}

static void main_offer(struct nearest *nearest, const struct option_def *defs)
{
	for (; defs->kind != OPTION_END; defs++)
		if (defs->name)
			nearest_offer(nearest, defs->name);
}

static int main_unknown_option(const char *word)
{
	_cleanup_free_ char *name = mem_strdup(word + strspn(word, "-"));
	struct nearest nearest = { .wanted = name };
	const char *meant = NULL;

	if (name && word[1] == '-') {
		name[strcspn(name, "=")] = '\0';
		nearest_offer(&nearest, "version");
		main_offer(&nearest, common_options);
		main_offer(&nearest, leading_options);
		meant = nearest_pick(&nearest);
	}
	if (meant)
		quote_printf(stderr, "fathom: unknown option '--%s'; did you mean '--%s'?\n", name,
			     meant);
	else
		quote_printf(stderr,
			     "fathom: unknown option '%s'; options follow the command: "
			     "'fathom COMMAND [OPTION...]'\n",
			     word);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const struct command *command;
	int leading, code;
	const char *word;

	if (fds_open_standard() < 0)
		return EXIT_FAILED;
	setlocale(LC_CTYPE, "");
	commands = all_commands;
	command_rows = all_rows;
	if (str_eq(argc > 1 ? argv[1] : "", "--complete"))
		return complete_main(argc - 2, argv + 2);
	leading = main_count_leading(argc, argv);
	word = leading + 1 < argc ? argv[leading + 1] : "help";
	if (str_eq(word, "--version") || str_eq(word, "-V")) {
		quote_printf(stdout, "fathom %s\n", fathom_version());
		return EXIT_OK;
	}
	if (main_asks_for_help(word))
		word = "help";
	if (word[0] == '-')
		return main_unknown_option(word);
	command = command_find(word);
	if (!command)
		return command_unknown(&(struct nearest){ .wanted = word });
	code = main_check_leading(command, argv + 1, leading);
	if (code != EXIT_OK)
		return code;
	if (leading + 1 >= argc)
		return main_run_command(command, leading, argv + 1);
	main_move_command(argv, leading);
	return main_run_command(command, argc - 2, argv + 2);
}
