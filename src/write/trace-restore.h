/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace out of the files that a recorder like trace-cmd leaves when it dies: the pages
 * of each CPU as they came from the kernel. What they mean is in another file, the head:
 * any trace file of the same kernel, with or without events.
 */
#ifndef FATHOM_WRITE_TRACE_RESTORE_H
#define FATHOM_WRITE_TRACE_RESTORE_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "write/trace-dat.h"

/* A file of pages, and whose they are by its name: FILE.cpuN, or FILE.BUFFER.cpuN. */
struct trace_restore_file {
	const char *path;
	int fd;
	uint64_t size;
	const char *buffer; /* "" is the top one */
	uint32_t cpu;
};

/*
 * Finds @buffer and @cpu of each file. Where the names don't say, the first file is CPU 0, and
 * so on. Names of buffers come from @arena. -EINVAL when two files are for the same CPU.
 */
int trace_restore_names(struct trace_restore_file *files, size_t n, struct arena *arena,
			struct fathom_err *err);
/* What is to be written: the files' pages and all else of @head. Both must outlive the plan. */
int trace_restore_plan(struct trace_dat_plan *plan, struct fathom_trace *head,
		       const struct trace_restore_file *files, size_t n, struct fathom_err *err);

#endif
