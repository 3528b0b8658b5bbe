/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/count/count-events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/count-events-parts.h"
#include "analyze/stream/task-key.h"
#include "base/err.h"
#include "base/mem.h"

/* Errors that functions return are above -4096. */
#define ERRORS 4095

/* Identifies an idle task by its CPU: all have the pid 0. */
static uint64_t count_thread_key(int64_t task)
{
	return (uint32_t)task;
}

static uint64_t count_now_open_key(const struct count_now *now, const struct count_site *site)
{
	const struct count_plan *plan = now->events->plan;
	uint64_t source;

	if (!now->events->opens.by_thread)
		return count_now_number(now, site, &site->pair);
	if (!now->events->follows_calls)
		return count_thread_key(task_key_of(now->event));
	source = (uint64_t)(site->source - (site->is_begin ? plan->begins : plan->sources));
	return source << 56 | (uint64_t)(now->function & 0xffffff) << 32 |
	       count_thread_key(task_key_of(now->event));
}

/* The return of a call that the filter rejects is still its return. */
static void count_now_begin(const struct count_now *now, const struct count_site *site)
{
	struct count_events *events = now->events;
	const bool is_chosen = count_now_is_chosen(now, site);
	struct count_frame *frame;

	if (!is_chosen && !events->follows_calls)
		return;
	frame = count_opens_begin(&events->opens, count_now_open_key(now, site), now->event);
	if (!frame) {
		events->nomem = true;
		return;
	}
	frame->rejected = !is_chosen;
	frame->time = now->event->time;
	if (!is_chosen)
		return;
	if (site->value.fact != COUNT_FACT_NONE)
		frame->value = count_now_number(now, site, &site->value);
	count_now_columns(now, site, frame->key);
}

static uint64_t count_now_value(const struct count_now *now, const struct count_site *site,
				const struct count_frame *frame)
{
	switch (site->value.fact) {
	case COUNT_FACT_LATENCY:
		if (now->has_duration)
			return now->duration;
		return now->event->time > frame->time ? now->event->time - frame->time : 0;
	case COUNT_FACT_NONE:
		return frame ? frame->value : 0;
	default:
		return count_now_number(now, site, &site->value);
	}
}

static void count_now_count(const struct count_now *now, const struct count_site *site,
			    const struct count_frame *frame)
{
	struct count_events *events = now->events;
	uint64_t value;

	if (now->is_outside)
		return;
	if (frame)
		memcpy(events->key, frame->key, events->sites.columns.key_size);
	value = count_now_value(now, site, frame);
	count_now_columns(now, site, events->key);
	if (events->waiting.is_needed && now->decoded->kind != DECODED_SAMPLE)
		count_waiting_add(&events->waiting, now->event, events->key, value);
	else if (count_table_add(&events->table, events->key, value,
				 events->plan->what == COUNT_HIST) < 0)
		events->nomem = true;
}

static void count_now_end(const struct count_now *now, const struct count_site *site)
{
	struct count_events *events = now->events;
	const struct count_frame *frame = NULL;

	if (!events->follows_calls && !count_now_is_chosen(now, site))
		return;
	if (events->plan->n_begins) {
		frame = count_opens_end(&events->opens, count_now_open_key(now, site), now->event);
		if (!frame) {
			count_now_lose(now, &events->losses.unpaired);
			return;
		}
	}
	if (events->follows_calls && (frame->rejected || !count_now_is_chosen(now, site)))
		return;
	count_now_count(now, site, frame);
}

static void count_now_take(const struct count_now *now, const struct count_site *site)
{
	const int32_t process = now->events->plan->process;

	if (process && count_now_tgid(now) != process)
		return;
	if (site->is_begin)
		count_now_begin(now, site);
	else
		count_now_end(now, site);
}

static bool is_kernel_address(const struct event_format *format, uint64_t address)
{
	return format->abi.long_size != 8 || address >> 63;
}

/* A result that was recorded as a long, of a function that returns an int: mostly an error. */
static int64_t result_of(int64_t value)
{
	const int32_t narrow = (int32_t)value;

	return value >> 32 == 0 && narrow < 0 && narrow >= -ERRORS ? narrow : value;
}

/* Reads a call that a tracer recorded. Returns false if it is not to be counted. */
static bool count_now_read_traced(struct count_now *now, enum recorded_kind kind)
{
	struct count_events *events = now->events;
	const struct decoded_event *decoded = now->decoded;

	if (kind == RECORDED_ENTRY ?
		    decoded->kind != DECODED_CALL && decoded->kind != DECODED_FUNCTION :
		    decoded->kind != DECODED_RETURN)
		return false;
	if (!events->has_buffer)
		events->buffer = now->event->buffer;
	events->has_buffer = true;
	if (now->event->buffer != events->buffer)
		return false;
	now->func = decoded->call.func;
	if (decoded->kind == DECODED_RETURN) {
		now->has_duration = true;
		now->duration = decoded->call.duration;
		now->has_result = decoded->call.has_more;
		now->result = now->has_result ? result_of(decoded->call.result) : 0;
	} else if (decoded->kind == DECODED_CALL && decoded->call.more) {
		const struct event_entry *entry =
			event_table_find(events->options.events, decoded->call.more->id);

		now->more = decoded->call.more;
		now->more_format = entry ? entry->format : NULL;
	}
	return true;
}

/* The same for a probe whose values were not merged into such a call. */
static bool count_now_read_probe(struct count_now *now, const struct recorded_role *role)
{
	int64_t result;

	if (now->decoded->joined ||
	    !event_field_u64(now->format, role->func, now->event->data, now->event->size,
			     &now->func) ||
	    !is_kernel_address(now->format, now->func))
		return false;
	if (role->result && event_field_s64(now->format, role->result, now->event->data,
					    now->event->size, &result)) {
		now->has_result = true;
		now->result = role->result->elem_size == 8 ? result_of(result) : result;
	}
	return true;
}

static void count_events_take_call(struct count_now *now)
{
	struct count_events *events = now->events;
	const struct recorded_role *role = recorded_sites_role(&events->sites, now->event->id);
	const bool is_traced = role->kind == RECORDED_ENTRY || role->kind == RECORDED_RETURN;
	const bool is_return = role->kind == RECORDED_RETURN || role->kind == RECORDED_PROBE_RETURN;
	struct recorded_function *function;

	if (role->kind == RECORDED_NONE || (is_return && !events->follows_calls))
		return;
	if (is_traced ? !count_now_read_traced(now, role->kind) : !count_now_read_probe(now, role))
		return;
	function = recorded_sites_function(&events->sites, now->func);
	if (!function) {
		events->nomem = true;
		return;
	}
	if (!is_traced && function->is_traced)
		return;
	function->is_traced |= is_traced;
	now->function = (uint32_t)(function - events->sites.functions);
	now->func = function->address;
	for (uint32_t i = function->first; i != RECORDED_NO_SITE; i = events->sites.next[i])
		if (events->sites.list[i].source->is_return == is_return)
			count_now_take(now, &events->sites.list[i]);
}

/* Forgets what a task began that had the pid before, and keeps what a thread began before exec. */
static void count_events_follow(struct count_events *events, const struct decoded_event *decoded)
{
	const int32_t old_pid = decoded_old_pid(decoded);

	count_opens_note(&events->opens, decoded);
	count_tasks_feed(&events->tasks, decoded);
	if (!events->opens.by_thread || events->follows_calls)
		return;
	if (decoded->kind == DECODED_NEW_TASK)
		count_opens_forget(&events->opens, count_thread_key(decoded->task.pid));
	else if (old_pid)
		count_opens_move(&events->opens, count_thread_key(old_pid),
				 count_thread_key(decoded->event->pid));
}

static void count_events_take_event(const struct count_now *now)
{
	const struct recorded_sites *sites = &now->events->sites;

	for (uint32_t i = recorded_sites_of_event(sites, now->event->id); i != RECORDED_NO_SITE;
	     i = sites->next[i])
		count_now_take(now, &sites->list[i]);
}

static void count_events_take_sample(const struct count_now *now)
{
	const struct recorded_sites *sites = &now->events->sites;

	for (size_t i = 0; i < sites->n_first; i++)
		if (sites->list[i].source->kind == COUNT_PROFILE)
			count_now_take(now, &sites->list[i]);
}

/* Returns whether the event was made from another one; see analyze/stream/user-calls.h. */
static bool is_made(const struct decoded_event *decoded)
{
	return (decoded->kind == DECODED_CALL || decoded->kind == DECODED_RETURN) &&
	       decoded->call.is_user;
}

void count_events_take(void *data, const struct decoded_event *decoded)
{
	struct count_events *events = data;
	struct count_now now = { .events = events,
				 .decoded = decoded,
				 .event = decoded->event,
				 .is_outside = decoded_is_outside(decoded) };

	if (is_made(decoded))
		return;
	count_events_follow(events, decoded);
	if (!decoded->entry || !decoded->entry->format)
		return;
	/* Also with unwanted ones: their stacks are recorded, too. */
	if (events->waiting.is_needed)
		count_waiting_feed(&events->waiting, decoded);
	if (decoded->unwanted || decoded->late)
		return;
	now.format = decoded->entry->format;
	count_events_take_event(&now);
	if (decoded->kind == DECODED_SAMPLE)
		count_events_take_sample(&now);
	count_events_take_call(&now);
}

static bool count_events_expects_unpaired(const struct count_events *events)
{
	for (size_t i = 0; i < events->plan->n_begins; i++)
		if (events->plan->begins[i].filter)
			return true;
	return events->sites.plan_filter_at_begin;
}

int count_events_end(struct count_events *events)
{
	count_waiting_end(&events->waiting);
	if (events->nomem || events->waiting.nomem || events->tasks.nomem ||
	    events->opens.gaps.nomem || events->options.events->nomem)
		return -ENOMEM;
	events->losses.no_stack += events->waiting.no_stack;
	events->losses.open = count_opens_left(&events->opens);
	events->losses.not_begun = events->opens.not_begun;
	if (count_events_expects_unpaired(events))
		events->losses.unpaired = 0;
	events->table.losses = events->losses;
	return 0;
}

int count_events_new(const struct count_events_options *options, struct count_events **ret_events,
		     struct fathom_err *err)
{
	const struct count_plan *plan = options->plan;
	struct count_events *events = mem_zalloc(1, sizeof(*events));
	int r;

	if (!events)
		return err_nomem(err);
	events->plan = plan;
	events->options = *options;
	if (options->env)
		events->env = *options->env;
	count_now_complete_env(&events->env);
	r = recorded_sites_init(&events->sites, plan, options->events, options->kallsyms,
				&events->env, err);
	if (r < 0) {
		count_events_free(events);
		return r;
	}
	events->follows_calls = plan->n_sources && plan->sources[0].is_return;
	events->table.columns = &events->sites.columns;
	count_waiting_init(&events->waiting, &events->table, &events->stacks,
			   plan->what == COUNT_HIST);
	events->opens.by_thread = !plan->n_begins || !plan->begins[0].pair;
	events->opens.nested = events->opens.by_thread ? COUNT_OPENS_NESTED : 1;
	events->opens.key_size = events->sites.columns.key_size;
	*ret_events = events;
	return 0;
}

void count_events_free(struct count_events *events)
{
	if (!events)
		return;
	count_table_done(&events->table);
	count_opens_done(&events->opens);
	count_tasks_done(&events->tasks);
	count_stacks_done(&events->stacks);
	count_waiting_done(&events->waiting);
	recorded_sites_done(&events->sites);
	free(events);
}

struct count_table *count_events_table(struct count_events *events)
{
	return &events->table;
}

const struct count_columns *count_events_columns(const struct count_events *events)
{
	return &events->sites.columns;
}

const struct count_site *count_events_sites(const struct count_events *events, size_t *ret_n)
{
	*ret_n = events->sites.n;
	return events->sites.list;
}

const struct count_stack *count_events_stack(const struct count_events *events, int64_t id)
{
	return count_stacks_get(&events->stacks, id);
}
