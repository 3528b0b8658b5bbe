/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of state.c: its parts, each in a file of its own. */
#ifndef FATHOM_KERNEL_STATE_STATE_PARTS_H
#define FATHOM_KERNEL_STATE_STATE_PARTS_H

#include "base/strbuf.h"
#include "kernel/state/state.h"

/* Text that lives as long as @state; "" without memory, which is noted. */
const char *state_text(struct trace_state *state, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* As file_read(); running out of memory is noted. */
int state_file(struct trace_state *state, int dirfd, const char *path, struct strbuf *buf);
/* Room for one more element of @list, zeroed, or NULL. */
#define STATE_ADD(state, list)                                                                 \
	((__typeof__((list)->items))state_add((state), (void *)&(list)->items, &(list)->count, \
					      &(list)->cap, sizeof(*(list)->items)))
void *state_add(struct trace_state *state, void *items, size_t *count, size_t *cap, size_t size);
void state_add_text(struct trace_state *state, struct text_list *list, const char *text);
void state_add_pair(struct trace_state *state, struct pair_list *list, const char *name,
		    const char *text);
/* Notes that @what could not be seen, from a negative errno. */
void state_unseen(struct trace_state *state, const char *what, int r);

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
