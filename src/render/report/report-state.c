/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of a report: events, names of tasks and symbols, clocks, and the state of each CPU.
 * Produces no output.
 */
#include <string.h>

#include "base/mem.h"
#include "render/report/report-parts.h"
#include "symbols/user/user-symbols.h"

/* Limits memory for crafted files: for higher CPU numbers, no state is kept. */
#define CPUS_MAX 65536

struct event_table *report_events(struct report *report)
{
	return &report->events;
}

struct tasks *report_tasks(struct report *report)
{
	return &report->tasks;
}

const struct kallsyms *report_kallsyms(const struct report *report)
{
	return report->kallsyms;
}

const char *report_symbol(struct report *report, uint64_t address, uint64_t *ret_start)
{
	const struct kallsyms_symbol *symbol =
		kallsyms_find(report->kallsyms, &report->cache, address);

	if (!symbol)
		return NULL;
	*ret_start = symbol->address;
	return kallsyms_name(report->kallsyms, symbol);
}

void report_use_user_symbols(struct report *report, struct user_symbols *symbols,
			     int64_t time_offset)
{
	report->user_symbols = symbols;
	report->user_time_offset = time_offset;
}

bool report_nomem(const struct report *report)
{
	return report->nomem || report->events.nomem ||
	       (report->user_symbols && report->user_symbols->nomem);
}

bool report_in_nanoseconds(const struct report *report, size_t buffer)
{
	return buffer < report->n_buffers ? report->in_nanoseconds[buffer] : true;
}

struct report_cpu *report_make_cpu(struct report *report, uint32_t cpu)
{
	size_t cap = report->n_cpus;

	if (cpu >= CPUS_MAX)
		return NULL;
	if (mem_reserve(&report->cpus, &cap, cpu + (size_t)1, sizeof(report->cpus[0])) < 0) {
		report->nomem = true;
		return NULL;
	}
	memset(&report->cpus[report->n_cpus], 0, (cap - report->n_cpus) * sizeof(report->cpus[0]));
	report->n_cpus = cap;
	return &report->cpus[cpu];
}
