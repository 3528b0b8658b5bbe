/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a state is filled with: texts and elements of its lists, which live as long as it. When
 * memory runs out that is noted in the state, and filling goes on with less.
 */
#ifndef FATHOM_KERNEL_STATE_STATE_LISTS_H
#define FATHOM_KERNEL_STATE_STATE_LISTS_H

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

#endif
