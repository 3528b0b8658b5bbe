/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Texts and list elements that live as long as their state. Running out of memory is recorded in
 * the state; reading continues with incomplete data.
 */
#ifndef FATHOM_KERNEL_STATE_STATE_LISTS_H
#define FATHOM_KERNEL_STATE_STATE_LISTS_H

#include <stddef.h>

#include "base/strbuf.h"
#include "kernel/state/state.h"

/* Formats a text that lives as long as @state; returns "" if memory is exhausted. */
const char *state_text(struct trace_state *state, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* As file_read(). */
int state_file(struct trace_state *state, int dirfd, const char *path, struct strbuf *buf);
/*
 * Adds a zeroed element to @list. Returns it, or NULL if memory is exhausted. It may move when the
 * next one is added.
 */
#define STATE_ADD(state, list)                                                                 \
	((__typeof__((list)->items))state_add((state), (void *)&(list)->items, &(list)->count, \
					      &(list)->cap, sizeof(*(list)->items)))
void *state_add(struct trace_state *state, void *items, size_t *count, size_t *cap, size_t size);
void state_add_text(struct trace_state *state, struct text_list *list, const char *text);
void state_add_pair(struct trace_state *state, struct pair_list *list, const char *name,
		    const char *text);
/* Records that @what could not be read; @r is a negative errno. */
void state_unseen(struct trace_state *state, const char *what, int r);

#endif
