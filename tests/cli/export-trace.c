/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export-trace FILE SEED: writes a trace of calls of two tasks on two CPUs. Some calls began before
 * the trace, some do not end in it, and events are lost. There are no interrupts.
 */
#include <stdio.h>
#include <stdlib.h>

#include "export-sample.h"

#define EVENTS	  4000
#define DEPTH_MAX 6

struct task {
	int32_t pid;
	unsigned depth;
	uint64_t func[DEPTH_MAX], start[DEPTH_MAX];
};

static uint64_t seed;

static unsigned chance(unsigned n)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)(seed >> 33) % n;
}

int main(int argc, char **argv)
{
	static struct export_sample_event events[EVENTS + 1];
	/* Both are in calls already. */
	struct task tasks[] = { { .pid = 42, .depth = 3 }, { .pid = 43, .depth = 1 } };
	uint64_t time = 1000000;
	size_t n = 0, lost = 0;

	if (argc != 3)
		return 2;
	seed = strtoull(argv[2], NULL, 10);
	for (int i = 0; i < 2; i++)
		for (unsigned d = 0; d < tasks[i].depth; d++) {
			tasks[i].func[d] = EXPORT_FIRST;
			tasks[i].start[d] = 1000 + d;
		}
	while (n < EVENTS) {
		struct task *task = &tasks[chance(2)];
		unsigned cpu = task->pid == 43;
		bool is_entry = !task->depth || (task->depth < DEPTH_MAX && chance(2));
		struct export_sample_event e = { .cpu = cpu, .pid = task->pid };

		time += 10 + chance(5000);
		e.time = time;
		if (is_entry) {
			e.kind = EXPORT_ENTRY;
			e.a = chance(2) ? EXPORT_FIRST : EXPORT_SECOND;
			e.b = task->depth;
			task->func[task->depth] = e.a;
			task->start[task->depth++] = time;
		} else {
			task->depth--;
			e.kind = EXPORT_EXIT;
			e.a = task->func[task->depth];
			e.b = task->depth;
			e.c = time - task->start[task->depth];
		}
		/* The task continues while its events are lost. */
		if (cpu && (lost || !chance(60))) {
			lost = lost ? lost - 1 : 1 + chance(20);
			if (!lost)
				events[n++] = (struct export_sample_event){ .kind = EXPORT_LOST,
									    .cpu = cpu,
									    .a = 1 };
			if (n == EVENTS)
				break;
			if (lost)
				continue;
		}
		events[n++] = e;
	}
	return export_sample_save(events, argv[1]) < 0;
}
