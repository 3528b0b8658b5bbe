/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/state/state-parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "kernel/state/state-lists.h"

/* The prefix of all names that fathom creates. */
#define OURS	 "fathom"
#define JOURNALS "/run/fathom"

static void read_dynamic_events(struct trace_state *state, const struct tracefs *tracefs)
{
	/* The first one, where it exists, lists all kinds. */
	static const char *const files[] = { "dynamic_events", "kprobe_events", "uprobe_events",
					     "synthetic_events" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_strbuf_ struct strbuf buf = { 0 };
		char *text;
		int r = state_file(state, tracefs->fd, files[i], &buf);

		if (r < 0 && r != -ENOENT)
			state_unseen(state, files[i], r);
		text = buf.s;
		for (char *line; (line = str_next_line(&text));)
			if (*line && *line != '#')
				state_add_text(state, &state->dynamic_events, line);
		if (r == 0 && i == 0)
			return;
	}
}

static void add_leftover(struct trace_state *state, const char *kind, const char *name)
{
	struct state_leftover *item = STATE_ADD(state, &state->leftovers);
	_cleanup_free_ char *inside = mem_printf("instances/%s/", name);

	if (!inside)
		state->no_memory = true;
	if (!item || !inside)
		return;
	item->kind = kind;
	item->name = state_text(state, "%s", name);
	for (size_t i = 0; i < state->holders.count; i++)
		if (str_after(state->holders.items[i].what, inside))
			item->pid = state->holders.items[i].pid;
}

static void find_journals(struct trace_state *state, const char *root)
{
	_cleanup_free_ char *path = mem_printf("%s" JOURNALS, root);
	_cleanup_closedir_ DIR *dir = path ? opendir(path) : NULL;

	if (!path)
		state->no_memory = true;
	else if (!dir && errno != ENOENT)
		state_unseen(state, JOURNALS, negative_errno());
	while (dir) {
		struct dirent *entry = readdir(dir);

		if (!entry)
			break;
		if (entry->d_name[0] != '.')
			add_leftover(state, "journal", entry->d_name);
	}
}

static void find_leftovers(struct trace_state *state, const char *root)
{
	for (size_t i = 0; i < state->buffers.count; i++)
		if (str_after(state->buffers.items[i].name, OURS))
			add_leftover(state, "instance", state->buffers.items[i].name);
	for (size_t i = 0; i < state->dynamic_events.count; i++) {
		const char *definition = state->dynamic_events.items[i];
		const char *name = strchr(definition, ':');
		const char *own = name ? str_after(name, ":synthetic/") : NULL;

		if (name && str_after(own ? own : name + 1, OURS))
			add_leftover(state, "event", definition);
	}
	find_journals(state, root);
}

int trace_state_read(const char *root, const struct tracefs *tracefs, struct trace_state *ret_state,
		     struct fathom_err *err)
{
	_cleanup_trace_state_ struct trace_state state = { 0 };

	if (tracefs_readable(tracefs)) {
		state_read_buffers(&state, tracefs);
		read_dynamic_events(&state, tracefs);
		state_read_functions(&state, tracefs);
	} else {
		state_add_pair(&state, &state.unseen, "tracers, events, filters and probes",
			       tracefs_obstacle(tracefs));
	}
	/* BPF is global: it does not exist below another root directory. */
	if (!*root)
		state_read_bpf(&state);
	state_read_holders(&state, root, tracefs);
	find_leftovers(&state, root);
	if (state.no_memory)
		return err_nomem(err);
	*ret_state = TAKE_STRUCT(state, { 0 });
	return 0;
}

void trace_state_done(struct trace_state *state)
{
	for (size_t i = 0; i < state->buffers.count; i++) {
		free(state->buffers.items[i].events.items);
		free(state->buffers.items[i].settings.items);
	}
	free(state->buffers.items);
	free(state->dynamic_events.items);
	free(state->callbacks.items);
	free(state->bpf.items);
	free(state->holders.items);
	free(state->leftovers.items);
	free(state->unseen.items);
	arena_done(&state->arena);
	*state = (struct trace_state){ 0 };
}

bool state_buffer_active(const struct state_buffer *buffer)
{
	return (*buffer->tracer && !str_eq(buffer->tracer, "nop")) || buffer->events.count;
}

bool trace_state_active(const struct trace_state *state)
{
	for (size_t i = 0; i < state->buffers.count; i++)
		if (state_buffer_active(&state->buffers.items[i]))
			return true;
	return state->functions || state->bpf.count || state->holders.count;
}
