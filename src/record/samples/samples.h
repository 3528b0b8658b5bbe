/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes samples of CPUs into a recording, as events of a buffer of their own (see
 * format/event/sample-event.h). A sample stands for the time that its tasks have run on its CPU, divided among the samples that were
 * taken there meanwhile: where timers are late, that is more than one period. Of samples of all tasks that is not known,
 * and each stands for a period. Takes a page of memory for each CPU, however long it records, and some megabytes when it
 * unwinds stacks.
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
#include "record/unwind/map-log.h"
#include "record/file/trace-out.h"
#include "record/unwind/unwinder.h"

struct samples;

struct samples_options {
	unsigned long hz; /* 0: at no times */
	const struct sampler_point *points; /* events at which samples are taken */
	size_t n_points;
	const pid_t *pids; /* only these tasks; none: all */
	size_t n_pids;
	bool children; /* and all that they start */
	pid_t starting; /* of these: sampled only once it runs another program; 0: none */
	const pid_t *not_pids; /* processes that are left out */
	size_t n_not_pids;
	struct trace_out_stream *streams; /* of the buffer, one for each CPU */
	size_t n_streams;
	/* Callers in programs are found by this one, out of so many bytes of stack; NULL: by frame pointers. */
	struct unwinder *unwinder;
	uint32_t stack_bytes;
	struct map_log *maps; /* that the unwinder listens to; read before samples are */
};

struct samples_totals {
	uint64_t samples, lost;
	uint64_t at_events; /* of the samples */
	uint64_t missed; /* about so many were not taken, as timers were late; 0: none, or not known */
	uint64_t time; /* ns that the tasks have run; 0: not known */
	uint64_t sampled; /* of these: that samples stand for */
	uint64_t throttled; /* how often the kernel made pauses, as samples took too much time */
	uint64_t ends[SAMPLE_ENDS]; /* with an unwinder: how many stacks ended so */
	uint64_t failed; /* of those with SAMPLE_END_LATE: because the unwinder failed */
};

/* An end of the unwinder before its time. */
struct samples_failure {
	const char *how; /* see confined_pool_fail() */
	const char *path; /* of the file that it was reading, which is not read again; NULL: none */
	uint64_t stacks; /* that end in this file since */
	bool is_off; /* it was not restarted: too many failures, or the end of the recording */
};

/* Opens the events, switched off. The options' lists but @not_pids are needed no longer afterwards. */
int samples_new(const struct samples_options *options, struct samples **ret_samples,
		struct fathom_err *err);
void samples_free(struct samples *samples);
/* As sampler_event(), _switch() and _fd(). */
const char *samples_event(const struct samples *samples);
int samples_switch(struct samples *samples, bool on);
int samples_fd(const struct samples *samples);
/* Writes what has come; with @all also pages that are not full. 0 or a negative errno. */
int samples_take(struct samples *samples, bool all);
/* Writes the last, for which what is being unwound is waited for, and closes the events. */
int samples_finish(struct samples *samples);
/* Calls @add for each task whose name was told meanwhile, with the last one. 0, or what @add returned. */
int samples_names(const struct samples *samples,
		  int (*add)(void *data, pid_t pid, const char *name), void *data);
struct samples_totals samples_count(const struct samples *samples);
/* The failure @i of the unwinder, from 0. Returns false if there were no more. */
bool samples_failure(const struct samples *samples, size_t i, struct samples_failure *ret_failure);

/* The next @n samples of the CPU are those of tasks that have run for @time until now; for samples_take(), and for tests. */
void samples_weigh(struct samples *samples, size_t cpu, uint64_t n, uint64_t time);
/* One record of perf, of the CPU with this place in the streams; for samples_take(), and for tests. */
int samples_put(struct samples *samples, size_t cpu, const uint8_t *record, size_t size);
/* The same as samples_new(), without the events. */
int samples_new_empty(const struct samples_options *options, struct samples **ret_samples);

#endif
