/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/machine/trace-info-parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <fathom/cursor.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "read/context/lost-events.h"
#include "read/trace.h"

DEFINE_CLEANUP(struct trace_info, trace_info_free);

static size_t trace_info_count_cpus(struct fathom_trace *trace)
{
	struct fathom_trace_buffer buffer;
	size_t n = 0;

	for (size_t b = 0; fathom_trace_buffer(trace, b, &buffer) == 0; b++)
		n += buffer.cpus;
	return n;
}

/*
 * Finds the times of the first and the last event with two seeks, regardless of the size of the
 * file.
 */
static int find_span(struct trace_info *info, struct trace_info_cpu *cpu, struct fathom_err *err)
{
	uint16_t buffer = (uint16_t)cpu->buffer;
	struct fathom_window window = {
		.to = UINT64_MAX, .cpus = &cpu->cpu, .n_cpus = 1, .buffers = &buffer, .n_buffers = 1
	};
	struct fathom_cursor *cursor;
	struct fathom_event event;
	int r = fathom_cursor_new(info->trace, &window, &cursor, err);

	if (r < 0)
		return r;
	r = fathom_cursor_next(cursor, &event);
	if (r > 0) {
		cpu->has_events = true;
		cpu->first = cpu->last = event.time;
		r = fathom_cursor_last(cursor, 1, NULL);
		if (r == 0)
			r = fathom_cursor_next(cursor, &event);
		if (r > 0)
			cpu->last = event.time;
	}
	fathom_cursor_free(cursor);
	return r < 0 ? err_nomem(err) : 0;
}

static int find_cpus(struct trace_info *info, struct fathom_err *err)
{
	struct fathom_trace_buffer buffer;
	size_t n = trace_info_count_cpus(info->trace);

	info->cpus = mem_zalloc(n ? n : 1, sizeof(info->cpus[0]));
	if (!info->cpus)
		return err_nomem(err);
	for (uint32_t b = 0; fathom_trace_buffer(info->trace, b, &buffer) == 0; b++) {
		struct fathom_trace_cpu found;

		for (size_t i = 0;
		     info->n_cpus < n && fathom_trace_buffer_cpu(info->trace, b, i, &found) == 0;
		     i++) {
			struct trace_info_cpu *cpu = &info->cpus[info->n_cpus++];
			int r;

			*cpu = (struct trace_info_cpu){ .buffer = b,
							.cpu = found.cpu,
							.bytes = found.size };
			r = find_span(info, cpu, err);
			if (r < 0)
				return r;
			if (!cpu->has_events)
				continue;
			if (!info->has_events || cpu->first < info->first)
				info->first = cpu->first;
			if (!info->has_events || cpu->last > info->last)
				info->last = cpu->last;
			info->has_events = true;
		}
	}
	return 0;
}

static struct trace_info_cpu *cpu_of(struct trace_info *info, const struct fathom_event *event)
{
	for (size_t i = 0; i < info->n_cpus; i++)
		if (info->cpus[i].buffer == event->buffer && info->cpus[i].cpu == event->cpu)
			return &info->cpus[i];
	return NULL;
}

static void count_event(struct trace_info *info, struct trace_info_cpu *cpu,
			const struct fathom_event *event)
{
	info->total++;
	info->counts[event->id]++;
	if (event->missed == FATHOM_MISSED_UNKNOWN)
		info->lost_unknown = true;
	else
		info->lost += event->missed;
	if (!cpu)
		return;
	cpu->events++;
	if (event->missed == FATHOM_MISSED_UNKNOWN)
		cpu->lost_unknown = true;
	else
		cpu->lost += event->missed;
}

static int trace_info_count_events(struct trace_info *info, struct fathom_err *err)
{
	const struct fathom_window all = FATHOM_WINDOW_ALL;
	struct trace_info_cpu *cpu = NULL;
	struct fathom_cursor *cursor;
	struct fathom_event event;
	int r;

	info->counts = mem_zalloc(EVENT_TABLE_IDS, sizeof(*info->counts));
	if (!info->counts)
		return err_nomem(err);
	r = fathom_cursor_new(info->trace, NULL, &cursor, err);
	if (r < 0)
		return r;
	while ((r = fathom_cursor_next(cursor, &event)) > 0) {
		if (!cpu || cpu->cpu != event.cpu || cpu->buffer != event.buffer)
			cpu = cpu_of(info, &event);
		count_event(info, cpu, &event);
	}
	fathom_cursor_free(cursor);
	if (!info->trace->is_cut)
		lost_events_settle(info->trace, &all, &info->lost, &info->lost_unknown);
	return r < 0 ? err_nomem(err) : 0;
}

static int trace_info_check_formats(struct trace_info *info, struct fathom_err *err)
{
	for (size_t i = 0; i < info->events.n; i++) {
		struct event_entry *entry = &info->events.entries[i];
		struct fathom_err why = { 0 };
		struct trace_info_format *failed;

		/* Events of the tracers are rendered by code and need no print format. */
		if (event_table_format(&info->events, entry, &why) &&
		    (!entry->format->print || event_table_program(&info->events, entry, &why))) {
			info->n_formats_used++;
			continue;
		}
		if (mem_reserve(&info->failed, &info->cap_failed, info->n_failed + 1,
				sizeof(info->failed[0])) < 0)
			return err_nomem(err);
		failed = &info->failed[info->n_failed++];
		failed->system = entry->text->system;
		failed->name = entry->format ? entry->format->name : NULL;
		snprintf(failed->reason, sizeof(failed->reason), "%s", fathom_err_text(&why));
	}
	return 0;
}

int trace_info_new(struct fathom_trace *trace, const char *path, unsigned what,
		   struct trace_info **ret_info, struct fathom_err *err)
{
	_cleanup_(trace_info_free_p) struct trace_info *info = mem_zalloc(1, sizeof(*info));
	int r;

	if (!info)
		return err_nomem(err);
	info->trace = trace;
	info->path = path;
	info->what = what;
	r = event_table_init(&info->events, trace, err);
	if (r == 0)
		r = find_cpus(info, err);
	if (r == 0 && what & TRACE_INFO_COUNT)
		r = trace_info_count_events(info, err);
	if (r == 0 && what & TRACE_INFO_FORMATS)
		r = trace_info_check_formats(info, err);
	/* Otherwise a valid format could be reported as unreadable. */
	if (r == 0 && info->events.nomem)
		r = err_nomem(err);
	if (r < 0)
		return r;
	*ret_info = TAKE_PTR(info);
	return 0;
}

void trace_info_free(struct trace_info *info)
{
	if (!info)
		return;
	event_table_done(&info->events);
	free(info->cpus);
	free(info->counts);
	free(info->failed);
	free(info);
}
