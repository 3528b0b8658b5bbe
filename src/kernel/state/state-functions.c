/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * enabled_functions has a line for each traced kernel function, with its callbacks:
 *	vfs_read (1) R I  tramp: 0xffffffffc0a1 (function_trace_call+0x0/0x1d0) ->...
 *	vfs_read (1) D  direct-->bpf_trampoline_6442+0x0/0x10
 * The format is meant for kernel developers and changes, so functions with unknown callbacks are
 * only counted.
 */
#include "kernel/state/state-parts.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "base/strbuf.h"
#include "kernel/state/state-lists.h"

static void count_callback(struct trace_state *state, const char *name, size_t len)
{
	struct state_callback *item;

	for (size_t i = 0; i < state->callbacks.count; i++) {
		item = &state->callbacks.items[i];
		if (strlen(item->name) == len && memcmp(item->name, name, len) == 0) {
			item->functions++;
			return;
		}
	}
	item = STATE_ADD(state, &state->callbacks);
	if (item) {
		item->name = state_text(state, "%.*s", (int)len, name);
		item->functions = 1;
	}
}

/* Counts the callback whose name starts at @at, up to its offset. */
static void count_name_at(struct trace_state *state, const char *at)
{
	size_t len = strcspn(at, "+ )\t");

	/* Each BPF trampoline has a number; count them together. */
	if (str_after(at, "bpf_trampoline_"))
		len = strlen("bpf_trampoline");
	if (len)
		count_callback(state, at, len);
}

static void state_functions_read_line(struct trace_state *state, const char *line)
{
	const char *at = strstr(line, "tramp:");

	at = at ? strchr(at, '(') : NULL;
	if (at) {
		count_name_at(state, at + 1);
		return;
	}
	at = strstr(line, "direct-->");
	if (at) {
		count_name_at(state, at + strlen("direct-->"));
		return;
	}
	at = strstr(line, "->");
	if (at)
		count_name_at(state, at + strlen("->"));
}

void state_read_functions(struct trace_state *state, const struct tracefs *tracefs)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r = state_file(state, tracefs->fd, "enabled_functions", &buf);
	char *text;

	if (r < 0) {
		if (r != -ENOENT)
			state_unseen(state, "traced functions", r);
		return;
	}
	text = buf.s;
	for (char *line; (line = str_next_line(&text));) {
		/* A line that starts with a blank continues the previous one. */
		if (*line && *line != ' ' && *line != '\t')
			state->functions++;
		state_functions_read_line(state, line);
	}
}
