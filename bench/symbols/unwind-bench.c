/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-bench [N]: the number of stacks unwound per second. The stacks are copies of the top 8 KB of its own, inside functions
 * without frame pointers; they are unwound by the sandboxed unwinder of recordings. Reports the CPU time of both processes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "own-stack.h"
#include "record/unwind/unwinder.h"

#define COPY  8192
#define AHEAD 64 /* questions in flight */

static double used(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static struct unwinder *start(struct map_log **log)
{
	pid_t self = getpid();
	struct map_log_listener listener;
	struct unwinder *unwinder;

	if (unwinder_new(&unwinder, NULL) < 0)
		return NULL;
	listener = unwinder_listener(unwinder);
	if (map_log_new("", &self, 1, NULL, &listener, log, NULL) < 0)
		return NULL;
	return unwinder;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000, asked = 0, answered = 0;
	const struct own_stack *own = own_stack_take();
	struct unwind_question question = { .pid = getpid(), .time = 1 };
	size_t size = own->size < COPY ? own->size : COPY;
	struct unwind_answer answer = { 0 };
	struct map_log *log = NULL;
	struct unwinder *unwinder = start(&log);
	double before, ours, theirs;

	if (!unwinder || !own->bytes)
		return 1;
	memcpy(question.regs, own->regs, sizeof(question.regs));
	before = used(RUSAGE_SELF);
	while (answered < n) {
		if (asked < n && asked - answered < AHEAD &&
		    unwinder_ask(unwinder, &question, own->bytes, size)) {
			asked++;
			continue;
		}
		if (!unwinder_answer(unwinder, 1000, &answer))
			return 1;
		answered++;
	}
	ours = used(RUSAGE_SELF) - before;
	unwinder_free(unwinder);
	theirs = used(RUSAGE_CHILDREN);
	map_log_free(log);
	printf("%lu stacks of %u frames, %zu bytes copied\n", n, answer.n, size);
	printf("asking     %6.2f us of CPU each\n", ours * 1e6 / (double)n);
	printf("unwinding  %6.2f us of CPU each, %.0f a second and core\n",
	       theirs * 1e6 / (double)n, (double)n / theirs);
	return 0;
}
