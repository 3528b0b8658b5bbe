/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder's side of the process that unwinds, for tests that answer in its place. */
#ifndef FATHOM_RECORD_UNWIND_UNWINDER_PARTS_H
#define FATHOM_RECORD_UNWIND_UNWINDER_PARTS_H

#include <stdatomic.h>

#include "process/confined-pool.h"
#include "record/unwind/unwinder.h"

struct unwinder {
	struct confined_pool pool;
	_Atomic uint32_t *reading; /* shared with the processes, see unwind_process_serve() */
	uint64_t stack_ns; /* CPU time for one stack */
	int buffer; /* what the kernel has granted */
	uint32_t n_files; /* that the process was told of */
	uint32_t waiting; /* questions without an answer */
	uint64_t used; /* CPU time of the process at the last answer, or the first question since */
	bool failed;
	struct unwinder_failure failures[CONFINED_FAILURES_MAX];
	size_t n_failures;
};

#endif
