/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/why/why-slow.h"

#include "actions/analysis/user-names.h"
#include "analyze/replay/slow-calls.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/kit/duration.h"
#include "render/time/call-texts.h"
#include "render/time/replay.h"
#include "render/why/why-slow.h"

#define DEPTH 256
#define SHOWN 5 /* without --all */

/* Input of the analysis. Empty when zero-initialized. */
struct search {
	struct analysis_input input;
	struct user_names names;
	struct replay *replay;
	struct call_texts texts;
	struct slow_calls calls;
};

static void why_slow_search_done(struct search *search)
{
	replay_free(search->replay);
	call_texts_done(&search->texts);
	slow_calls_done(&search->calls);
	analysis_input_done(&search->input);
	user_names_done(&search->names);
}

static void why_slow_take(void *data, const struct decoded_event *decoded)
{
	struct search *search = data;

	slow_calls_feed(&search->calls, decoded);
	call_texts_feed(&search->texts, decoded);
	replay_feed(search->replay, decoded);
	call_texts_clear(&search->texts, decoded);
}

static void why_slow_put_call(void *data, int32_t pid, struct strbuf *buf)
{
	quote_adds(buf, call_texts_get(data, pid));
}

static bool why_slow_is_wanted(const void *data, const char *name, bool goes_on, int64_t result)
{
	const struct failure_choice *choice = data;
	bool error_matches = !choice->n_errors, call_matches = !choice->n_calls;

	for (size_t i = 0; i < choice->n_errors; i++)
		error_matches |= !goes_on && result == -choice->errors[i];
	for (size_t i = 0; i < choice->n_calls; i++)
		call_matches |= name && str_eq(choice->calls[i], name);
	return error_matches && call_matches;
}

static int why_slow_find(struct search *search, struct why_args *args, const char *path,
			 struct fathom_err *err)
{
	struct replay_options options = { .depth = DEPTH,
					  .no_events = true,
					  .each = true,
					  .put_call = why_slow_put_call,
					  .put_call_data = &search->texts,
					  .put_wait = replay_put_wait,
					  .take = slow_calls_take,
					  .take_data = &search->calls };
	struct report *report;
	int r = user_names_begin(&search->names, &search->input, &args->report, path, err);

	if (r < 0)
		return r;
	report = search->input.setup.inputs[0].report;
	options.kallsyms = report_kallsyms(report);
	options.tasks = report_tasks(report);
	options.trace = search->input.feed.trace;
	search->texts.list.files.args.machine =
		value_machine_of(fathom_trace_info(search->input.feed.trace)->uname);
	search->calls.min = args->slow;
	search->calls.wanted = why_slow_is_wanted;
	search->calls.wanted_data = &args->choice;
	if (replay_new(&options, &search->replay) < 0)
		return err_nomem(err);
	r = feed_run(&search->input.feed, why_slow_take, search, err);
	if (r < 0)
		return r;
	search->calls.at_end = true;
	if (call_texts_finish(&search->texts) < 0 || replay_finish(search->replay) < 0 ||
	    slow_calls_finish(&search->calls) < 0)
		return err_nomem(err);
	return 0;
}

int why_slow_show(const struct action *action, struct why_args *args, const char *path,
		  struct out *out, struct fathom_err *err)
{
	_cleanup_(why_slow_search_done) struct search search = { .names = USER_NAMES_NONE };
	struct why_slow_view view = { .calls = &search.calls,
				      .users = &search.names.symbols,
				      .max = args->choice.all ? SIZE_MAX : SHOWN };
	char least[DURATION_SIZE];
	int r = why_slow_find(&search, args, path, err);

	if (r < 0)
		return r;
	analysis_input_complete(&search.input, out);
	r = args->report.json ? why_slow_print_json(&view, out) : why_slow_print(&view, out);
	if (r < 0)
		return err_nomem(err);
	if (!search.calls.n_slow && !args->report.json)
		quote_printf(action->messages, "fathom why: no system call took %s or longer\n",
			     duration_text(args->slow, least));
	if (replay_tree(search.replay)->full && !args->report.quiet)
		quote_printf(action->messages,
			     "fathom why: a system call contains too many functions: the times "
			     "within it are incomplete\n");
	user_names_report(&search.names, action);
	return analysis_input_report(&search.input, action);
}
