/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Information about a trace file, shared by the files that collect and print it. */
#ifndef FATHOM_RENDER_MACHINE_TRACE_INFO_PARTS_H
#define FATHOM_RENDER_MACHINE_TRACE_INFO_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "read/event-table.h"
#include "render/machine/trace-info.h"

/* A CPU of a buffer. */
struct trace_info_cpu {
	uint32_t buffer, cpu;
	uint64_t bytes; /* in the file */
	uint64_t first, last; /* times; 0 if there are no events */
	bool has_events;
	uint64_t events, lost; /* with TRACE_INFO_COUNT */
	bool lost_unknown; /* further events were lost */
};

struct trace_info_format {
	const char *system, *name;
	char reason[160];
};

struct trace_info {
	struct fathom_trace *trace;
	const char *path;
	unsigned what;
	struct event_table events;
	struct trace_info_cpu *cpus;
	size_t n_cpus;
	uint64_t *counts; /* by event ID; with TRACE_INFO_COUNT */
	uint64_t total, lost;
	bool lost_unknown;
	uint64_t first, last;
	bool has_events;
	size_t n_formats_used; /* number of valid formats; with TRACE_INFO_FORMATS */
	struct trace_info_format *failed;
	size_t n_failed, cap_failed;
};

#endif
