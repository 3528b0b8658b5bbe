/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/count/count-file.h"

#include <errno.h>
#include <string.h>

#include "actions/input/reading.h"
#include "base/err.h"
#include "base/str.h"
#include "render/report/report.h"

static bool count_file_has_user_stacks(const struct count_plan *plan)
{
	for (size_t i = 0; i < plan->n_keys; i++)
		if (str_eq(plan->keys[i], "ustack"))
			return true;
	return false;
}

static struct report *count_file_of_report(const struct count_file *file)
{
	return file->input.setup.inputs[0].report;
}

static int count_file_feed(struct count_file *file, const struct count_plan *plan,
			   struct fathom_err *err)
{
	struct feed *feed = &file->input.feed;
	const struct count_events_options options = {
		.plan = plan,
		.events = feed->events,
		.kallsyms = report_kallsyms(count_file_of_report(file)),
		.env = &file->input.setup.filters[0].env,
	};
	int r = count_events_new(&options, &file->events, err);

	if (r < 0)
		return r;
	/* Pass all events, with their kinds: also those that are not counted change states. */
	feed->filtered = UINT64_MAX;
	feed->with_unwanted = true;
	feed->max_early = FEED_EARLY_USUAL;
	r = feed_run(feed, count_events_take, file->events, err);
	if (r < 0)
		return r;
	return count_events_end(file->events) < 0 ? err_nomem(err) : 0;
}

int count_file_read(const struct action *action, struct report_args *args,
		    const struct count_plan *plan, const char *path, struct count_file *file,
		    struct fathom_err *err)
{
	int r;

	reading_begin(action, args->quiet ? READING_QUIET : 0);
	file->is_reading = true;
	if (count_file_has_user_stacks(plan))
		r = user_names_begin(&file->names, &file->input, args, path, err);
	else
		r = analysis_input_begin(&file->input, args, path, err);
	if (r == 0)
		r = count_file_feed(file, plan, err);
	if (r < 0)
		return r;
	analysis_input_complete(&file->input, action->out);
	file->table = count_events_table(file->events);
	file->columns = count_events_columns(file->events);
	file->sites = count_events_sites(file->events, &file->n_sites);
	file->in_nanoseconds = report_in_nanoseconds(count_file_of_report(file), 0);
	file->first = file->input.feed.first;
	file->last = file->input.feed.last;
	return 0;
}

int count_file_report(const struct count_file *file, const struct action *action)
{
	return analysis_input_report(&file->input, action);
}

void count_file_done(struct count_file *file)
{
	count_events_free(file->events);
	analysis_input_done(&file->input);
	user_names_done(&file->names);
	if (file->is_reading)
		reading_end();
	*file = (struct count_file)COUNT_FILE_NONE;
}

const char *count_file_function(const struct count_file *file, uint64_t address,
				uint64_t *ret_start)
{
	return report_symbol(count_file_of_report(file), address, ret_start);
}

size_t count_file_stack(const struct count_file *file, int64_t id, uint64_t *addresses, size_t max)
{
	const struct count_stack *stack = count_events_stack(file->events, id);
	size_t n = stack ? stack->n : 0;

	if (n > max)
		n = max;
	if (n)
		memcpy(addresses, stack->frames, n * sizeof(*addresses));
	return n;
}

const char *count_file_frame(struct count_file *file, int64_t id, size_t i)
{
	const struct count_stack *stack = count_events_stack(file->events, id);
	struct user_symbol symbol;
	uint64_t address, start;

	if (!stack || i >= stack->n)
		return NULL;
	/* All but the innermost are return addresses, which may be after the end of the caller. */
	address = stack->frames[i] - (i > 0);
	if (!stack->process)
		return count_file_function(file, address, &start);
	user_symbols_find(&file->names.symbols, stack->process, stack->time, address, &symbol);
	return symbol.name;
}
