/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of state.c: its parts, each in a file of its own, which stand on state-lists.c. */
#ifndef FATHOM_KERNEL_STATE_STATE_PARTS_H
#define FATHOM_KERNEL_STATE_STATE_PARTS_H

#include "kernel/state/state-lists.h"

/* state-buffers.c */
void state_read_buffers(struct trace_state *state, const struct tracefs *tracefs);
/* state-functions.c: who is called from traced functions. */
void state_read_functions(struct trace_state *state, const struct tracefs *tracefs);
/* state-bpf.c */
void state_read_bpf(struct trace_state *state);
/* state-holders.c; @root as for tracefs_find(). */
void state_read_holders(struct trace_state *state, const char *root, const struct tracefs *tracefs);
/* What the perf event @fd of process @pid runs a BPF program on; "" when nothing, or not told. */
const char *state_perf_target(struct trace_state *state, long pid, int fd);

#endif
