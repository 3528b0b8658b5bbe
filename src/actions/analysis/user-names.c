/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/user-names.h"

#include "actions/input/trace-input.h"
#include "actions/names/symbol-broker.h"
#include "base/cleanup.h"
#include "process/sandbox.h"
#include "read/context/user-processes.h"

int user_names_begin(struct user_names *names, struct analysis_input *input,
		     struct report_args *args, const char *path, struct fathom_err *err)
{
	_cleanup_close_ int fd = trace_input_open(path, err);
	int r;

	if (fd < 0)
		return fd;
	r = symbol_broker_start(&names->broker, false, err);
	if (r == 0)
		r = line_helper_start(&names->helper, err);
	if (r < 0)
		return r;
	symbol_broker_use(&names->broker, &names->symbols);
	line_helper_use(&names->helper, &names->symbols);
	r = sandbox_enter_asking(err);
	if (r < 0)
		return r;
	r = analysis_input_open(input, args, TAKE_FD(fd), path, err);
	if (r < 0)
		return r;
	return user_processes_read(input->feed.trace, input->feed.events, &names->symbols, err);
}

void user_names_report(const struct user_names *names, const struct action *action)
{
	const struct user_symbols *symbols = &names->symbols;

	line_helper_print_unread(&names->helper, action, symbols->unread_line,
				 symbols->with_line + symbols->without_line);
}

void user_names_done(struct user_names *names)
{
	user_symbols_done(&names->symbols);
	line_helper_done(&names->helper);
	broker_done(&names->broker);
}
