/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/waits/wakeup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "read/event-table.h"
#include "read/context/tasks.h"

/* Real-time tasks have priorities below this one. */
#define PRIO_REALTIME 100

static struct wakeup_task *wakeup_slot_of(const struct wakeup *wakeup, int32_t pid)
{
	size_t i = hash_u32((uint32_t)pid, wakeup->seed) & (wakeup->cap - 1);

	while (wakeup->tasks[i].pid && wakeup->tasks[i].pid != pid)
		i = (i + 1) & (wakeup->cap - 1);
	return &wakeup->tasks[i];
}

/*
 * Returns the slot of @pid, which is created if needed, or NULL: out of memory, or too many tasks.
 */
static struct wakeup_task *wakeup_get_task(struct wakeup *wakeup, int32_t pid)
{
	struct wakeup bigger = *wakeup;
	struct wakeup_task *task;

	/* In a crafted file, pids may exceed those of real kernels. */
	if (!pid || wakeup->n >= TASKS_MAX)
		return NULL;
	if (wakeup->n >= wakeup->cap / 2) {
		bigger.seed = hash_seed();
		bigger.cap = wakeup->cap ? wakeup->cap * 2 : 256;
		bigger.tasks = mem_zalloc(bigger.cap, sizeof(bigger.tasks[0]));
		if (!bigger.tasks) {
			wakeup->nomem = true;
			return NULL;
		}
		for (size_t i = 0; i < wakeup->cap; i++)
			if (wakeup->tasks[i].pid)
				*wakeup_slot_of(&bigger, wakeup->tasks[i].pid) = wakeup->tasks[i];
		free(wakeup->tasks);
		*wakeup = bigger;
	}
	task = wakeup_slot_of(wakeup, pid);
	if (!task->pid) {
		task->pid = pid;
		wakeup->n++;
	}
	return task;
}

static void add_time(struct wakeup_times *times, uint64_t latency, uint64_t at)
{
	if (latency > times->max) {
		times->max = latency;
		times->max_at = at;
	}
	if (!times->count || latency < times->min) {
		times->min = latency;
		times->min_at = at;
	}
	times->total += latency;
	times->count++;
}

static bool wakeup_field_of(const struct event_format *format, const char *name,
			    const struct fathom_event *event, uint64_t *ret)
{
	const struct event_field *field = event_field_find(format, name);

	return field && event_field_u64(format, field, event->data, event->size, ret);
}

static void put_usecs(struct text *text, uint64_t ns)
{
	text_u64(text, ns / 1000);
	text_char(text, '.');
	text_number(text, &(struct text_number){ .value = ns % 1000,
						 .base = 10,
						 .width = 3,
						 .precision = -1,
						 .zero = true });
	text_str(text, " usecs");
}

static void wakeup_woken(struct wakeup *wakeup, const struct event_format *format,
			 const struct fathom_event *event)
{
	struct wakeup_task *task;
	uint64_t pid, success;

	if (wakeup_field_of(format, "success", event, &success) && !success)
		return;
	if (!wakeup_field_of(format, "pid", event, &pid) || !pid)
		return;
	task = wakeup_get_task(wakeup, (int32_t)pid);
	if (task)
		task->woken = event->time;
}

static void wakeup_runs(struct wakeup *wakeup, const struct event_format *format,
			const struct fathom_event *event, struct text *text)
{
	struct wakeup_task *task;
	uint64_t pid, prio, latency;

	if (!wakeup_field_of(format, "next_prio", event, &prio) ||
	    !wakeup_field_of(format, "next_pid", event, &pid) || !pid || !wakeup->cap)
		return;
	task = wakeup_slot_of(wakeup, (int32_t)pid);
	if (!task->pid || !task->woken)
		return;
	latency = event->time - task->woken;
	task->woken = 0;
	add_time(&wakeup->all, latency, event->time);
	if (prio < PRIO_REALTIME)
		add_time(&wakeup->realtime, latency, event->time);
	/* Insert before the newline that ends the line. */
	if (text->p > text->s && text->p[-1] == '\n')
		text->p--;
	text_str(text, " Latency: ");
	put_usecs(text, latency);
	text_char(text, '\n');
}

void wakeup_write(void *data, struct report_input *input, struct fathom_event *event,
		  struct text *text)
{
	struct wakeup *wakeup = data;
	const struct event_format *format;
	struct event_entry *entry;

	report_write_text(NULL, input, event, text);
	entry = event->data ? event_table_find(report_events(input->report), event->id) : NULL;
	if (!entry || !str_eq(entry->format->system, "sched"))
		return;
	format = entry->format;
	if (str_eq(format->name, "sched_wakeup") || str_eq(format->name, "sched_wakeup_new"))
		wakeup_woken(wakeup, format, event);
	else if (str_eq(format->name, "sched_switch"))
		wakeup_runs(wakeup, format, event, text);
}

static void put_stamp(struct text *text, uint64_t at)
{
	uint64_t us = at / 1000 + (at % 1000 + 500) / 1000;

	text_str(text, " at timestamp: ");
	text_u64(text, us / 1000000);
	text_char(text, '.');
	text_number(text, &(struct text_number){ .value = us % 1000000,
						 .base = 10,
						 .width = 6,
						 .precision = -1,
						 .zero = true });
	text_char(text, '\n');
}

static void put_times(const struct wakeup_times *times, struct text *text)
{
	text_str(text, "\nAverage wakeup latency: ");
	put_usecs(text, times->total / times->count);
	text_str(text, "\nMaximum Latency: ");
	put_usecs(text, times->max);
	put_stamp(text, times->max_at);
	text_str(text, "Minimum Latency: ");
	put_usecs(text, times->min);
	put_stamp(text, times->min_at);
	text_char(text, '\n');
}

int wakeup_write_summary(const struct wakeup *wakeup, struct text *text)
{
	if (wakeup->all.count)
		put_times(&wakeup->all, text);
	if (wakeup->realtime.count) {
		text_str(text, "RT task timings:\n");
		put_times(&wakeup->realtime, text);
	}
	return wakeup->nomem ? -ENOMEM : 0;
}

void wakeup_done(struct wakeup *wakeup)
{
	free(wakeup->tasks);
	memset(wakeup, 0, sizeof(*wakeup));
}
