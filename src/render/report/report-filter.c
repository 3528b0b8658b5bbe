/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/report/report-filter.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "read/event-table.h"
#include "read/context/tasks.h"
#include "symbols/kernel/kallsyms.h"

static size_t report_filter_function_ranges(void *arg, const char *name,
					    struct filter_range *ranges, size_t max)
{
	const struct report_filter *filter = arg;
	const struct kallsyms *kallsyms = report_kallsyms(filter->report);
	size_t n = 0;

	for (uint32_t i = 0; i < kallsyms->n; i++) {
		const struct kallsyms_symbol *symbol = &kallsyms->symbols[i];
		uint32_t next = i + 1;

		if (!str_eq(kallsyms_name(kallsyms, symbol), name))
			continue;
		while (next < kallsyms->n && kallsyms->symbols[next].address == symbol->address)
			next++;
		if (n < max)
			ranges[n] = (struct filter_range){
				.start = symbol->address,
				.end = next < kallsyms->n ? kallsyms->symbols[next].address :
							    symbol->address + 1
			};
		n++;
	}
	return n;
}

static const char *report_filter_function_name(void *arg, uint64_t address)
{
	const struct report_filter *filter = arg;
	uint64_t start;

	return report_symbol(filter->report, address, &start);
}

static void report_filter_function_each(void *arg, bool (*fn)(void *fn_arg, const char *name),
					void *fn_arg)
{
	const struct report_filter *filter = arg;
	const struct kallsyms *kallsyms = report_kallsyms(filter->report);

	for (uint32_t i = 0; i < kallsyms->n; i++)
		if (fn(fn_arg, kallsyms_name(kallsyms, &kallsyms->symbols[i])))
			return;
}

static const char *report_filter_comm(void *arg, const struct filter_event *event)
{
	const struct report_filter *filter = arg;

	return tasks_find(report_tasks(filter->report), event->pid)->comm;
}

void report_filter_init(struct report_filter *filter, struct report *report,
			struct fathom_trace *trace)
{
	memset(filter, 0, sizeof(*filter));
	filter->report = report;
	filter->trace = trace;
	filter->env = (struct filter_env){ .arg = filter,
					   .function_ranges = report_filter_function_ranges,
					   .function_name = report_filter_function_name,
					   .function_each = report_filter_function_each,
					   .comm = report_filter_comm };
}

int report_filter_add(struct report_filter *filter, const char *text, bool hide,
		      struct fathom_err *err)
{
	struct filter *parsed;
	int r = filter_parse(text, &filter->arena, &parsed, err);

	if (r == 0)
		r = filter_list_add(&filter->list, parsed, hide);
	return r;
}

static size_t report_filter_count_cpus(const struct report_filter *filter)
{
	struct fathom_trace_buffer buffer;
	struct fathom_trace_cpu cpu;
	size_t n = fathom_trace_info(filter->trace)->cpus;

	for (size_t b = 0; fathom_trace_buffer(filter->trace, b, &buffer) == 0; b++)
		for (size_t i = 0; fathom_trace_buffer_cpu(filter->trace, b, i, &cpu) == 0; i++)
			if (cpu.cpu >= n)
				n = cpu.cpu + (size_t)1;
	return n;
}

int report_filter_bind(struct report_filter *filter, struct fathom_err *err)
{
	struct event_table *events = report_events(filter->report);
	const struct event_format **formats;
	size_t n = 0;

	if (!filter->list.n)
		return 0;
	formats = arena_zalloc(&filter->arena, events->n + 1, sizeof(void *));
	if (!formats)
		return err_nomem(err);
	for (size_t i = 0; i < events->n; i++) {
		formats[n] = event_table_format(events, &events->entries[i], NULL);
		if (formats[n])
			n++;
	}
	return filter_list_bind(&filter->list, formats, n, &filter->env,
				report_filter_count_cpus(filter), err);
}

bool report_filter_wanted(void *data, const struct fathom_event *event, bool alone)
{
	struct report_filter *filter = data;
	struct fathom_trace_buffer buffer;
	struct event_entry *entry;
	struct filter_event asked;

	if (!event->data)
		return true;
	if (filter->hide_flags && report_flags(filter->report, event) & filter->hide_flags)
		return false;
	if (!filter->list.n)
		return true;
	entry = event_table_find(report_events(filter->report), event->id);
	asked = (struct filter_event){ .time = event->time,
				       .cpu = (int32_t)event->cpu,
				       .pid = event->pid,
				       .format = entry ? entry->format : NULL,
				       .data = event->data,
				       .size = event->size };
	if (event->buffer && fathom_trace_buffer(filter->trace, event->buffer, &buffer) == 0)
		asked.buffer = buffer.name;
	return alone ? filter_list_match_alone(&filter->list, &asked) :
		       filter_list_match(&filter->list, &asked);
}

void report_filter_done(struct report_filter *filter)
{
	filter_list_done(&filter->list);
	arena_done(&filter->arena);
}
