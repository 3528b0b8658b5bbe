/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/watch-hits.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/perf/watch-raw.h"

struct watch_process {
	struct watch_values values;
	bool is_strange; /* it runs another program */
};

void watch_hits_done(struct watch_hits *hits)
{
	u64_map_done(&hits->pids);
	free(hits->processes);
	*hits = (struct watch_hits){ 0 };
}

static struct watch_process *watch_hits_find(const struct watch_hits *hits, int32_t pid)
{
	uint32_t i = u64_map_get(&hits->pids, hits->is_kernel ? 0 : (uint32_t)pid);

	return i == U64_MAP_NONE ? NULL : &hits->processes[i];
}

static struct watch_process *watch_hits_get(struct watch_hits *hits, int32_t pid)
{
	struct watch_process *process =
		u64_map_element(&hits->pids, hits->is_kernel ? 0 : (uint32_t)pid, &hits->processes,
				&hits->n, &hits->cap, sizeof(*process));

	if (!process)
		hits->nomem = true;
	return process;
}

int watch_hits_start(struct watch_hits *hits, int32_t pid, const struct watch_values *values)
{
	struct watch_process *process = watch_hits_get(hits, pid);

	if (!process)
		return -ENOMEM;
	*process = (struct watch_process){ .values = *values };
	return 0;
}

static void see_fork(struct watch_hits *hits, const struct perf_record *record)
{
	const struct watch_process *parent = watch_hits_find(hits, record->parent_pid);
	struct watch_process *child;
	struct watch_process copy;

	/* A thread shares the memory of its process. */
	if (record->pid == record->parent_pid || hits->is_kernel)
		return;
	if (!parent) {
		/* The pid may have belonged to a watched process. */
		child = watch_hits_find(hits, record->pid);
		if (child)
			*child = (struct watch_process){ .is_strange = true };
		return;
	}
	copy = *parent;
	child = watch_hits_get(hits, record->pid);
	if (child)
		*child = copy;
	if (hits->maps &&
	    user_maps_add_fork(hits->maps, record->parent_pid, record->pid, record->time) < 0)
		hits->nomem = true;
}

static void see_exec(struct watch_hits *hits, const struct perf_record *record)
{
	struct watch_process *process = watch_hits_find(hits, record->pid);

	if (!process || hits->is_kernel)
		return;
	process->is_strange = true;
	if (hits->maps && user_maps_add_exec(hits->maps, record->pid, record->time) < 0)
		hits->nomem = true;
}

static void see_mapping(struct watch_hits *hits, const struct perf_record *record)
{
	struct user_mapping mapping = { .start = record->start,
					.end = record->start + record->length,
					.offset = record->offset,
					.path = record->name,
					.executable = record->executable };

	if (!hits->maps || hits->is_kernel || !watch_hits_find(hits, record->pid) ||
	    record->length > UINT64_MAX - record->start)
		return;
	if (user_maps_add_mapping(hits->maps, record->pid, record->time, &mapping) < 0)
		hits->nomem = true;
}

static bool see_sample(struct watch_hits *hits, const struct perf_record *record,
		       struct watch_hit *hit)
{
	struct watch_process *process;
	struct watch_raw raw;

	if (record->raw_size < sizeof(raw))
		return false;
	memcpy(&raw, record->raw, sizeof(raw));
	process = watch_hits_get(hits, record->pid);
	if (!process || raw.which >= WATCH_PLACES_MAX)
		return false;
	if (process->is_strange) {
		hits->strange++;
		return false;
	}
	hits->count++;
	*hit = (struct watch_hit){ .time = record->time,
				   .pid = record->pid,
				   .tid = record->tid,
				   .cpu = record->cpu,
				   .which = raw.which,
				   .has_value = !raw.failed,
				   .has_old = process->values.known[raw.which],
				   .value = raw.value,
				   .old = process->values.list[raw.which],
				   .ip = record->ip,
				   .in_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
						PERF_RECORD_MISC_KERNEL,
				   .record = record };
	memcpy(hit->comm, raw.comm, sizeof(hit->comm));
	hit->comm[sizeof(hit->comm) - 1] = '\0';
	process->values.list[raw.which] = raw.value;
	process->values.known[raw.which] = !raw.failed;
	return true;
}

bool watch_hits_feed(struct watch_hits *hits, const struct perf_record *record,
		     struct watch_hit *ret_hit)
{
	switch (record->kind) {
	case PERF_SAMPLE:
		return see_sample(hits, record, ret_hit);
	case PERF_FORK:
		see_fork(hits, record);
		break;
	case PERF_COMM:
		if (record->is_exec)
			see_exec(hits, record);
		break;
	case PERF_MAPPING:
		see_mapping(hits, record);
		break;
	default:
		break;
	}
	return false;
}
