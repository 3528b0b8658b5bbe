/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/action.h"

#include <errno.h>

#include "base/err.h"
#include "base/quote.h"

static void action_say_error(const struct action *action, const struct fathom_err *err)
{
	quote_printf(action->messages, "fathom %s: ", action->name);
	quote_print_lines(action->messages, fathom_err_text(err));
	fputc('\n', action->messages);
}

int action_failed(const struct action *action, const struct fathom_err *err)
{
	action_say_error(action, err);
	return action->runs_command ? EXIT_NOT_RUN : EXIT_FAILED;
}

int action_usage_error(const struct action *action, const struct fathom_err *err)
{
	action_say_error(action, err);
	quote_printf(action->messages, "see 'fathom %s -h'\n", action->name);
	return action->runs_command ? EXIT_NOT_RUN : EXIT_USAGE;
}

int action_takes_no_operands(const struct action *action, struct fathom_err *err)
{
	if (!action->argc)
		return 0;
	return err_set(err, -EINVAL, "unexpected argument '%s'", action->argv[0]);
}

int action_one_format(bool json, bool csv, struct fathom_err *err)
{
	return json && csv ? err_set(err, -EINVAL, "--json and --csv are mutually exclusive") : 0;
}
