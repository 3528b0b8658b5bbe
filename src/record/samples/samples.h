/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes CPU samples to a recording, as events of a separate buffer (see
 * format/event/sample-event.h). A sample accounts for the time that its tasks have run on its CPU
 * since the last ones, divided by the number of samples: if timers are late, that is more than a
 * period. When all tasks are sampled, that time is unknown, and each sample accounts for a period.
 * Uses a page of memory for each CPU, regardless of the duration, and some megabytes if it unwinds
 * stacks.
 *
 * One thread may use it at a time. Functions return 0 or a negative errno.
 */
#ifndef FATHOM_RECORD_SAMPLES_SAMPLES_H
#define FATHOM_RECORD_SAMPLES_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "format/event/sample-event.h"
#include "kernel/perf/sampler.h"
#include "record/file/trace-out.h"

struct map_log;
struct samples;
struct unwinder;

struct samples_options {
	unsigned long hz; /* samples per second; 0: no periodic samples */
	const struct sampler_point *points; /* kernel events at which to take samples */
	size_t n_points;
	const pid_t *pids; /* the tasks to sample; none: all */
	size_t n_pids;
	bool children; /* also sample all that these tasks start */
	pid_t starting; /* one of @pids that is sampled only after its execve(); 0: none */
	const pid_t *not_pids; /* processes to exclude */
	size_t n_not_pids;
	struct trace_out_stream *streams; /* of the buffer, one per CPU */
	size_t n_streams;
	/*
	 * Finds callers in programs, from a copy of @stack_bytes of the stack; NULL: by frame
	 * pointers.
	 */
	struct unwinder *unwinder;
	uint32_t stack_bytes;
	struct map_log *maps; /* source of the unwinder's mappings; read before samples are */
};

struct samples_totals {
	uint64_t samples, lost;
	uint64_t at_events; /* number of samples that were taken at kernel events */
	uint64_t missed; /* estimate of samples missed due to late timers; 0: none, or unknown */
	uint64_t time; /* ns that the tasks have run; 0: unknown */
	uint64_t sampled; /* of these, the time that samples account for */
	uint64_t throttled; /* how often the kernel paused sampling, because it took too long */
	uint64_t ends[SAMPLE_ENDS]; /* with an unwinder: number of stacks by how they ended */
	uint64_t failed; /* SAMPLE_END_LATE because the unwinder failed */
};

/* A failure of the unwinder. */
struct samples_failure {
	const char *how; /* see confined_pool_fail() */
	const char *path; /* the file that it was reading, skipped from now on; NULL: none */
	uint64_t stacks; /* that end in this file since */
	bool is_off; /* not restarted: too many failures, or the recording has ended */
};

/*
 * Opens the events, disabled. @streams, @unwinder and @maps must outlive the samples; everything
 * else in @options is copied.
 */
int samples_new(const struct samples_options *options, struct samples **ret_samples,
		struct fathom_err *err);
void samples_free(struct samples *samples);
/* As sampler_event(), sampler_switch() and sampler_fd(). */
const char *samples_event(const struct samples *samples);
int samples_switch(struct samples *samples, bool on);
int samples_fd(const struct samples *samples);
/* Writes the samples taken so far; with @all, including partial pages. */
int samples_take(struct samples *samples, bool all);
/* Writes the last samples, waiting for the unwinder, and closes the events. */
int samples_finish(struct samples *samples);
/*
 * Calls @add with the last name of each task that perf has reported. Returns 0 or the first result
 * of @add that is not 0.
 */
int samples_names(const struct samples *samples,
		  int (*add)(void *data, pid_t pid, const char *name), void *data);
struct samples_totals samples_count(const struct samples *samples);
/*
 * Returns failure @i of the unwinder, from 0, or false if there were no more. Its strings belong to
 * the unwinder and the map log.
 */
bool samples_failure(const struct samples *samples, size_t i, struct samples_failure *ret_failure);

/*
 * Sets the weight of the next @n samples of a CPU, whose tasks have run for @time ns so far; for
 * samples_take() and tests.
 */
void samples_weigh(struct samples *samples, size_t cpu, uint64_t n, uint64_t time);
/*
 * Processes a perf record of the CPU with this index in the streams; for samples_take() and tests.
 */
int samples_put(struct samples *samples, size_t cpu, const uint8_t *record, size_t size);
/* As samples_new(), without perf events; for tests. */
int samples_new_empty(const struct samples_options *options, struct samples **ret_samples);

#endif
