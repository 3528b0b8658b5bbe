/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/record-watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "actions/probe/watch-setup.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "format/event/watch-event.h"
#include "record/file/event-pages.h"
#include "record/file/task-names.h"
#include "record/session/session.h"

struct record_watch {
	struct plan *plan;
	struct recorder *recorder;
	struct watch_setup setup;
	struct watch_target *targets;
	size_t n;
	const char *names[WATCH_PLACES_MAX]; /* of each breakpoint */
	struct event_pages pages;
	struct task_name_map tasks;
	bool of_programs; /* includes memory of a process */
	bool of_command; /* which is the command */
	bool on;
	uint64_t hits, lost;
	int failed; /* a negative errno */
	uint8_t event[WATCH_EVENT_SIZE_MAX];
};

static int parse_targets(struct record_watch *watch, struct fathom_err *err)
{
	const struct plan_words *words = &watch->plan->watches;

	watch->targets = mem_zalloc(words->n, sizeof(*watch->targets));
	if (!watch->targets)
		return err_nomem(err);
	for (; watch->n < words->n; watch->n++) {
		struct watch_target *target = &watch->targets[watch->n];
		int r = watch_target_parse(words->list[watch->n], &watch->setup.arena, target, err);

		if (r < 0)
			return r;
		watch->of_programs |= !target->is_kernel;
	}
	return 0;
}

/* Samples and hits have the same requirements. */
static int check_plan(struct record_watch *watch, const struct record_args *args, bool has_command,
		      struct fathom_err *err)
{
	struct plan *plan = watch->plan;

	if (args->keep_last)
		return err_set(err, -EINVAL, "--keep-last cannot be combined with watched memory");
	if (watch->of_programs && !has_command && !plan->n_pids)
		return err_set(err, -EINVAL,
			       "'mem:%s' requires a command or -P PID: it is user memory",
			       plan->watches.list[0]);
	watch->of_command = watch->of_programs && !plan->n_pids;
	return record_plan_own(plan, WATCH_EVENT_BUFFER, "hits of watched memory", err);
}

int record_watch_plan(struct record_args *args, bool has_command, struct record_watch **ret_watch,
		      struct fathom_err *err)
{
	struct record_watch *watch;
	int r;

	if (!args->plan.plan.watches.n)
		return 0;
	watch = mem_zalloc(1, sizeof(*watch));
	if (!watch)
		return err_nomem(err);
	watch->plan = &args->plan.plan;
	r = parse_targets(watch, err);
	if (r == 0)
		r = check_plan(watch, args, has_command, err);
	if (r < 0) {
		record_watch_free(watch, 0);
		return r;
	}
	*ret_watch = watch;
	return 0;
}

void record_watch_free(struct record_watch *watch, pid_t command)
{
	if (!watch)
		return;
	watch_setup_done(&watch->setup, command);
	event_pages_done(&watch->pages);
	task_name_map_done(&watch->tasks);
	free(watch->targets);
	free(watch);
}

struct recorder_buffer record_watch_buffer(const struct plan *plan)
{
	return (struct recorder_buffer){ .name = WATCH_EVENT_BUFFER,
					 .place = plan->buffers[0].place->fd,
					 .is_own = true };
}

/* All threads in the plan must belong to one process. */
static int hold_process_of(struct record_watch *watch, struct fathom_err *err)
{
	const struct plan *plan = watch->plan;
	pid_t process = task_process(plan->pids[0]);

	for (size_t i = 1; i < plan->n_pids; i++) {
		pid_t other = task_process(plan->pids[i]);

		if (other > 0 && other != process)
			return err_set(
				err, -EINVAL,
				"mem: events require a single process, but -P names several: %d "
				"and %d",
				(int)process, (int)other);
	}
	return watch_setup_hold(&watch->setup, plan->pids[0], err);
}

/* "table", or "table+8" for a part that has a register of its own. */
static int name_parts(struct record_watch *watch, struct fathom_err *err)
{
	struct watch_setup *setup = &watch->setup;

	for (unsigned i = 0; i < setup->n; i++) {
		const struct watch_target *target = &watch->targets[setup->target[i]];
		uint64_t offset = setup->list[i].address - target->place.address;

		watch->names[i] = offset ? arena_printf(&setup->arena, "%s+%" PRIu64,
							target->spec.text, offset) :
					   target->spec.text;
		if (!watch->names[i])
			return err_nomem(err);
	}
	return 0;
}

static int record_watch_begin(struct record_watch *watch, struct fathom_err *err)
{
	struct watch_setup *setup = &watch->setup;
	struct watch_setup_options options = { .targets = watch->targets, .n = watch->n };
	int r;

	for (size_t i = 0; i < watch->plan->n; i++)
		options.stacks |= watch->plan->buffers[i].stack ||
				  watch->plan->buffers[i].user_stack ||
				  watch->plan->buffers[i].unwound;
	r = watch_setup_open(setup, &options, err);
	if (r == 0)
		r = name_parts(watch, err);
	if (r == 0)
		r = watch_switch(setup->watch, true, err);
	if (r < 0)
		return r;
	watch->on = true;
	hold_release(&setup->hold);
	return 0;
}

int record_watch_before(struct record_watch *watch, struct recorder *recorder, pid_t command,
			struct fathom_err *err)
{
	size_t n;
	struct trace_out_stream *streams = recorder_own_streams(recorder, WATCH_EVENT_BUFFER, &n);
	int r = 0;

	watch->recorder = recorder;
	if (event_pages_init(&watch->pages, streams, n) < 0)
		return err_nomem(err);
	if (watch->of_command) {
		watch->setup.pid = command;
		return hold_at_exec(&watch->setup.hold, command, err);
	}
	if (watch->of_programs)
		r = hold_process_of(watch, err);
	return r < 0 ? r : record_watch_begin(watch, err);
}

int record_watch_after(struct record_watch *watch, struct fathom_err *err)
{
	int r;

	if (!watch->of_command)
		return 0;
	r = hold_wait_exec(&watch->setup.hold, err);
	return r < 0 ? r : record_watch_begin(watch, err);
}

void record_watch_forget(struct record_watch *watch)
{
	watch->setup.hold.n = 0;
}

int record_watch_fd(const struct record_watch *watch)
{
	return watch->setup.watch ? watch_fd(watch->setup.watch) : -1;
}

static int note_name(struct record_watch *watch, const struct watch_hit *hit)
{
	const char *known = task_name_map_find(&watch->tasks, hit->tid);

	return known && str_eq(known, hit->comm) ?
		       0 :
		       task_name_map_put(&watch->tasks, hit->tid, hit->comm, hit->time);
}

static int put_hit(struct record_watch *watch, const struct perf_layout *layout,
		   const struct watch_hit *hit)
{
	const struct breakpoint *part = &watch->setup.list[hit->which];
	struct watch_event event = {
		.address = part->address,
		.before = hit->old,
		.after = hit->value,
		.length = part->length,
		.access = part->access == BREAKPOINT_EXECUTE	? WATCH_EVENT_EXECUTE :
			  part->access == BREAKPOINT_READ_WRITE ? WATCH_EVENT_READ |
									  WATCH_EVENT_WRITE :
								  WATCH_EVENT_WRITE,
		.what = watch->names[hit->which],
	};
	int cpu = event_pages_cpu(&watch->pages, hit->cpu);
	uint32_t size;
	int r;

	if (part->length)
		event.known = (hit->has_old ? WATCH_EVENT_OLD : 0) |
			      (hit->has_value ? WATCH_EVENT_NEW : 0);
	if (cpu < 0)
		return cpu;
	size = watch_event_write(layout, hit->record, &event, watch->event);
	r = event_pages_put(&watch->pages, (size_t)cpu, hit->time, watch->event, size);
	if (r == 0)
		r = note_name(watch, hit);
	watch->hits += r == 0;
	return r;
}

static void record_watch_put(void *data, const struct perf_layout *layout,
			     const struct perf_record *record)
{
	struct record_watch *watch = data;
	struct watch_hit hit;
	int r = 0;

	if (record->kind == PERF_LOST) {
		int cpu = event_pages_cpu(&watch->pages, record->cpu);

		r = cpu < 0 ? 0 :
			      event_pages_lose(&watch->pages, (size_t)cpu, record->time,
					       record->lost);
	} else if (watch_setup_feed(&watch->setup, record, &hit)) {
		r = put_hit(watch, layout, &hit);
	}
	if (r < 0 && !watch->failed)
		watch->failed = r;
}

static int record_record_watch_take(struct record_watch *watch, bool last, bool all)
{
	int r = watch->setup.watch ? watch_take(watch->setup.watch, last, record_watch_put, watch) :
				     0;

	if (r == 0)
		r = watch_setup_nomem(&watch->setup) ? -ENOMEM : watch->failed;
	return r == 0 && all ? event_pages_flush(&watch->pages) : r;
}

int record_watch_take(struct record_watch *watch, bool all)
{
	return record_record_watch_take(watch, false, all);
}

void record_watch_off(struct record_watch *watch)
{
	if (watch->on)
		watch_switch(watch->setup.watch, false, NULL);
	watch->on = false;
}

static int record_watch_add_name(void *data, pid_t pid, const char *name)
{
	return recorder_add_name(data, pid, name);
}

void record_watch_end(struct record_watch *watch, struct strbuf *info, struct fathom_err *failure)
{
	struct fathom_err err = { 0 };
	int r = record_record_watch_take(watch, true, true);

	if (r == 0)
		r = task_name_map_each(&watch->tasks, record_watch_add_name, watch->recorder);
	if (r < 0)
		err_set_errno(&err, r, "cannot write hits of watched memory");
	else if (watch->setup.watch)
		watch_lost(watch->setup.watch, &watch->lost, &err);
	if (err.code && !failure->code)
		*failure = err;
	quote_addf(info, "hits: %" PRIu64 "\nhits lost: %" PRIu64 "\n", watch->hits, watch->lost);
}

uint64_t record_watch_lost(const struct record_watch *watch)
{
	return watch->lost;
}

void record_watch_report(const struct record_watch *watch, const struct action *action, bool quiet)
{
	if (!quiet)
		quote_printf(action->messages, "fathom %s: %" PRIu64 " hit%s of watched memory\n",
			     action->name, watch->hits, watch->hits == 1 ? "" : "s");
	if (watch->lost)
		quote_printf(
			action->messages,
			"fathom %s: lost %" PRIu64
			" hits of watched memory: they arrived faster than they could be written\n",
			action->name, watch->lost);
}
