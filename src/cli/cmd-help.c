/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom help: list commands, or show the manual of one. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/quote.h"
#include "base/str.h"
#include "cli/help-topics.h"
#include "cli/kit/usage.h"
#include "process/caller-enter.h"
#include "process/helper-process.h"

struct help_args {
	bool all;
};

static const struct option_def options[] = {
	OPT_FLAG('a', "all", struct help_args, all, "describe all commands and topics"),
	OPT_END,
};

/* In a child process: exits with 0 if man(1) finds the page. */
static _Noreturn void help_look_for_page(const char *page)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0 &&
	    caller_enter() == 0)
		execlp("man", "man", "-w", page, (char *)NULL);
	_exit(127);
}

static bool help_page_exists(const char *page)
{
	int status;
	pid_t pid = helper_process_fork();

	if (pid == 0)
		help_look_for_page(page);
	if (pid < 0 || helper_process_reap(pid, -1, &status) < 0)
		return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Replaces this process with man(1); returns if there is no terminal, or no page to show. */
static void help_show_manual(const struct command *command, const struct out *out)
{
	char page[USAGE_LINE_SIZE];

	if (!out->terminal)
		return;
	snprintf(page, sizeof(page), "fathom-%s", command->name);
	if (help_page_exists(page) && caller_enter() == 0)
		execlp("man", "man", page, (char *)NULL);
}

static void help_list_topics(struct out *out)
{
	out_printf(out, OUT_TITLE, "\nTopics\n");
	for (const struct help_topic *topic = help_topics; topic->name; topic++) {
		out_printf(out, OUT_NAME, "  %-12s", topic->name);
		out_printf(out, OUT_PLAIN, "%s\n", topic->summary);
	}
}

static int help_unknown(const char *name)
{
	struct nearest nearest = { .wanted = name };

	for (const struct help_topic *topic = help_topics; topic->name; topic++)
		nearest_offer(&nearest, topic->name);
	return command_unknown(&nearest);
}

static int cmd_help_run(const struct action *action)
{
	const struct help_args *args = action->args;
	const struct help_topic *topic;
	const struct command *command;
	struct fathom_err err = { 0 };

	if (action->argc > 1 || (args->all && action->argc)) {
		err_set(&err, -EINVAL, "unexpected argument '%s'", action->argv[args->all ? 0 : 1]);
		return action_usage_error(action, &err);
	}
	if (args->all) {
		usage_print_all(action->out);
		help_list_topics(action->out);
		return EXIT_OK;
	}
	if (action->argc == 0) {
		usage_print_overview(action->out);
		return EXIT_OK;
	}
	topic = help_topic_find(action->argv[0]);
	if (topic) {
		quote_print_lines(action->out->stream, help_topic_page(topic));
		return EXIT_OK;
	}
	command = command_find(action->argv[0]);
	if (!command)
		return help_unknown(action->argv[0]);
	help_show_manual(command, action->out);
	usage_print(command, action->out);
	return EXIT_OK;
}

const struct command command_help = {
	.name = "help",
	.summary = "list commands, or show the manual of one",
	.description =
		"Without an argument, shows the most useful commands. With COMMAND, shows its manual "
		"page or, if that is not installed or standard output is not a terminal, its options. "
		"Topics are filters, probes, formats, permissions, overhead and kernels.",
	.operands = "[COMMAND|TOPIC]",
	.operand_words = OPERANDS_ARE_COMMANDS,
	.options = options,
	.args_size = sizeof(struct help_args),
	.paged = true,
	.run = cmd_help_run,
};
