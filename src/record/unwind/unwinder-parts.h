/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of an unwinder, for unwinder.c and for tests that answer in place of the process. */
#ifndef FATHOM_RECORD_UNWIND_UNWINDER_PARTS_H
#define FATHOM_RECORD_UNWIND_UNWINDER_PARTS_H

#include "process/confined-pool.h"
#include "record/unwind/unwinder.h"

struct unwinder {
	struct confined_pool pool;
	_Atomic uint32_t *reading; /* shared with the processes, see unwind_process_serve() */
	uint64_t stack_ns; /* limit of CPU time for one stack */
	int buffer; /* socket buffer that the kernel has granted, in bytes */
	uint32_t n_files; /* number of files that the process has received */
	uint32_t waiting; /* number of questions without an answer */
	uint64_t used; /* CPU time in ns, at the last answer or the first question after it */
	bool failed;
	struct unwinder_failure failures[CONFINED_FAILURES_MAX];
	size_t n_failures;
};

#endif
