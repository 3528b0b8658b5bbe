/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes task states in a whole trace file. Whatever it contains, no span ends before it begins,
 * and output is complete. The segments of any task's critical path cover its time without gaps.
 */
#include <stdlib.h>

#include "analyze/stream/feed.h"
#include "render/waits/critical.h"
#include "render/waits/offcpu.h"
#include "render/waits/sched.h"
#include "input.h"

/* A few kilobytes can claim to decompress to gigabytes; reading further reveals nothing new. */
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

	if (task_span_has_time(span) && (span->end < span->start || span->start < states->from))
		abort();
	if (span->task != TASK_NONE && span->task >= states->n_tasks)
		abort();
	sched_take(&both->sched, states, span);
	waits_take(&both->waits, states, span);
}

static void take(void *data, const struct decoded_event *decoded)
{
	struct both *both = data;

	if (both->n_events++ < EVENTS_MAX)
		task_states_feed(&both->states, decoded);
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
	out_finish(&out);
	fclose(stream);
}

struct some {
	struct critical critical;
	unsigned n_events;
};

static void take_critical(void *data, const struct decoded_event *decoded)
{
	struct some *some = data;

	if (some->n_events++ < EVENTS_MAX)
		critical_feed(&some->critical, decoded);
}

static bool read_some(struct some *some, struct feed *feed)
{
	some->critical.clip = feed->window ? feed->window->from : 0;
	return feed_run(feed, take_critical, some, NULL) == 0 &&
	       critical_finish_at(&some->critical, feed->to) == 0;
}

static void check_tiles(const struct critical *critical)
{
	uint64_t at = critical->from, sum = 0;

	for (size_t i = 0; i < critical->path.n; i++) {
		if (critical->path.list[i].start != at || critical->path.list[i].end <= at)
			abort();
		at = critical->path.list[i].end;
	}
	for (size_t i = 0; i < critical->path.n_sums; i++)
		sum += critical->path.sums[i].total;
	if (at != critical->to || sum != critical->to - critical->from)
		abort();
}

static void show_path(const struct critical *critical)
{
	FILE *stream = fopen("/dev/null", "we");
	struct out out;

	if (!stream)
		abort();
	out_init(&out, stream, OUT_COLOR_NEVER);
	if (critical_print(critical, &out) < 0 || critical_print_json(critical, &out) < 0 ||
	    critical_print_csv(critical, &out) < 0)
		abort();
	out_finish(&out);
	fclose(stream);
}

/* The path of a task and its ancestors. */
static void follow(struct feed *feed, const struct critical *scan, uint32_t task)
{
	struct some some = { .critical.log.max = 100,
			     .critical.states.followed = scan->states.followed };
	uint32_t *followed = NULL;

	if (critical_lineage(scan, task, &followed, &some.critical.n_followed) < 0)
		abort();
	some.critical.followed = followed;
	some.critical.from_birth = scan->lives[followed[0]].is_born;
	if (read_some(&some, feed)) {
		check_tiles(&some.critical);
		show_path(&some.critical);
	}
	critical_done(&some.critical);
	free(followed);
}

/* No task appears twice. */
static void find_followed(const struct task_states *states)
{
	struct followed found = { 0 };

	if (task_states_find_followed(states, &found) < 0 || found.n > states->n_current)
		abort();
	followed_done(&found);
}

static void run_states(struct feed *feed, const struct followed *followed)
{
	struct both both = { .states = { .take = take_span, .data = &both, .followed = followed },
			     .waits = { .max_chains = 10 } };

	both.states.from = feed->window ? feed->window->from : 0;
	if (feed_run(feed, take, &both, NULL) == 0 &&
	    task_states_finish_at(&both.states, feed->to) == 0) {
		show(&both);
		find_followed(&both.states);
	}
	task_states_done(&both.states);
	sched_done(&both.sched);
	waits_done(&both.waits);
}

static void run_paths(struct feed *feed, const struct followed *followed)
{
	struct some scan = { .critical.states.followed = followed };

	if (read_some(&scan, feed) && scan.critical.n_lives) {
		follow(feed, &scan.critical, 0);
		follow(feed, &scan.critical, (uint32_t)scan.critical.n_lives - 1);
	}
	critical_done(&scan.critical);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fathom_window window = FATHOM_WINDOW_ALL;
	struct event_table table = { 0 };
	struct feed feed = { .events = &table };
	struct followed followed = { 0 };
	int fd = fuzz_file(data, size);

	if (fathom_trace_open_fd(fd, 0, &feed.trace, NULL) < 0)
		return 0;
	if (event_table_init(&table, feed.trace, NULL) == 0) {
		if (followed_read(feed.trace, &followed) < 0)
			abort();
		run_states(&feed, &followed);
		run_paths(&feed, &followed);
		/* Likewise for a part of it. */
		window.from = feed.first + (feed.last - feed.first) / 3;
		window.to = feed.last - (feed.last - feed.first) / 3;
		feed = (struct feed){ .trace = feed.trace,
				      .events = &table,
				      .window = &window,
				      .max_early = 1000,
				      .max_late = 100 };
		run_states(&feed, &followed);
		feed.max_late = 0;
		run_paths(&feed, &followed);
		followed_done(&followed);
		event_table_done(&table);
	}
	fathom_trace_free(feed.trace);
	return 0;
}
