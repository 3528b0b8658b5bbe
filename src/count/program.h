/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the BPF program of one site of a plan: straight-line code with forward jumps only, which
 * the verifier of every kernel accepts. Registers 6 to 9 are the context, the value, a frame and
 * free; everything else is at fixed places of the stack frame.
 */
#ifndef FATHOM_COUNT_PROGRAM_H
#define FATHOM_COUNT_PROGRAM_H

#include <stdint.h>

#include <fathom/err.h>

#include "count/maps.h"

struct bpf_code;

struct count_program {
	const struct count_plan *plan;
	const struct count_columns *columns;
	const struct count_layout *layout;
	const struct count_maps *maps;
	const struct count_site *site;
	uint64_t site_index; /* in keys of COUNT_COLUMN_EVENT */
	uint64_t function; /* its address, for COUNT_FACT_FUNC */
	uint64_t pair; /* equal for begins and ends that belong together */
	int32_t excluded; /* a process whose events are not counted, or 0 */
	/*
	 * The entry and the exit of a traced call have the same context, an array on its stack,
	 * which identifies the call.
	 */
	bool is_traced;
	bool is_shared; /* by several functions, which are known when the program runs */
};

/* Returns 0, or -ENOTSUP with a message if a filter is impossible in the kernel. */
int count_program_write(const struct count_program *program, struct bpf_code *code,
			struct fathom_err *err);

#endif
