/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom count: count events by key, in the kernel or in a recording. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "actions/count/count-run.h"
#include "actions/input/time-arg.h"
#include "base/err.h"
#include "cli/report/report-options.h"

#define KEYS_MAX (1 << 24)

static int count_aggregate(void *args, enum count_what what, const char *value)
{
	struct count_args *count = args;

	count->aggregator = what;
	count->value = value;
	count->n_aggregators++;
	return 0;
}

static int on_sum(void *args, const char *value, struct fathom_err *err)
{
	return count_aggregate(args, COUNT_SUM, value);
}

static int on_min(void *args, const char *value, struct fathom_err *err)
{
	return count_aggregate(args, COUNT_MIN, value);
}

static int on_max(void *args, const char *value, struct fathom_err *err)
{
	return count_aggregate(args, COUNT_MAX, value);
}

static int on_avg(void *args, const char *value, struct fathom_err *err)
{
	return count_aggregate(args, COUNT_AVG, value);
}

static int on_stats(void *args, const char *value, struct fathom_err *err)
{
	return count_aggregate(args, COUNT_STATS, value);
}

static int on_hist(void *args, const char *value, struct fathom_err *err)
{
	return count_aggregate(args, COUNT_HIST, value);
}

static int cmd_count_span(const char *value, uint64_t *ret_span, struct fathom_err *err)
{
	int r = time_arg_span(value, ret_span, err);

	if (r == 0 && !*ret_span)
		r = err_set(err, -EINVAL, "invalid duration '%s': expected more than 0", value);
	return r;
}

static int on_every(void *args, const char *value, struct fathom_err *err)
{
	return cmd_count_span(value, &((struct count_args *)args)->every, err);
}

static int cmd_count_on_for(void *args, const char *value, struct fathom_err *err)
{
	return cmd_count_span(value, &((struct count_args *)args)->span, err);
}

/* Parses a number that ends at *@ret_end. Returns false if there is none. */
static bool cmd_count_number(const char *value, uint64_t *ret_number, char **ret_end)
{
	errno = 0;
	*ret_number = strtoull(value, ret_end, 10);
	return !errno && *ret_end != value && *value >= '0' && *value <= '9';
}

static int on_rows(void *args, const char *value, struct fathom_err *err)
{
	struct count_args *count = args;
	uint64_t rows;
	char *end;

	if (!cmd_count_number(value, &rows, &end) || *end)
		return err_set(err, -EINVAL, "invalid number of rows '%s': expected 0 or more",
			       value);
	count->rows = rows;
	count->has_rows = true;
	return 0;
}

static int on_max_keys(void *args, const char *value, struct fathom_err *err)
{
	uint64_t keys;
	char *end;

	if (!cmd_count_number(value, &keys, &end) || *end || !keys || keys > KEYS_MAX)
		return err_set(err, -EINVAL, "invalid number of keys '%s': expected 1 to %d", value,
			       KEYS_MAX);
	((struct count_args *)args)->max_keys = keys;
	return 0;
}

static int on_max_memory(void *args, const char *value, struct fathom_err *err)
{
	static const char units[] = "KMG";
	uint64_t size;
	const char *unit = NULL;
	char *end;
	bool is_number = cmd_count_number(value, &size, &end);

	if (is_number && *end)
		unit = strchr(units, *end);
	if (!is_number || (*end && (!unit || end[1])) || !size || size > UINT64_MAX >> 30)
		return err_set(err, -EINVAL,
			       "invalid size '%s': expected a value such as 64M, 500K or 1G",
			       value);
	((struct count_args *)args)->max_memory = unit ? size << 10 * (unit - units + 1) : size;
	return 0;
}

static const struct option_def options[] = {
	OPT_GROUP("What to count"),
	OPT_FLAG(0, "latency", struct count_args, is_latency,
		 "show the distribution of the time from entry to return of functions, or from "
		 "BEGINS to ENDS"),
	OPT_CALL(0, "hist", "FIELD", on_hist, "show the distribution of a field or argument"),
	OPT_CALL(0, "sum", "FIELD", on_sum, "add up a field or argument"),
	OPT_CALL(0, "min", "FIELD", on_min, "show the smallest value of a field or argument"),
	OPT_CALL(0, "max", "FIELD", on_max, "show the largest value of a field or argument"),
	OPT_CALL(0, "avg", "FIELD", on_avg, "show the mean of a field or argument"),
	OPT_CALL(0, "stats", "FIELD", on_stats, "show sum, mean, smallest and largest value"),
	OPT_STRING(0, "by", "KEY,...", struct count_args, by,
		   "show a row for each value of these keys, like 'by KEY,...'"),
	OPT_STRING(0, "key", "BEGIN=END", struct count_args, pair,
		   "fields whose values connect begins and ends (default: the thread)"),
	OPT_STRING('F', "filter", "FILTER", struct count_args, filter,
		   "count only events that match FILTER, see fathom-filter(7)"),
	OPT_NUMBER('p', "pid", "PID", struct count_args, pid, "count only this process"),
	OPT_STRING('e', "execute", "SCRIPT", struct count_args, script,
		   "count what a bpftrace script with one aggregation counts"),
	OPT_FLAG(0, "list", struct count_args, list, "list recipes, or explain those named"),
	OPT_GROUP("Limits"),
	OPT_CALL(0, "for", "DURATION", cmd_count_on_for, "stop after DURATION, for example 10s"),
	OPT_CALL(0, "max-keys", "N", on_max_keys,
		 "count at most N different keys (default: 10240)"),
	OPT_CALL(0, "max-memory", "SIZE", on_max_memory,
		 "use at most SIZE of kernel memory (default: 64M)"),
	OPT_GROUP("Recordings"),
	OPT_STRING('i', "input", "FILE", struct count_args, input,
		   "count the events of a recording"),
	OPT_STRING(0, "from", "TIME", struct count_args, report.from,
		   "start at this time: seconds, '15ms', or '+2s' from the start"),
	OPT_STRING(0, "to", "TIME", struct count_args, report.to, "end at this time"),
	OPT_CALL(0, "cpu", "LIST", report_arg_cpus,
		 "count only events of these CPUs, for example 0,2-5"),
	OPT_GROUP("Output"),
	OPT_CALL(0, "every", "DURATION", on_every,
		 "show the counts this often (default: 1s on a terminal, otherwise at the end)"),
	OPT_CALL('n', "rows", "N", on_rows, "show the first N rows; 0: all (default: 20)"),
	OPT_CHOICE('s', "sort", "BY", COUNT_ORDERS, struct count_args, order,
		   "sort order (default: total)"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_count = {
	.name = "count",
	.summary = "count events by key, in the kernel or in a recording",
	.description =
		"Adds up events instead of recording them: how many, or sums and distributions of "
		"a field, an argument or a latency, for each value of some keys. WHAT is a list of "
		"events (SYSTEM:NAME), kernel functions and profile:HZ, each with an optional "
		"/FILTER/; BEGINS..ENDS; or the name of a recipe. Without FILE, counts in the running "
		"kernel until Ctrl-C, or while COMMAND runs.",
	.operands = "RECIPE|WHAT [by KEY,...] [FILE|-- COMMAND...]",
	.options = options,
	.args_size = sizeof(struct count_args),
	.run = count_run,
};
