/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of the event at hand: keys, facts for filters, arguments of calls. */
#include <stdio.h>
#include <string.h>

#include "analyze/count/count-events-parts.h"
#include "base/str.h"

static struct filter_event count_now_asked(const struct count_now *now)
{
	return (struct filter_event){ .time = now->event->time,
				      .cpu = (int32_t)now->event->cpu,
				      .pid = now->event->pid,
				      .format = now->format,
				      .data = now->event->data,
				      .size = now->event->size,
				      .owner = now };
}

int32_t count_now_tgid(const struct count_now *now)
{
	const struct count_task *task = count_tasks_find(&now->events->tasks, now->event->pid);

	return task && task->tgid ? task->tgid : now->event->pid;
}

static void count_now_comm(const struct count_now *now, char comm[COUNT_COMM_SIZE])
{
	const struct count_events *events = now->events;
	const struct count_task *task = count_tasks_find(&events->tasks, now->event->pid);
	const struct filter_event asked = count_now_asked(now);
	const struct filter_env *env = events->options.env;

	memset(comm, 0, COUNT_COMM_SIZE);
	if (!now->event->pid)
		snprintf(comm, COUNT_COMM_SIZE, "swapper/%u", now->event->cpu);
	else if (task && task->comm[0])
		memcpy(comm, task->comm, COUNT_COMM_SIZE);
	else
		strncpy(comm, env && env->comm ? env->comm(env->arg, &asked) ?: "" : "",
			COUNT_COMM_SIZE - 1);
}

static bool count_env_tgid(void *arg, const struct filter_event *event, int32_t *ret_tgid)
{
	*ret_tgid = count_now_tgid(event->owner);
	return true;
}

static bool count_env_duration(void *arg, const struct filter_event *event, uint64_t *ret_ns)
{
	const struct count_now *now = event->owner;

	*ret_ns = now->duration;
	return now->has_duration;
}

void count_now_complete_env(struct filter_env *env)
{
	if (!env->tgid)
		env->tgid = count_env_tgid;
	if (!env->duration)
		env->duration = count_env_duration;
}

void count_now_lose(const struct count_now *now, uint64_t *loss)
{
	*loss += !now->is_outside;
}

static bool count_now_fits(const struct count_now *now, const struct filter *filter)
{
	struct filter_event asked = count_now_asked(now);

	if (!filter || filter_match(filter, &asked))
		return true;
	if (!now->more_format)
		return false;
	asked.format = now->more_format;
	asked.data = now->more->data;
	asked.size = now->more->size;
	return filter_match(filter, &asked);
}

bool count_now_is_chosen(const struct count_now *now, const struct count_site *site)
{
	const struct count_events *events = now->events;

	return count_now_fits(now, site->source->filter) &&
	       (site->is_begin != events->sites.plan_filter_at_begin ||
		count_now_fits(now, events->plan->filter));
}

/* A field of the plan in the event at hand, or in the one with the arguments. */
struct found_field {
	const struct event_format *format;
	const struct event_field *field;
	const struct fathom_event *event;
};

static bool count_now_find(const struct count_now *now, const struct count_site *site,
			   const struct event_field *field, struct found_field *ret)
{
	*ret = (struct found_field){ now->format, field, now->event };
	if (site->source->kind != COUNT_FUNCTION)
		return true;
	ret->field = event_field_find(now->format, field->name);
	if (!ret->field && now->more_format) {
		ret->field = event_field_find(now->more_format, field->name);
		ret->format = now->more_format;
		ret->event = now->more;
	}
	return ret->field;
}

static bool count_now_field(const struct count_now *now, const struct count_site *site,
			    const struct event_field *field, uint64_t *ret)
{
	struct found_field found;

	if (site->source->is_return && now->has_result && str_eq(field->name, "ret")) {
		*ret = (uint64_t)now->result;
		return true;
	}
	if (!count_now_find(now, site, field, &found))
		return false;
	if (found.field->kind == EVENT_FIELD_POINTER)
		return event_field_u64(found.format, found.field, found.event->data,
				       found.event->size, ret);
	if (found.field->kind != EVENT_FIELD_INT && found.field->kind != EVENT_FIELD_BOOL)
		return false;
	return event_field_s64(found.format, found.field, found.event->data, found.event->size,
			       (int64_t *)ret);
}

/*
 * Returns the number of the kernel's or the program's part of the stack in a sample. The stack of
 * another event is recorded after it.
 */
static int64_t count_now_stack(const struct count_now *now, bool is_user)
{
	const struct decoded_event *decoded = now->decoded;
	size_t i = is_user ? decoded->sample.kernel : 0;
	uint64_t frames[COUNT_STACK_MAX];
	struct count_stack stack = { .time = now->event->time, .frames = frames };

	if (decoded->kind != DECODED_SAMPLE)
		return COUNT_STACK_LATER;
	stack.process = is_user ? decoded->sample.process : 0;
	while (stack.n < COUNT_STACK_MAX && (is_user || i < decoded->sample.kernel) &&
	       decoded_frame(decoded, i++, &frames[stack.n]))
		stack.n++;
	if (!stack.n) {
		count_now_lose(now, &now->events->losses.no_stack);
		return COUNT_STACK_NONE;
	}
	return count_stacks_put(&now->events->stacks, &stack);
}

uint64_t count_now_number(const struct count_now *now, const struct count_site *site,
			  const struct count_from *from)
{
	uint64_t value = 0;

	switch (from->fact) {
	case COUNT_FACT_FIELD:
		if (!count_now_field(now, site, from->field, &value)) {
			count_now_lose(now, &now->events->losses.unread);
			value = 0;
		}
		return value;
	case COUNT_FACT_PID:
		return (uint64_t)now->event->pid;
	case COUNT_FACT_TGID:
		return (uint64_t)count_now_tgid(now);
	case COUNT_FACT_CPU:
		return now->event->cpu;
	case COUNT_FACT_EVENT:
		return (uint64_t)(site - now->events->sites.list);
	case COUNT_FACT_FUNC:
		return now->func;
	case COUNT_FACT_KSTACK:
	case COUNT_FACT_USTACK:
		return (uint64_t)count_now_stack(now, from->fact == COUNT_FACT_USTACK);
	default:
		return 0;
	}
}

/* Finds the text of a field. Pointers are of no use, unless the kernel recorded the text, too. */
static bool count_now_find_text(const struct count_now *now, const struct count_site *site,
				const struct event_field *field, const char **ret_text,
				size_t *ret_len)
{
	struct found_field found;
	char name[128];

	if (!count_now_find(now, site, field, &found))
		return false;
	if (found.field->kind == EVENT_FIELD_POINTER) {
		snprintf(name, sizeof(name), "__%s_val", field->name);
		found.field = event_field_find(found.format, name);
	}
	return found.field && event_field_string(found.format, found.field, found.event->data,
						 found.event->size, ret_text, ret_len);
}

static void count_now_column(const struct count_now *now, const struct count_site *site, size_t i,
			     void *key)
{
	const struct count_column *column = &now->events->sites.columns.keys[i];
	const struct count_from *from = &site->keys[i];
	char *place = (char *)key + column->offset;
	const char *text;
	uint64_t number;
	size_t len;

	if (column->kind != COUNT_COLUMN_TEXT) {
		number = count_now_number(now, site, from);
		memcpy(place, &number, sizeof(number));
		return;
	}
	memset(place, 0, column->size);
	if (from->fact == COUNT_FACT_COMM)
		count_now_comm(now, place);
	else if (count_now_find_text(now, site, from->field, &text, &len))
		memcpy(place, text, len < column->size ? len : column->size - 1);
	else
		count_now_lose(now, &now->events->losses.unread);
}

void count_now_columns(const struct count_now *now, const struct count_site *site, void *key)
{
	for (size_t i = 0; i < now->events->sites.columns.n_keys; i++)
		if (site->keys[i].fact != COUNT_FACT_NONE)
			count_now_column(now, site, i, key);
}
