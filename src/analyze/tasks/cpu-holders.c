/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/tasks/cpu-holders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define RECORDER_KEY UINT64_MAX

void cpu_holders_add(struct cpu_holders *holders, const struct decoded_event *decoded,
		     uint64_t time)
{
	const struct decoded_name *name = &decoded->sched.prev_name;
	int32_t pid = decoded->sched.prev_pid;
	bool recorder = holders->followed && followed_leaves_out(holders->followed, pid);
	struct cpu_holder *holder =
		u64_map_element(&holders->places, recorder ? RECORDER_KEY : (uint32_t)pid,
				&holders->list, &holders->n, &holders->cap, sizeof(*holder));
	size_t len = name->len < sizeof(holder->name) ? name->len : sizeof(holder->name) - 1;

	if (!holder) {
		holders->nomem = true;
		return;
	}
	holder->pid = pid;
	holder->recorder = recorder;
	holder->time += time;
	if (!name->s)
		return;
	len = strnlen(name->s, len);
	memcpy(holder->name, name->s, len);
	holder->name[len] = '\0';
}

static int cpu_holders_compare(const void *pa, const void *pb)
{
	const struct cpu_holder *a = pa, *b = pb;

	return order_falling(a->time, b->time) ?: (a->pid > b->pid) - (a->pid < b->pid);
}

int cpu_holders_finish(struct cpu_holders *holders)
{
	if (holders->n)
		qsort(holders->list, holders->n, sizeof(*holders->list), cpu_holders_compare);
	return holders->nomem ? -ENOMEM : 0;
}

void cpu_holders_done(struct cpu_holders *holders)
{
	u64_map_done(&holders->places);
	free(holders->list);
	memset(holders, 0, sizeof(*holders));
}
