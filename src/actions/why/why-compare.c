/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/why/why-compare.h"

#include <stdio.h>
#include <unistd.h>

#include "actions/input/trace-input.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/quote.h"
#include "render/command/signals.h"
#include "render/command/summary.h"

int why_compare_open(struct why_compare *compare, const char *path, const char *name,
		     struct fathom_err *err)
{
	compare->name = name;
	compare->fd = trace_input_open(path, err);
	return compare->fd < 0 ? compare->fd : 0;
}

static void why_compare_take(void *data, const struct decoded_event *decoded)
{
	failures_feed(data, decoded);
}

int why_compare_read(struct why_compare *compare, struct fathom_err *err)
{
	struct failures *failures = &compare->failures;
	struct feed *feed = &compare->input.feed;
	int r;

	if (!compare->name)
		return 0;
	r = analysis_input_open(&compare->input, &compare->args, TAKE_FD(compare->fd),
				compare->name, err);
	if (r < 0)
		return r;
	failures->set = &compare->set;
	failures->blame.funcs.kallsyms = report_kallsyms(compare->input.setup.inputs[0].report);
	failures->list.files.args.machine = value_machine_of(fathom_trace_info(feed->trace)->uname);
	failures->ending = summary_find_ending(feed->trace, &failures->command);
	r = feed_run(feed, why_compare_take, failures, err);
	if (r < 0)
		return r;
	return failures_finish(failures) < 0 || compare->set.nomem ? err_nomem(err) : 0;
}

const struct failure_set *why_compare_set(const struct why_compare *compare)
{
	return compare->name && failures_outcome(&compare->failures) == COMMAND_SUCCEEDED ?
		       &compare->set :
		       NULL;
}

void why_compare_report(const struct why_compare *compare, const struct action *action)
{
	_cleanup_strbuf_ struct strbuf how = { 0 };

	if (!compare->name || why_compare_set(compare))
		return;
	if (signals_put_ending(&how, " (", failures_ending(&compare->failures)))
		strbuf_addc(&how, ')');
	quote_printf(action->messages, "fathom why: not compared: '%s' %s%s\n", compare->name,
		     how.len ? "did not succeed" : "is not known to have succeeded",
		     strbuf_str(&how));
}

void why_compare_done(struct why_compare *compare)
{
	failures_done(&compare->failures);
	failure_set_done(&compare->set);
	analysis_input_done(&compare->input);
	if (compare->fd >= 0)
		close(compare->fd);
}
