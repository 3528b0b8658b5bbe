/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/state/state-lists.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/mem.h"

const char *state_text(struct trace_state *state, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = arena_vprintf(&state->arena, fmt, ap);
	va_end(ap);
	if (!text)
		state->no_memory = true;
	return text ? text : "";
}

int state_file(struct trace_state *state, int dirfd, const char *path, struct strbuf *buf)
{
	int r = file_read(dirfd, path, buf);

	if (r == -ENOMEM)
		state->no_memory = true;
	return r;
}

void *state_add(struct trace_state *state, void *items, size_t *count, size_t *cap, size_t size)
{
	char *base;

	if (mem_reserve(items, cap, *count + 1, size) < 0) {
		state->no_memory = true;
		return NULL;
	}
	memcpy(&base, items, sizeof(base));
	memset(base + *count * size, 0, size);
	return base + (*count)++ * size;
}

void state_add_text(struct trace_state *state, struct text_list *list, const char *text)
{
	const char **item = STATE_ADD(state, list);

	if (item)
		*item = state_text(state, "%s", text);
}

void state_add_pair(struct trace_state *state, struct pair_list *list, const char *name,
		    const char *text)
{
	struct text_pair *item = STATE_ADD(state, list);

	if (item) {
		item->name = state_text(state, "%s", name);
		item->text = state_text(state, "%s", text);
	}
}

void state_unseen(struct trace_state *state, const char *what, int r)
{
	bool right = r == -EACCES || r == -EPERM;

	if (r == -ENOMEM)
		state->no_memory = true;
	else
		state_add_pair(state, &state->unseen, what,
			       right && geteuid() != 0 ? "only root may see it" :
							 strerrordesc_np(-r));
}
