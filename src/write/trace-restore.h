/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Assembles a trace from the files that a recorder such as trace-cmd leaves behind if it dies: the
 * pages of each CPU as the kernel wrote them. Their description comes from another file, called the
 * head: any trace file of the same kernel, with or without events.
 */
#ifndef FATHOM_WRITE_TRACE_RESTORE_H
#define FATHOM_WRITE_TRACE_RESTORE_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "write/trace-dat.h"

/* A file of pages. Its name says to which CPU it belongs: FILE.cpuN, or FILE.BUFFER.cpuN. */
struct trace_restore_file {
	const char *path;
	int fd;
	uint64_t size;
	const char *buffer; /* "": the top-level buffer */
	uint32_t cpu;
};

/*
 * Sets @buffer and @cpu of each file, and sorts the files by these. If the names don't match the
 * pattern, the first file is CPU 0, and so on. Names of buffers come from @arena. Returns 0,
 * -ENOMEM, or -EINVAL if two files are for the same CPU.
 */
int trace_restore_names(struct trace_restore_file *files, size_t n, struct arena *arena,
			struct fathom_err *err);
/*
 * Plans to write the pages of the files, as sorted by trace_restore_names(), and everything else
 * from @head. Files and head must outlive the plan, which trace_dat_plan_done() releases. Returns 0
 * or a negative errno, with nothing to release.
 */
int trace_restore_plan(struct trace_dat_plan *plan, struct fathom_trace *head,
		       const struct trace_restore_file *files, size_t n, struct fathom_err *err);

#endif
