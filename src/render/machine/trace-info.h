/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gathers what a trace file contains, and renders it as text and as JSON. Times are in the trace's
 * clock, sizes in bytes. Not thread-safe, like the trace that it reads.
 */
#ifndef FATHOM_RENDER_MACHINE_TRACE_INFO_H
#define FATHOM_RENDER_MACHINE_TRACE_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <fathom/err.h>
#include <fathom/trace.h>

#include "read/event-table.h"
#include "render/kit/out.h"

enum {
	TRACE_INFO_COUNT = 1, /* read all events */
	TRACE_INFO_FORMATS = 2, /* parse all event formats */
	TRACE_INFO_SECTIONS = 4,
};

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

/*
 * Gathers what the flags in @what ask for. @trace and @path are not copied and must outlive the
 * result. Returns 0 or a negative errno.
 */
int trace_info_new(struct fathom_trace *trace, const char *path, unsigned what,
		   struct trace_info **ret_info, struct fathom_err *err);
void trace_info_free(struct trace_info *info);
int trace_info_print(const struct trace_info *info, struct out *out);
int trace_info_print_json(const struct trace_info *info, FILE *stream);

#endif
