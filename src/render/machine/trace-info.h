/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a trace file is and holds: gathered here, then printed for people or programs. */
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
	TRACE_INFO_FORMATS = 2, /* try all event formats */
	TRACE_INFO_SECTIONS = 4,
};

/* One CPU of one buffer. */
struct trace_info_cpu {
	uint32_t buffer, cpu;
	uint64_t bytes; /* in the file */
	uint64_t first, last; /* times; 0 when there are no events */
	bool has_events;
	uint64_t events, lost; /* when counted */
	bool lost_unknown; /* and more */
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
	uint64_t *counts; /* by event id */
	uint64_t total, lost;
	bool lost_unknown;
	uint64_t first, last;
	bool has_events;
	size_t n_formats_used; /* formats that can be used */
	struct trace_info_format *failed;
	size_t n_failed, cap_failed;
};

/* @trace and @path must outlive it. 0 or a negative errno. */
int trace_info_new(struct fathom_trace *trace, const char *path, unsigned what,
		   struct trace_info **ret_info, struct fathom_err *err);
void trace_info_free(struct trace_info *info);
int trace_info_print(const struct trace_info *info, struct out *out);
int trace_info_print_json(const struct trace_info *info, FILE *stream);

#endif
