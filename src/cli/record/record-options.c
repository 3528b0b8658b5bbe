/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/record/record-options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "actions/record/record-samples.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define HZ_MAX 1000000
/* Size of a copied stack; a perf record is limited to 64 KB in all. */
#define COPY_KB_MAX 60

/* Suffixes of numbers, with their factors. */
struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit times[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60000000000ULL },
	{ "h", 3600000000000ULL },
	{ "", 1000000000 },
	{ NULL, 0 },
};
static const struct unit sizes[] = {
	{ "K", 1ULL << 10 }, { "M", 1ULL << 20 }, { "G", 1ULL << 30 },
	{ "T", 1ULL << 40 }, { NULL, 0 },
};

/* Returns the value of @text in the base unit; 0 if it is invalid. */
static uint64_t with_unit(const char *text, const struct unit *units)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value > 0) || value > 1e15)
		return 0;
	for (; units->name; units++)
		if (strcasecmp(end, units->name) == 0)
			return (uint64_t)(value * (double)units->factor);
	return 0;
}

int record_arg_for(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;

	record->for_ns = with_unit(value, times);
	return record->for_ns ? 0 :
				err_set(err, -EINVAL,
					"invalid duration '%s': expected a value such as "
					"10s, 500ms or 5m",
					value);
}

int record_arg_max_size(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;

	record->max_bytes = with_unit(value, sizes);
	return record->max_bytes ? 0 :
				   err_set(err, -EINVAL,
					   "invalid size '%s': expected a value such as 500M "
					   "or 2G",
					   value);
}

int record_arg_keep_last(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;

	record->keep_last = true;
	record->last_bytes = with_unit(value, sizes);
	if (!record->last_bytes)
		record->last_ns = with_unit(value, times);
	return record->last_bytes || record->last_ns ?
		       0 :
		       err_set(err, -EINVAL,
			       "invalid value '%s': expected a duration such as 5s or a size "
			       "such as 100M",
			       value);
}

int record_arg_max_cpu(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;
	char *end;

	record->max_cpu_bytes = strtoull(value, &end, 10) * 1024;
	return *value && !*end && record->max_cpu_bytes ?
		       0 :
		       err_set(err, -EINVAL, "invalid size '%s': expected a number of kilobytes",
			       value);
}

int record_arg_interval(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;
	char *end;

	record->interval_us = strtoul(value, &end, 10);
	record->has_interval = true;
	return *value && !*end ? 0 :
				 err_set(err, -EINVAL,
					 "invalid interval '%s': expected a number of "
					 "microseconds",
					 value);
}

int record_arg_poll(void *args, const char *value, struct fathom_err *err)
{
	((struct record_args *)args)->interval_us = 1000;
	return 0;
}

/* "EVENT if FILTER": a traceoff trigger on that event. */
int record_arg_until(void *args, const char *value, struct fathom_err *err)
{
	struct plan_args *plan = args;
	const char *condition = strstr(value, " if ");
	size_t len = condition ? (size_t)(condition - value) : strlen(value);
	struct plan_buffer *buffer;
	int r = plan_args_init(plan, err);

	if (r < 0)
		return r;
	if (plan->until)
		return err_set(err, -EINVAL, "--until cannot be repeated");
	/* Two strings, the event and the trigger. */
	plan->until = mem_printf("%.*s%ctraceoff:1%s", (int)len, value, '\0', condition ?: "");
	buffer = &plan->plan.buffers[0];
	if (!plan->until || plan_add_event(buffer, plan->until, true) < 0 ||
	    plan_words_add(&buffer->events[buffer->n_events - 1].triggers, plan->until + len + 1) <
		    0)
		return err_nomem(err);
	return 0;
}

int record_arg_network(void *args, const char *value, struct fathom_err *err)
{
	return err_set(err, -EOPNOTSUPP,
		       "recording over a network or in guests is unsupported; record here and "
		       "copy the file");
}

int record_arg_nothing(void *args, const char *value, struct fathom_err *err)
{
	return 0;
}

int record_arg_max_overhead(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;

	if (!overhead_parse(value, &record->max_overhead))
		return err_set(err, -EINVAL,
			       "invalid limit '%s': expected a percentage such as 10%%, or none",
			       value);
	record->has_max_overhead = true;
	return 0;
}

int record_arg_sample(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;
	char *end;

	errno = 0;
	record->sample_hz = strtoul(value, &end, 10);
	if (errno || end == value || *end || !record->sample_hz || record->sample_hz > HZ_MAX)
		return err_set(
			err, -EINVAL,
			"invalid rate '%s': expected a number of samples per second, such as " SAMPLE_HZ,
			value);
	return 0;
}

int record_arg_unwind(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;
	const char *kb = str_after(value, "dwarf,");
	unsigned long n = UNWIND_BYTES / 1024;
	char *end;

	record->has_unwind = true;
	record->unwind_bytes = 0;
	if (str_eq(value, "fp"))
		return 0;
	if (kb)
		n = strtoul(kb, &end, 10);
	if ((!kb && !str_eq(value, "dwarf")) || (kb && (end == kb || *end)) || !n ||
	    n > COPY_KB_MAX)
		return err_set(err, -EINVAL,
			       "invalid unwind method '%s': expected fp, dwarf, or dwarf,KB "
			       "with 1 to %d KB of stack",
			       value, COPY_KB_MAX);
	record->unwind_bytes = (uint32_t)n * 1024;
	return 0;
}
