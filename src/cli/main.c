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
#include "cli/kit/ask.h"
#include "cli/kit/commands.h"
#include "cli/kit/common-options.h"
#include "actions/input/recording-operand.h"
#include "cli/kit/usage.h"

/* EPIPE is not a failure: the reader (head, a pager) does not want more. */
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
				 .ask = ask_is_possible() ? ask_answer : NULL };
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

static int main_unknown_option(const char *word)
{
	struct nearest nearest = { .wanted = word };
	const char *meant;

	nearest_offer(&nearest, "--help");
	nearest_offer(&nearest, "--version");
	meant = nearest_pick(&nearest);
	if (meant)
		quote_printf(stderr, "fathom: unknown option '%s'; did you mean '%s'?\n", word,
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
	const char *word = argc > 1 ? argv[1] : "help";

	if (fds_open_standard() < 0)
		return EXIT_FAILED;
	setlocale(LC_CTYPE, "");
	commands = all_commands;
	command_rows = all_rows;
	if (str_eq(word, "--version") || str_eq(word, "-V")) {
		quote_printf(stdout, "fathom %s\n", fathom_version());
		return EXIT_OK;
	}
	if (str_eq(word, "--help") || str_eq(word, "-h"))
		word = "help";
	if (word[0] == '-')
		return main_unknown_option(word);
	command = command_find(word);
	if (!command)
		return command_unknown(&(struct nearest){ .wanted = word });
	return main_run_command(command, argc > 2 ? argc - 2 : 0, argv + 2);
}
