/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/samples/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "format/bytes.h"
#include "format/event/sample-event.h"
#include "kernel/perf/sampler.h"
#include "record/file/event-pages.h"
#include "record/samples/sample-queue.h"
#include "record/file/task-names.h"
#include "record/unwind/map-log.h"
#include "record/unwind/unwinder.h"

struct samples {
	struct sampler *sampler; /* NULL: in tests */
	struct perf_layout records;
	struct event_pages pages;
	uint64_t ns; /* of a period */
	struct samples_cpu {
		uint64_t n; /* samples that are next */
		uint64_t time; /* accounted for by samples so far */
		uint64_t seen; /* that the tasks have run so far */
		uint64_t ns; /* that a sample accounts for; 0: a period */
	} * cpus; /* by stream */
	size_t n_cpus;
	pid_t *not_pids;
	size_t n_not_pids;
	struct task_name_map names; /* reported by perf */
	struct samples_totals totals;
	struct sample_queue *queue; /* NULL: nothing is unwound */
	struct map_log *maps;
	struct unwinder *unwinder; /* NULL: none */
	struct sampler_point *twins; /* points with @same_as */
	size_t n_twins;
	uint8_t event[SAMPLE_SIZE_MAX];
};

static int keep_twins(struct samples *samples, const struct samples_options *options)
{
	samples->twins = mem_zalloc(options->n_points + 1, sizeof(*samples->twins));
	if (!samples->twins)
		return -ENOMEM;
	for (size_t i = 0; i < options->n_points; i++)
		if (options->points[i].same_as)
			samples->twins[samples->n_twins++] = options->points[i];
	return 0;
}

/* Maps the ID of a twin to the event it was made for. */
static uint16_t samples_event_of(const struct samples *samples, uint16_t id)
{
	for (size_t i = 0; i < samples->n_twins; i++)
		if (samples->twins[i].id == id)
			return samples->twins[i].same_as;
	return id;
}

static int init(struct samples *samples, const struct samples_options *options)
{
	samples->records = (struct perf_layout){ .sample_type = sampler_sample_type(
							 options->unwinder, options->n_points),
						 .id_all = true,
						 .n_regs = (uint8_t)unwind_machine.n_perf,
						 .big = BYTES_HOST_BIG };
	samples->ns = options->hz ? 1000000000ULL / options->hz : 0;
	samples->not_pids =
		mem_dup(options->not_pids, options->n_not_pids * sizeof(*samples->not_pids));
	if (!samples->not_pids)
		return -ENOMEM;
	samples->n_not_pids = options->n_not_pids;
	samples->cpus = mem_zalloc(options->n_streams + 1, sizeof(*samples->cpus));
	samples->n_cpus = options->n_streams;
	if (!samples->cpus || keep_twins(samples, options) < 0)
		return -ENOMEM;
	samples->maps = options->maps;
	samples->unwinder = options->unwinder;
	if (event_pages_init(&samples->pages, options->streams, options->n_streams) < 0)
		return -ENOMEM;
	return options->unwinder ?
		       sample_queue_new(&samples->pages, options->unwinder, &samples->queue) :
		       0;
}

int samples_new_empty(const struct samples_options *options, struct samples **ret_samples)
{
	struct samples *samples = mem_zalloc(1, sizeof(*samples));

	if (!samples)
		return -ENOMEM;
	if (init(samples, options) < 0) {
		samples_free(samples);
		return -ENOMEM;
	}
	*ret_samples = samples;
	return 0;
}

int samples_new(const struct samples_options *options, struct samples **ret_samples,
		struct fathom_err *err)
{
	_cleanup_free_ uint32_t *cpus = mem_zalloc(options->n_streams, sizeof(*cpus));
	struct sampler_options sampler = { .hz = options->hz,
					   .points = options->points,
					   .n_points = options->n_points,
					   .cpus = cpus,
					   .n_cpus = options->n_streams,
					   .pids = options->pids,
					   .n_pids = options->n_pids,
					   .children = options->children,
					   .starting = options->starting };
	struct samples *samples = NULL;
	int r;

	if (!cpus || samples_new_empty(options, &samples) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < options->n_streams; i++)
		cpus[i] = options->streams[i].cpu;
	sampler.stack_bytes = options->unwinder ? options->stack_bytes : 0;
	sampler.regs = unwind_machine.perf_mask;
	r = sampler_new(&sampler, &samples->sampler, err);
	if (r < 0) {
		samples_free(samples);
		return r;
	}
	*ret_samples = samples;
	return 0;
}

void samples_free(struct samples *samples)
{
	if (!samples)
		return;
	sampler_free(samples->sampler);
	sample_queue_free(samples->queue);
	event_pages_done(&samples->pages);
	task_name_map_done(&samples->names);
	free(samples->not_pids);
	free(samples->twins);
	free(samples->cpus);
	free(samples);
}

const char *samples_event(const struct samples *samples)
{
	return sampler_event(samples->sampler);
}

int samples_switch(struct samples *samples, bool on)
{
	return sampler_switch(samples->sampler, on);
}

int samples_fd(const struct samples *samples)
{
	return sampler_fd(samples->sampler);
}

struct samples_totals samples_count(const struct samples *samples)
{
	struct samples_totals totals = samples->totals;

	for (size_t i = 0; i < samples->n_cpus; i++) {
		totals.time += samples->cpus[i].seen;
		totals.sampled += samples->cpus[i].time;
	}
	totals.failed = samples->queue ? sample_queue_failed(samples->queue) : 0;
	for (unsigned i = 0; samples->queue && i < SAMPLE_ENDS; i++)
		totals.ends[i] = sample_queue_count(samples->queue, (enum sample_end)i);
	return totals;
}

bool samples_failure(const struct samples *samples, size_t i, struct samples_failure *ret_failure)
{
	const struct unwinder_failure *failures;
	size_t n = samples->unwinder ? unwinder_failures(samples->unwinder, &failures) : 0;

	if (i >= n)
		return false;
	*ret_failure = (struct samples_failure){
		.how = failures[i].how,
		.path = samples->maps ? map_log_path(samples->maps, failures[i].file) : NULL,
		.stacks = failures[i].stacks,
		.is_off = i + 1 == n && unwinder_failed(samples->unwinder),
	};
	return true;
}

static int samples_put_sample(struct samples *samples, size_t cpu, const struct perf_record *record)
{
	uint64_t ns = cpu < samples->n_cpus ? samples->cpus[cpu].ns : 0;
	uint32_t size =
		sample_event_write(&samples->records, record, ns ?: samples->ns, samples->event);
	uint16_t id = samples_event_of(samples, sample_record_event(&samples->records, record));
	int r;

	sample_event_set_event(samples->event, id, samples->records.big);
	r = samples->queue ?
		    sample_queue_put(samples->queue, &samples->records, record, cpu, samples->event,
				     size) :
		    event_pages_put(&samples->pages, cpu, record->time, samples->event, size);

	if (r < 0)
		return r;
	samples->totals.samples++;
	samples->totals.at_events += id != 0;
	return 0;
}

static bool samples_is_wanted(const struct samples *samples, const struct perf_record *record)
{
	for (size_t i = 0; i < samples->n_not_pids; i++)
		if (samples->not_pids[i] == record->pid)
			return false;
	/* 0 is an idle CPU, and tasks that have exited have no ID. */
	return record->tid > 0;
}

/* A task inherits its parent's name. */
static int put_child(struct samples *samples, pid_t pid, pid_t parent, uint64_t time)
{
	const char *known = task_name_map_find(&samples->names, parent);
	char path[32], name[TASK_NAME_SIZE];

	if (known) {
		snprintf(name, sizeof(name), "%s", known);
	} else {
		snprintf(path, sizeof(path), "/proc/%d/comm", (int)parent);
		if (file_read_line(AT_FDCWD, path, name, sizeof(name)) <= 0)
			return 0;
		if (task_name_map_put(&samples->names, parent, name, 0) < 0)
			return -ENOMEM;
	}
	return task_name_map_put(&samples->names, pid, name, time);
}

int samples_names(const struct samples *samples,
		  int (*add)(void *data, pid_t pid, const char *name), void *data)
{
	return task_name_map_each(&samples->names, add, data);
}

int samples_put(struct samples *samples, size_t cpu, const uint8_t *bytes, size_t size)
{
	struct perf_record record;

	if (perf_record_parse(&samples->records, bytes, size, &record) <= 0)
		return 0;
	switch (record.kind) {
	case PERF_SAMPLE:
		return samples_is_wanted(samples, &record) ?
			       samples_put_sample(samples, cpu, &record) :
			       0;
	case PERF_LOST:
		samples->totals.lost += record.lost;
		return samples->queue ?
			       sample_queue_lose(samples->queue, cpu, record.time, record.lost) :
			       event_pages_lose(&samples->pages, cpu, record.time, record.lost);
	case PERF_THROTTLE:
		samples->totals.throttled++;
		return 0;
	case PERF_COMM:
		return task_name_map_put(&samples->names, record.tid, record.name, record.time);
	case PERF_FORK:
		return put_child(samples, record.tid, record.parent_tid, record.time);
	default:
		return 0;
	}
}

static int samples_samples_take(void *data, size_t cpu, const uint8_t *record, size_t size)
{
	return samples_put(data, cpu, record, size);
}

void samples_weigh(struct samples *samples, size_t number, uint64_t n, uint64_t time)
{
	struct samples_cpu *cpu = &samples->cpus[number];
	uint64_t passed = time > cpu->time ? time - cpu->time : 0;
	uint64_t periods = samples->ns ? passed / samples->ns : 0;

	cpu->ns = n ? passed / n : 0;
	cpu->seen = time;
	/* Without samples, the next ones also account for this time. */
	if (!n)
		return;
	cpu->time = time;
	samples->totals.missed += periods > n ? periods - n : 0;
}

static int samples_samples_count(void *data, size_t cpu, const uint8_t *bytes, size_t size)
{
	struct samples *samples = data;
	struct perf_record record;

	if (cpu < samples->n_cpus &&
	    perf_record_parse(&samples->records, bytes, size, &record) > 0 &&
	    record.kind == PERF_SAMPLE && samples_is_wanted(samples, &record) &&
	    !sample_record_event(&samples->records, &record))
		samples->cpus[cpu].n++;
	return 0;
}

/* Determines how much time each pending sample accounts for. */
static void weigh_all(struct samples *samples)
{
	uint64_t time;

	for (size_t i = 0; i < samples->n_cpus; i++)
		samples->cpus[i].n = 0;
	sampler_peek(samples->sampler, samples_samples_count, samples);
	for (size_t i = 0; i < samples->n_cpus; i++)
		if (sampler_time(samples->sampler, i, &time))
			samples_weigh(samples, i, samples->cpus[i].n, time);
}

/* Unwinding a sample requires everything that was mapped before it. */
static int samples_take_rings(struct samples *samples)
{
	int r = 0;

	if (!samples->sampler)
		return 0;
	sampler_mark(samples->sampler);
	weigh_all(samples);
	if (samples->queue)
		r = samples->maps ? map_log_read(samples->maps) : 0;
	return r < 0 ? r : sampler_take(samples->sampler, samples_samples_take, samples);
}

static int samples_take_all(struct samples *samples, bool last)
{
	int r;

	if (samples->queue && unwinder_restart(samples->unwinder) && samples->maps)
		map_log_announce(samples->maps);
	r = samples_take_rings(samples);
	return r == 0 && samples->queue ? sample_queue_take(samples->queue, last) : r;
}

int samples_take(struct samples *samples, bool all)
{
	int r = samples_take_all(samples, false);

	return all && r == 0 ? event_pages_flush(&samples->pages) : r;
}

int samples_finish(struct samples *samples)
{
	int r = samples_take_all(samples, true);

	if (samples->sampler)
		sampler_close(samples->sampler);
	return r == 0 ? event_pages_flush(&samples->pages) : r;
}
