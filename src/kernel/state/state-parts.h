/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of trace_state_read(). Each fills in its part of a state, and records in it what it
 * could not read.
 */
#ifndef FATHOM_KERNEL_STATE_STATE_PARTS_H
#define FATHOM_KERNEL_STATE_STATE_PARTS_H

#include "kernel/state/state.h"
#include "kernel/tracefs/tracefs.h"

/* state-buffers.c */
void state_read_buffers(struct trace_state *state, const struct tracefs *tracefs);
/* state-functions.c: traced functions and their callbacks. */
void state_read_functions(struct trace_state *state, const struct tracefs *tracefs);
/* state-bpf.c */
void state_read_bpf(struct trace_state *state);
/* state-holders.c; @root as for tracefs_find(). */
void state_read_holders(struct trace_state *state, const char *root, const struct tracefs *tracefs);
/* Returns what the perf event @fd of process @pid runs a BPF program on, or "". */
const char *state_perf_target(struct trace_state *state, long pid, int fd);

#endif
