/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes counts, interrupts, block requests, system calls, samples and the summary of a whole trace
 * file. Whatever it contains, times do not exceed the trace, and output is complete.
 */
#include <stdlib.h>

#include "analyze/calls/phases.h"
#include "analyze/stream/feed.h"
#include "analyze/calls/sample-tree.h"
#include "base/mem.h"
#include "render/time/flame.h"
#include "render/waits/io.h"
#include "render/waits/irqs.h"
#include "render/report/report.h"
#include "render/time/stats.h"
#include "render/command/summary.h"
#include "render/command/syscalls.h"
#include "render/time/tree.h"
#include "input.h"

/* A few kilobytes can claim to decompress to gigabytes; reading further reveals nothing new. */
#define EVENTS_MAX 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct all {
	struct counts counts;
	struct irqs irqs;
	struct io *io;
	struct syscalls syscalls;
	struct summary summary;
	struct user_symbols users;
	struct sample_tree samples;
	uint64_t first, last;
	unsigned n_events;
};

static void take(void *data, const struct decoded_event *decoded)
{
	struct all *all = data;
	uint64_t time = decoded->event->time;

	if (all->n_events++ >= EVENTS_MAX)
		return;
	all->first = all->n_events == 1 || time < all->first ? time : all->first;
	all->last = time > all->last ? time : all->last;
	counts_feed(&all->counts, decoded);
	irqs_feed(&all->irqs, decoded);
	io_feed(all->io, decoded);
	syscalls_feed(&all->syscalls, decoded);
	summary_feed(&all->summary, decoded);
	sample_tree_feed(&all->samples, decoded);
}

static void check(const struct all *all)
{
	uint64_t events = 0;

	for (size_t i = 0; i < all->counts.n; i++)
		events += all->counts.list[i].n;
	if (events != (all->n_events < EVENTS_MAX ? all->n_events : EVENTS_MAX))
		abort();
	for (size_t i = 0; i < all->syscalls.n; i++)
		if (all->syscalls.list[i].count &&
		    all->syscalls.list[i].max > all->last - all->first)
			abort();
}

static void show(struct all *all, struct report *report)
{
	struct stats_view stats = { .tasks = report_tasks(report),
				    .first = all->first,
				    .last = all->last };
	struct irqs_view irqs = { 0 };
	struct io_view io = { .with_map = true };
	struct syscalls_view calls = { .syscalls = &all->syscalls };
	struct summary_about about = { .path = "trace.dat", .hints = true };
	FILE *stream = fopen("/dev/null", "we");
	struct out out;

	if (!stream)
		abort();
	out_init(&out, stream, OUT_COLOR_NEVER);
	for (int form = 0; form < 3; form++) {
		stats.json = irqs.json = io.json = form == 1;
		stats.csv = irqs.csv = io.csv = form == 2;
		if (stats_print_counts(&all->counts, &stats, &out) < 0 ||
		    stats_print_syscalls(&all->syscalls, &stats, &out) < 0 ||
		    irqs_print(&all->irqs, &irqs, &out) < 0 || io_print(all->io, &io, &out) < 0)
			abort();
	}
	if (tree_print(&all->samples.tree, &(struct tree_options){ .samples = true }, &out) < 0 ||
	    flame_print(&all->samples.tree, &(struct flame_options){ .title = "samples" }, stream) <
		    0)
		abort();
	if (syscalls_print(&calls, &out) < 0 || syscalls_print_json(&calls, &out) < 0 ||
	    syscalls_print_csv(&calls, &out) < 0 ||
	    summary_print(&all->summary, &about, &out) < 0 ||
	    summary_print_json(&all->summary, &about, &out) < 0)
		abort();
	out_finish(&out);
	fclose(stream);
}

static void analyze(struct fathom_trace *trace, struct report *report, struct phases *phases)
{
	struct all all = { .counts.by = COUNTS_BY_EVENT, .io = mem_zalloc(1, sizeof(*all.io)) };
	struct feed feed = { .trace = trace, .events = report_events(report) };

	if (!all.io ||
	    sample_tree_init(&all.samples, report_kallsyms(report), report_tasks(report),
			     &all.users) < 0 ||
	    summary_init(&all.summary, report_kallsyms(report), report_tasks(report)) < 0)
		abort();
	if (feed_run(&feed, take, &all, NULL) == 0) {
		if (counts_finish(&all.counts) < 0 || irqs_finish(&all.irqs, UINT64_MAX) < 0 ||
		    io_finish(all.io, UINT64_MAX) < 0 || syscalls_finish(&all.syscalls) < 0 ||
		    summary_finish(&all.summary, phases, false) < 0)
			abort();
		check(&all);
		show(&all, report);
	}
	counts_done(&all.counts);
	irqs_done(&all.irqs);
	io_done(all.io);
	free(all.io);
	syscalls_done(&all.syscalls);
	summary_done(&all.summary);
	sample_tree_done(&all.samples);
	user_symbols_done(&all.users);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_options options = { 0 };
	struct fathom_trace *trace;
	struct report *report;
	struct phases *phases;
	int fd = fuzz_file(data, size);

	if (fathom_trace_open_fd(fd, 0, &trace, NULL) < 0)
		return 0;
	if (phases_parse(phases_default, phases_default_len, &phases, NULL) < 0)
		abort();
	if (report_new(trace, &options, NULL, &report, NULL) == 0) {
		analyze(trace, report, phases);
		report_free(report);
	}
	phases_free(phases);
	fathom_trace_free(trace);
	return 0;
}
