/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/u64-map.h"
#include "format/bytes.h"
#include "format/page-build.h"
#include "format/sample-event.h"
#include "kernel/sampler.h"
#include "record/task-names.h"

struct samples_cpu {
	struct trace_out_stream *stream;
	struct page_build build;
	uint8_t *page;
	uint64_t missed; /* before the page that is being filled */
};

struct samples {
	struct sampler *sampler; /* NULL: in tests */
	struct page_layout layout;
	struct perf_layout records;
	struct samples_cpu *cpus;
	size_t n_cpus;
	uint64_t ns; /* that a sample stands for */
	pid_t *not_pids;
	size_t n_not_pids;
	struct u64_map pids; /* of tasks whose names were told, in @names */
	struct task_name *names;
	size_t n_names, cap_names;
	struct samples_totals totals;
	uint8_t event[SAMPLE_SIZE_MAX];
};

static int init(struct samples *samples, const struct samples_options *options)
{
	samples->records = (struct perf_layout){ .sample_type = sampler_sample_type(),
						 .id_all = true,
						 .big = BYTES_HOST_BIG };
	samples->layout = page_layout_default(
		sizeof(long), options->n_streams ? options->streams[0].page_size : 4096,
		BYTES_HOST_BIG);
	samples->ns = options->hz ? 1000000000ULL / options->hz : 0;
	samples->not_pids =
		mem_dup(options->not_pids, options->n_not_pids * sizeof(*samples->not_pids));
	samples->cpus = mem_zalloc(options->n_streams, sizeof(*samples->cpus));
	if (!samples->not_pids || !samples->cpus)
		return -ENOMEM;
	samples->n_not_pids = options->n_not_pids;
	samples->n_cpus = options->n_streams;
	for (size_t i = 0; i < samples->n_cpus; i++) {
		struct samples_cpu *cpu = &samples->cpus[i];

		cpu->stream = &options->streams[i];
		cpu->page = mem_alloc(samples->layout.size);
		if (!cpu->page)
			return -ENOMEM;
		page_build_begin(&cpu->build, &samples->layout, cpu->page);
	}
	return 0;
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
	for (size_t i = 0; i < samples->n_cpus; i++)
		free(samples->cpus[i].page);
	u64_map_done(&samples->pids);
	free(samples->names);
	free(samples->cpus);
	free(samples->not_pids);
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
	return samples->totals;
}

/* Writes the page, if there is something in it, and begins the next. */
static int end_page(struct samples *samples, struct samples_cpu *cpu)
{
	int r;

	if (!cpu->build.events && !cpu->missed)
		return 0;
	page_build_end(&cpu->build, cpu->missed);
	cpu->missed = 0;
	r = trace_out_append(cpu->stream, cpu->page);
	page_build_begin(&cpu->build, &samples->layout, cpu->page);
	return r;
}

/* Events of one CPU can overtake each other by a little, when one comes in the midst of another. */
static uint64_t in_order(const struct page_build *build, uint64_t time)
{
	return build->events && time < build->time ? build->time : time;
}

static int put_sample(struct samples *samples, struct samples_cpu *cpu,
		      const struct perf_record *record)
{
	uint32_t size = sample_event_write(&samples->records, record, samples->ns, samples->event);
	uint64_t time = in_order(&cpu->build, record->time);
	uint8_t *to = page_build_event(&cpu->build, time, size);
	int r = 0;

	if (!to) {
		r = end_page(samples, cpu);
		to = page_build_event(&cpu->build, time, size);
	}
	if (!to || r < 0)
		return r < 0 ? r : -E2BIG;
	memcpy(to, samples->event, size);
	samples->totals.samples++;
	return 0;
}

/* What was lost stands before the page that comes next. */
static int put_loss(struct samples *samples, struct samples_cpu *cpu,
		    const struct perf_record *record)
{
	int r = cpu->build.events ? end_page(samples, cpu) : 0;

	/* Should the page remain without samples, it has at least this time. */
	cpu->build.start = record->time;
	cpu->missed += record->lost;
	samples->totals.lost += record->lost;
	return r;
}

static bool is_wanted(const struct samples *samples, const struct perf_record *record)
{
	for (size_t i = 0; i < samples->n_not_pids; i++)
		if (samples->not_pids[i] == record->pid)
			return false;
	/* 0 is a CPU that has nothing to do; what is not there any more has no number. */
	return record->tid > 0;
}

static int put_name(struct samples *samples, pid_t pid, const char *name)
{
	struct task_name *task = u64_map_element(&samples->pids, (uint64_t)pid, &samples->names,
						 &samples->n_names, &samples->cap_names,
						 sizeof(*task));

	if (!task)
		return -ENOMEM;
	task->pid = pid;
	snprintf(task->name, sizeof(task->name), "%s", name);
	return 0;
}

/* Until it is given another one, a task has its parent's name. */
static int put_child(struct samples *samples, pid_t pid, pid_t parent)
{
	uint32_t place = u64_map_get(&samples->pids, (uint64_t)parent);
	char path[32], name[TASK_NAME_SIZE];

	if (place != U64_MAP_NONE) {
		snprintf(name, sizeof(name), "%s", samples->names[place].name);
	} else {
		snprintf(path, sizeof(path), "/proc/%d/comm", (int)parent);
		if (file_read_line(AT_FDCWD, path, name, sizeof(name)) <= 0)
			return 0;
		if (put_name(samples, parent, name) < 0)
			return -ENOMEM;
	}
	return put_name(samples, pid, name);
}

int samples_names(const struct samples *samples,
		  int (*add)(void *data, pid_t pid, const char *name), void *data)
{
	int r = 0;

	for (size_t i = 0; i < samples->n_names && r == 0; i++)
		r = add(data, samples->names[i].pid, samples->names[i].name);
	return r;
}

int samples_put(struct samples *samples, size_t cpu, const uint8_t *bytes, size_t size)
{
	struct samples_cpu *to = &samples->cpus[cpu];
	struct perf_record record;

	if (perf_record_parse(&samples->records, bytes, size, &record) <= 0)
		return 0;
	switch (record.kind) {
	case PERF_SAMPLE:
		return is_wanted(samples, &record) ? put_sample(samples, to, &record) : 0;
	case PERF_LOST:
		return put_loss(samples, to, &record);
	case PERF_THROTTLE:
		samples->totals.throttled++;
		return 0;
	case PERF_COMM:
		return put_name(samples, record.tid, record.name);
	case PERF_FORK:
		return put_child(samples, record.tid, record.parent_tid);
	default:
		return 0;
	}
}

static int take(void *data, size_t cpu, const uint8_t *record, size_t size)
{
	return samples_put(data, cpu, record, size);
}

int samples_take(struct samples *samples, bool all)
{
	int r = samples->sampler ? sampler_take(samples->sampler, take, samples) : 0;

	for (size_t i = 0; all && r == 0 && i < samples->n_cpus; i++)
		r = end_page(samples, &samples->cpus[i]);
	return r;
}
