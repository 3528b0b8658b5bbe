/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/record-samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "format/sample-event.h"

#define HZ_MAX 1000000

int record_arg_sample(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;
	char *end;

	errno = 0;
	record->sample_hz = strtoul(value, &end, 10);
	if (errno || end == value || *end || !record->sample_hz || record->sample_hz > HZ_MAX)
		return err_set(err, -EINVAL,
			       "'%s' is not a number of samples a second such as " SAMPLE_HZ,
			       value);
	return 0;
}

int record_plan_own(struct plan *plan, const char *name, const char *what, struct fathom_err *err)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct plan_buffer *buffer = &plan->buffers[i];

		if (str_eq(buffer->name, name))
			return err_set(err, -EINVAL,
				       "the %s are in a buffer '%s'; give yours another name", what,
				       name);
		if (buffer->clock && !str_eq(buffer->clock, "mono"))
			return err_set(
				err, -EINVAL,
				"%s have their times from the clock 'mono', and would not fit "
				"to events with times from '%s'; leave out -C",
				what, buffer->clock);
		buffer->clock = "mono";
	}
	plan->wants_symbols = plan->wants_maps = true;
	return 0;
}

int record_samples_plan(struct record_args *args, struct fathom_err *err)
{
	if (!args->sample_hz)
		return 0;
	if (args->keep_last)
		return err_set(err, -EINVAL,
			       "samples are written as they come: they have no --keep-last");
	return record_plan_own(&args->plan.plan, SAMPLE_BUFFER, "samples", err);
}

struct recorder_buffer record_samples_buffer(const struct plan *plan)
{
	return (struct recorder_buffer){ .name = SAMPLE_BUFFER,
					 .place = plan->buffers[0].place->fd,
					 .is_own = true };
}

int record_samples_open(const struct record_args *args, struct recorder *recorder, pid_t starting,
			const pid_t *not_pids, size_t n, struct samples **ret_samples,
			struct fathom_err *err)
{
	const struct plan *plan = &args->plan.plan;
	struct samples_options options = { .hz = args->sample_hz,
					   .pids = plan->pids,
					   .n_pids = plan->n_pids,
					   .children = plan->children,
					   .starting = starting,
					   .not_pids = not_pids,
					   .n_not_pids = args->no_filter ? 0 : n };

	options.streams = recorder_own_streams(recorder, SAMPLE_BUFFER, &options.n_streams);
	return samples_new(&options, ret_samples, err);
}

static int add_name(void *data, pid_t pid, const char *name)
{
	return recorder_add_name(data, pid, name);
}

void record_samples_end(struct samples *samples, struct recorder *recorder, struct strbuf *info,
			struct fathom_err *failure)
{
	struct samples_totals totals;
	int r = samples_take(samples, true);

	if (r == 0)
		r = samples_names(samples, add_name, recorder);
	if (r < 0 && !failure->code)
		err_set_errno(failure, r, "cannot write samples");
	totals = samples_count(samples);
	strbuf_addf(info, "samples: %" PRIu64 "\nsamples of: %s\nsample loss: %" PRIu64 "\n",
		    totals.samples, samples_event(samples), totals.lost);
}

void record_samples_tell(const struct samples *samples, const char *command, bool quiet)
{
	struct samples_totals totals = samples_count(samples);

	if (!quiet)
		fprintf(stderr, "fathom %s: %" PRIu64 " samples of %s, %s\n", command,
			totals.samples,
			str_eq(samples_event(samples), "cycles") ?
				"CPU cycles" :
				"the CPU clock (there is no counter of cycles)",
			totals.samples ? "see 'fathom flame'" :
					 "as nothing ran that was to be sampled");
	if (totals.lost)
		fprintf(stderr,
			"fathom %s: %" PRIu64
			" samples were lost: they came faster than they could be written\n",
			command, totals.lost);
	if (totals.throttled)
		fprintf(stderr,
			"fathom %s: the kernel has paused sampling %" PRIu64
			" times, as it took too much time; take fewer a second\n",
			command, totals.throttled);
}
