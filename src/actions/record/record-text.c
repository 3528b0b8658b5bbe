/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/record-text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "base/str.h"

#define MB	  1e6
#define COPY_TOLD (16 << 20) /* copying less is not reported */

void record_text_init(struct record_text *text, const struct action *action, bool quiet,
		      const struct plan *plan)
{
	*text = (struct record_text){ .action = action, .quiet = quiet, .plan = plan };
	progress_init_log(&text->progress, action->messages);
}

bool record_text_wants(const struct record_text *text)
{
	return !text->quiet && progress_due(&text->progress);
}

void record_text_progress(struct record_text *text, const struct recorder_totals *totals,
			  double share, uint64_t elapsed_ns)
{
	char cost[64] = "";
	double seconds = (double)(elapsed_ns - text->last_time) / 1e9;
	double ring = (double)text->plan->buffers[0].size_kb * 1024;

	if (share >= 0)
		snprintf(cost, sizeof(cost), ", overhead about %.3g %% of all CPUs", share * 100);
	progress_update(&text->progress,
			"recording %.0f s: %.1f MB, %.1f MB/s, %.0f events/s, %" PRIu64
			" lost, buffers %.0f %% full%s",
			(double)elapsed_ns / 1e9, (double)totals->bytes / MB,
			(double)(totals->bytes - text->last_bytes) / MB / seconds,
			(double)(totals->made - text->last_made) / seconds, totals->lost,
			ring > 0 ? (double)totals->fullest * 100 / ring : 0, cost);
	text->last_bytes = totals->bytes;
	text->last_made = totals->made;
	text->last_time = elapsed_ns;
}

void record_text_clear(struct record_text *text)
{
	progress_finish(&text->progress);
}

/*
 * Returns the buffer size that would have held the events lost by the worst CPU, if lost in one
 * burst.
 */
static unsigned long enough_kb(const struct record_text *text, const struct recorder_totals *totals)
{
	unsigned long size = text->plan->buffers[0].size_kb;
	double worst = 0;

	for (size_t i = 0; i < totals->n_cpus; i++) {
		const struct recorder_cpu *cpu = &totals->cpus[i];
		double per_event = cpu->events ? (double)cpu->bytes / (double)cpu->events : 40;

		if ((double)cpu->lost * per_event > worst)
			worst = (double)cpu->lost * per_event;
	}
	return size + (unsigned long)(worst / 1024) + 1;
}

static void print_loss(const struct record_text *text, const struct recorder_totals *totals)
{
	unsigned long kb = enough_kb(text, totals);

	quote_printf(text->action->messages,
		     "fathom %s: lost %" PRIu64 " events (%.1f %%): buffer overrun",
		     text->action->name, totals->lost,
		     (double)totals->lost * 100 / ((double)totals->lost + (double)totals->events));
	quote_printf(text->action->messages, "; use -b %lu or more (now %lu KB per CPU)\n", kb,
		     text->plan->buffers[0].size_kb);
	for (size_t i = 0; i < totals->n_cpus && !text->quiet; i++)
		if (totals->cpus[i].lost)
			quote_printf(text->action->messages, "  CPU %u%s%s: %" PRIu64 " lost\n",
				     totals->cpus[i].cpu, *totals->cpus[i].buffer ? " of " : "",
				     totals->cpus[i].buffer, totals->cpus[i].lost);
}

void record_text_summary(struct record_text *text, const char *path,
			 const struct recorder_totals *totals,
			 const struct trace_out_result *result, uint64_t elapsed_ns)
{
	if (!text->quiet) {
		quote_printf(text->action->messages, "fathom %s: ", text->action->name);
		if (totals->events || !text->has_own)
			quote_printf(text->action->messages,
				     "recorded %" PRIu64 " events in %.3f s, %.1f MB, in '%s'\n",
				     totals->events, (double)elapsed_ns / 1e9,
				     (double)result->size / MB, path);
		else
			quote_printf(text->action->messages, "recorded %.3f s, %.1f MB, in '%s'\n",
				     (double)elapsed_ns / 1e9, (double)result->size / MB, path);
		if (result->copied >= COPY_TOLD)
			quote_printf(
				text->action->messages,
				"  copied %.1f MB to finish it: this file system cannot remove "
				"ranges from a file\n",
				(double)result->copied / MB);
		if (result->holes)
			quote_printf(
				text->action->messages,
				"  the file has holes and appears larger than it is: %s; 'fathom "
				"convert' makes a compact copy\n",
				strerrordesc_np(-result->reason));
	}
	if (totals->lost)
		print_loss(text, totals);
}

void record_text_next(const struct record_text *text, const char *path,
		      const struct recorder_totals *totals)
{
	const char *blank = str_eq(path, "trace.dat") ? "" : " ", *name = *blank ? path : "";
	FILE *messages = text->action->messages;
	bool calls = false;

	if (text->quiet || !(totals->events || totals->lost || text->has_own))
		return;
	for (size_t i = 0; i < text->plan->n; i++)
		calls |= text->plan->buffers[i].tracer &&
			 str_eq(text->plan->buffers[i].tracer, "function_graph");
	quote_printf(messages, "  next: ");
	if (text->has_samples)
		quote_printf(messages, "'fathom flame%s%s' for a flame graph, or ", blank, name);
	quote_printf(messages, "'fathom report%s%s%s'",
		     text->plan->wants_maps ? " --user-symbols" : "", blank, name);
	if (calls)
		quote_printf(messages, ", or 'fathom tree%s%s' for the time by call path", blank,
			     name);
	fputc('\n', messages);
}
