/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collects information about a trace file, and renders it as text and as JSON. Times are in the
 * trace's clock, sizes in bytes. Not thread-safe, like the trace that it reads.
 */
#ifndef FATHOM_RENDER_MACHINE_TRACE_INFO_H
#define FATHOM_RENDER_MACHINE_TRACE_INFO_H

#include <stdio.h>

#include <fathom/err.h>
#include <fathom/trace.h>

#include "render/kit/out.h"

enum {
	TRACE_INFO_COUNT = 1, /* read all events */
	TRACE_INFO_FORMATS = 2, /* parse all event formats */
	TRACE_INFO_SECTIONS = 4,
};

struct trace_info;

/*
 * Collects the information selected by the flags @what. @trace and @path are not copied and must
 * outlive the result. Returns 0 or a negative errno.
 */
int trace_info_new(struct fathom_trace *trace, const char *path, unsigned what,
		   struct trace_info **ret_info, struct fathom_err *err);
void trace_info_free(struct trace_info *info);
/*
 * Both return 0 or -ENOMEM. Write errors are left to the stream. With @csv, only the counts of events
 * by kind are printed.
 */
int trace_info_print(const struct trace_info *info, struct out *out);
int trace_info_print_json(const struct trace_info *info, bool csv, FILE *stream);

#endif
