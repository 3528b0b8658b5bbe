/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of tasks in a whole trace file. Whatever is in it, no span ends before it begins,
 * and all that is shown comes out.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/feed.h"
#include "render/offcpu.h"
#include "render/sched.h"

/* A few kilobytes can claim to decompress to gigabytes; reading on shows nothing new. */
#define EVENTS_MAX 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct both {
	struct task_states states;
	struct sched sched;
	struct waits waits;
	unsigned n_events;
};

static void take_span(void *data, const struct task_states *states, const struct task_span *span)
{
	struct both *both = data;

	if (span->quality == SPAN_WHOLE && span->end < span->start)
		abort();
	if (span->task != TASK_NONE && span->task >= states->n_tasks)
		abort();
	sched_take(&both->sched, states, span);
	waits_take(&both->waits, states, span);
}

static void take(void *data, const struct happening *happening)
{
	struct both *both = data;

	if (both->n_events++ < EVENTS_MAX)
		task_states_feed(&both->states, happening);
}

static void show(const struct both *both)
{
	struct sched_view sched = { .sched = &both->sched,
				    .states = &both->states,
				    .histograms = true };
	struct offcpu_view waits = { .waits = &both->waits, .states = &both->states, .depth = 3 };
	FILE *stream = fopen("/dev/null", "we");
	struct out out;

	if (!stream)
		abort();
	out_init(&out, stream, OUT_COLOR_NEVER);
	if (sched_print(&sched, &out) < 0 || sched_print_json(&sched, &out) < 0 ||
	    sched_print_csv(&sched, &out) < 0 || offcpu_print(&waits, &out) < 0 ||
	    offcpu_print_json(&waits, &out) < 0 || offcpu_print_csv(&waits, &out) < 0)
		abort();
	fclose(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct both both = { .states = { .take = take_span, .data = &both },
			     .waits = { .max_chains = 10 } };
	struct event_table table = { 0 };
	struct feed feed = { .events = &table };
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (fathom_trace_open_fd(fd, 0, &feed.trace, NULL) < 0)
		return 0;
	if (event_table_init(&table, feed.trace, NULL) == 0) {
		if (feed_run(&feed, take, &both, NULL) == 0 &&
		    task_states_finish(&both.states) == 0)
			show(&both);
		event_table_done(&table);
	}
	task_states_done(&both.states);
	sched_done(&both.sched);
	waits_done(&both.waits);
	fathom_trace_free(feed.trace);
	return 0;
}
