/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/syscall-list-run.h"

#include <errno.h>

#include "actions/input/reading.h"
#include "analyze/syscalls/syscalls.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "render/command/syscall-list.h"

struct listing {
	struct syscall_list_args *args;
	struct syscall_list list;
	struct syscall_list_view view;
	struct feed *feed;
	int error;
};

bool syscall_list_named(struct matches *names, const char *name)
{
	const char *rest = str_after(name, "new");
	bool fits = matches_test(names, name);

	return (rest && *rest && matches_test(names, rest)) || fits;
}

static bool syscall_list_run_is_wanted(struct syscall_list_args *args,
				       const struct listed_call *call)
{
	if (args->names.n && !(call->name && syscall_list_named(&args->names, call->name)))
		return false;
	if (args->errors &&
	    (call->fate != SYSCALL_RETURNED || call->result >= 0 || call->result < -ERROR_LIMIT))
		return false;
	if (args->slower && (!call->has_start || call->end < call->start ||
			     (call->fate != SYSCALL_RETURNED && call->fate != SYSCALL_ENDED) ||
			     call->end - call->start < args->slower))
		return false;
	return true;
}

static void syscall_list_run_print_call(void *data, const struct listed_call *call)
{
	struct listing *listing = data;

	if (listing->error < 0 || !syscall_list_run_is_wanted(listing->args, call))
		return;
	listing->error = syscall_list_print(&listing->view, call);
	/* The pager was closed, or the disk is full. */
	if (ferror(listing->view.out->stream))
		listing->feed->stop = true;
}

static void syscall_list_run_take(void *data, const struct decoded_event *decoded)
{
	syscall_list_feed(data, decoded);
}

int syscall_list_check_names(const struct matches *names, const char *words, struct fathom_err *err)
{
	for (size_t i = 0; i < names->n; i++)
		if (names->used[i])
			return 0;
	return names->n ? err_set(err, -ENODATA, "no calls of '%s' recorded", words) : 0;
}

static void listing_done(struct listing *listing)
{
	strbuf_done(&listing->view.line);
	syscall_list_done(&listing->list);
}

int syscall_list_run(const struct action *action, struct syscall_list_args *args,
		     struct analysis_input *input, struct fathom_err *err)
{
	const struct report_args *report_args = input->setup.args;
	struct report *report = input->setup.inputs[0].report;
	_cleanup_(listing_done) struct listing listing = {
		.args = args,
		.feed = &input->feed,
		.view = { .tasks = report_tasks(report),
			  .raw_times = !report_in_nanoseconds(report, 0),
			  .out = action->out },
	};
	int r;

	if (report_args->json)
		listing.view.form = SYSCALL_LIST_JSON;
	else if (report_args->csv)
		listing.view.form = SYSCALL_LIST_CSV;
	listing.list.take = syscall_list_run_print_call;
	listing.list.data = &listing;
	listing.list.files.args.machine =
		value_machine_of(fathom_trace_info(input->feed.trace)->uname);
	input->feed.filtered = SYSCALLS_FILTERED;
	/* They determine which files are open, even if they are not shown. */
	input->feed.with_unwanted = true;
	reading_prints(action->out);
	r = feed_run(&input->feed, syscall_list_run_take, &listing.list, err);
	if (r < 0)
		return r;
	if (!input->feed.stop && syscall_list_finish(&listing.list) < 0)
		return err_nomem(err);
	if (listing.error < 0)
		return err_nomem(err);
	/* The caller reports it. */
	if (!input->feed.n_counted)
		return 0;
	analysis_input_complete(input, action->out);
	action->out->completeness.filtered |= args->names.n || args->errors || args->slower;
	return syscall_list_print_end(&listing.view) < 0 ? err_nomem(err) : 0;
}
