/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls/func-times.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static struct func_time *func_times_find(struct func_times *times, uint32_t func)
{
	if (func < times->n)
		return &times->list[func];
	if (mem_reserve(&times->list, &times->cap, func + (size_t)1, sizeof(*times->list)) < 0) {
		times->nomem = true;
		return NULL;
	}
	for (; times->n <= func; times->n++)
		times->list[times->n] = (struct func_time){ 0 };
	return &times->list[func];
}

void func_times_add(struct func_times *times, const struct func_table *funcs, uint32_t func,
		    const struct instance *instance)
{
	struct func_time *time = func_times_find(times, func);
	const char *name = funcs->list[func].name;

	if (!time)
		return;
	if (!time->seen) {
		*time = (struct func_time){ .seen = true,
					    .is_focus = times->focus && name &&
							str_eq(name, times->focus),
					    .first = instance->start,
					    .slowest = *instance };
	}
	if (instance->start < time->first)
		time->first = instance->start;
	if (instance->start > time->last)
		time->last = instance->start;
	if (instance->duration > time->slowest.duration)
		time->slowest = *instance;
	if (time->is_focus && latency_add(&times->latency, instance) < 0)
		times->nomem = true;
}

void func_times_done(struct func_times *times)
{
	latency_done(&times->latency);
	free(times->list);
	memset(times, 0, sizeof(*times));
}
