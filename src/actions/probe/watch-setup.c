/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/probe/watch-setup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/files/file.h"
#include "kernel/perf/watch-raw.h"

#define BUFFER_KB     2048
#define BUFFER_KB_MAX (1 << 20)

void watch_setup_done(struct watch_setup *setup, pid_t child)
{
	if (setup->hold.n && child)
		kill(child, SIGKILL);
	hold_release(&setup->hold);
	watch_free(setup->watch);
	for (size_t i = 0; i < WATCH_MEMORIES; i++)
		watch_hits_done(&setup->memory[i]);
	if (setup->has_kallsyms)
		kallsyms_done(&setup->kallsyms);
	arena_done(&setup->arena);
}

int watch_setup_hold(struct watch_setup *setup, pid_t tid, struct fathom_err *err)
{
	pid_t pid = task_process(tid);

	if (pid < 0)
		return err_set(err, pid, "no process %d", (int)tid);
	setup->pid = pid;
	return hold_process(&setup->hold, pid, err);
}

const struct kallsyms *watch_setup_kallsyms(struct watch_setup *setup)
{
	if (!setup->asked_kallsyms)
		setup->has_kallsyms = watch_kallsyms(&setup->kallsyms, NULL) == 0;
	setup->asked_kallsyms = true;
	return setup->has_kallsyms ? &setup->kallsyms : NULL;
}

static int find_targets(struct watch_setup *setup, const struct watch_setup_options *options,
			struct fathom_err *err)
{
	for (size_t i = 0; i < options->n; i++) {
		struct watch_target *target = &options->targets[i];
		int r = watch_target_find(target, setup->pid,
					  target->is_kernel ? watch_setup_kallsyms(setup) : NULL,
					  err);

		if (r < 0)
			return r;
		for (unsigned k = 0; k < target->n; k++, setup->n++) {
			if (setup->n == WATCH_PLACES_MAX)
				return err_set(err, -E2BIG,
					       "not enough debug registers for '%s': at most %d "
					       "can be used",
					       target->spec.text, WATCH_PLACES_MAX);
			setup->list[setup->n] = target->list[k];
			setup->target[setup->n] = i;
		}
	}
	return 0;
}

static int set_breakpoints(struct watch_setup *setup, const struct watch_setup_options *options,
			   struct fathom_err *err)
{
	struct watch_options watch = { .list = setup->list,
				       .n = setup->n,
				       .stacks = options->stacks,
				       .ring_bytes = (size_t)(options->ring_kb ?: BUFFER_KB)
						     << 10 };
	int r;

	if (options->ring_kb > BUFFER_KB_MAX)
		return err_set(err, -EINVAL, "buffer too large: expected at most 1 GB");
	r = watch_new(&watch, &setup->watch, err);
	if (r == 0)
		r = watch_add_cpus(setup->watch, err);
	for (size_t i = 0; r == 0 && setup->pid && i < setup->hold.n; i++) {
		r = watch_add_task(setup->watch, setup->hold.tids[i], err);
		/* Even a stopped process can be killed. */
		if (r == -ESRCH)
			r = 0;
	}
	return r;
}

/* The initial values, and the mappings of the program. */
static int note_start(struct watch_setup *setup, struct fathom_err *err)
{
	struct watch_hits *program = &setup->memory[WATCH_MEMORY_PROGRAM];
	_cleanup_strbuf_ struct strbuf maps = { 0 };
	struct watch_values values = { 0 }, none = { 0 };
	char path[64];
	int r;

	for (unsigned i = 0; setup->pid && i < setup->n; i++) {
		const struct breakpoint *part = &setup->list[i];

		values.known[i] = part->length && !part->is_kernel &&
				  watch_read_memory(setup->pid, part->address, &values.list[i],
						    part->length) == 0;
	}
	setup->memory[WATCH_MEMORY_KERNEL].is_kernel = true;
	r = watch_hits_start(&setup->memory[WATCH_MEMORY_KERNEL], 0, &none);
	if (r == 0 && setup->pid)
		r = watch_hits_start(program, setup->pid, &values);
	if (r == 0 && setup->pid && program->maps) {
		snprintf(path, sizeof(path), "/proc/%d/maps", (int)setup->pid);
		if (file_read(AT_FDCWD, path, &maps) == 0)
			r = user_maps_add_text(program->maps, setup->pid, clock_ns(CLOCK_MONOTONIC),
					       maps.s, maps.len);
	}
	return r < 0 ? err_nomem(err) : 0;
}

int watch_setup_open(struct watch_setup *setup, const struct watch_setup_options *options,
		     struct fathom_err *err)
{
	int r = find_targets(setup, options, err);

	if (r == 0)
		r = set_breakpoints(setup, options, err);
	return r < 0 ? r : note_start(setup, err);
}

bool watch_setup_feed(struct watch_setup *setup, const struct perf_record *record,
		      struct watch_hit *ret_hit)
{
	enum watch_memory memory = WATCH_MEMORY_PROGRAM;
	struct watch_raw raw;

	if (record->kind == PERF_SAMPLE) {
		if (record->raw_size < sizeof(raw))
			return false;
		memcpy(&raw, record->raw, sizeof(raw));
		if (raw.which >= setup->n)
			return false;
		if (setup->list[raw.which].is_kernel)
			memory = WATCH_MEMORY_KERNEL;
	}
	return watch_hits_feed(&setup->memory[memory], record, ret_hit);
}

bool watch_setup_nomem(const struct watch_setup *setup)
{
	return setup->memory[WATCH_MEMORY_PROGRAM].nomem ||
	       setup->memory[WATCH_MEMORY_KERNEL].nomem;
}
