/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the top-level buffer and the instances: tracer, events, and settings that differ from those
 * after boot. A kernel has more than a thousand events, so files of an event are only read if it is
 * enabled, which a trigger implies.
 */
#include "kernel/state/state-parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "kernel/state/state-lists.h"

/* On kernels without lists of filters and triggers, at most this many events are checked. */
#define EVENTS_LOOKED_AT 256
/* How many entries of a list of functions or PIDs to keep. */
#define ENTRIES_KEPT 4
#define LINE_SIZE    512

/* Files with a list, which after boot is empty, a comment or "no pid". */
static const char *const list_files[] = {
	"set_ftrace_filter", "set_ftrace_notrace",    "set_graph_function",
	"set_graph_notrace", "set_ftrace_pid",	      "set_ftrace_notrace_pid",
	"set_event_pid",     "set_event_notrace_pid",
};

/* Files with a single value, and its value after boot. */
static const struct {
	const char *file, *value;
} value_files[] = {
	{ "max_graph_depth", "0" },
	{ "tracing_thresh", "0" },
	{ "function_profile_enabled", "0" },
};

static void state_buffers_read_list(struct trace_state *state, int dirfd, const char *file,
				    struct state_buffer *buffer)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 }, kept = { 0 };
	size_t count = 0;
	char *text;

	/* Some kernels, and all instances, lack some of them. */
	if (state_file(state, dirfd, file, &buf) < 0)
		return;
	text = buf.s;
	for (char *line; (line = str_next_line(&text));) {
		if (!*line || *line == '#' || str_eq(line, "no pid"))
			continue;
		if (count++ < ENTRIES_KEPT)
			strbuf_addf(&kept, "%s%s", kept.len ? ", " : "", line);
	}
	if (count > ENTRIES_KEPT)
		strbuf_addf(&kept, " and %zu more", count - ENTRIES_KEPT);
	if (count)
		state_add_pair(state, &buffer->settings, file, strbuf_str(&kept));
	if (kept.err)
		state->no_memory = true;
}

/* The current clock is in brackets. */
static void state_buffers_read_clock(struct trace_state *state, int dirfd,
				     struct state_buffer *buffer)
{
	char line[LINE_SIZE], *begin, *end;

	if (file_read_line(dirfd, "trace_clock", line, sizeof(line)) < 0)
		return;
	begin = strchr(line, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	if (!str_eq(begin + 1, "local"))
		state_add_pair(state, &buffer->settings, "trace_clock", begin + 1);
}

/*
 * An unused buffer reads "7 (expanded: 1408)", or "7" if an instance was used. A used one reads
 * 1408 or, rounded up to pages, slightly more. "X" means that CPUs differ.
 */
static void state_buffers_read_size(struct trace_state *state, int dirfd,
				    struct state_buffer *buffer)
{
	char line[LINE_SIZE];
	unsigned long size;

	if (file_read_line(dirfd, "buffer_size_kb", line, sizeof(line)) < 0)
		return;
	size = strtoul(line, NULL, 10);
	if (!strstr(line, "expanded") && size != 7 && (size < 1408 || size > 1420))
		state_add_pair(state, &buffer->settings, "buffer_size_kb", line);
}

/*
 * The memory of a snapshot stays allocated until it is freed. Read only the beginning, because the
 * text may be long.
 */
static void read_snapshot(struct trace_state *state, int dirfd, struct state_buffer *buffer)
{
	_cleanup_close_ int fd = openat(dirfd, "snapshot", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char text[LINE_SIZE];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return;
	text[n] = '\0';
	if (!strstr(text, "Snapshot is freed"))
		state_add_pair(state, &buffer->settings, "snapshot", "allocated");
}

static void read_settings(struct trace_state *state, int dirfd, struct state_buffer *buffer)
{
	char line[LINE_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(list_files); i++)
		state_buffers_read_list(state, dirfd, list_files[i], buffer);
	for (size_t i = 0; i < ARRAY_SIZE(value_files); i++)
		if (file_read_line(dirfd, value_files[i].file, line, sizeof(line)) > 0 &&
		    !str_eq(line, value_files[i].value))
			state_add_pair(state, &buffer->settings, value_files[i].file, line);
	state_buffers_read_clock(state, dirfd, buffer);
	state_buffers_read_size(state, dirfd, buffer);
	read_snapshot(state, dirfd, buffer);
}

/*
 * Newer kernels list all filters and triggers, as lines "SYSTEM:EVENT<tab>TEXT". Returns false if
 * this one does not.
 */
static bool read_shown(struct trace_state *state, int dirfd, const char *file,
		       struct state_buffer *buffer)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char *text;

	if (state_file(state, dirfd, file, &buf) < 0)
		return false;
	text = buf.s;
	for (char *line; (line = str_next_line(&text));) {
		char *rest = line;
		const char *event = str_next_word(&rest, " \t");
		const char *what = str_eq(file, "show_event_filters") ? "filter" : "trigger";

		if (event && rest)
			state_add_pair(state, &buffer->settings,
				       state_text(state, "%s of %s", what, event),
				       rest + strspn(rest, " \t"));
	}
	return true;
}

/* Reads the filter or the triggers of an event: "none" or comments if there are none. */
static void read_event_file(struct trace_state *state, int dirfd, const char *event,
			    const char *file, struct state_buffer *buffer)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	const char *colon = strchr(event, ':');
	char path[LINE_SIZE];
	char *text;
	int n;

	if (!colon)
		return;
	n = snprintf(path, sizeof(path), "events/%.*s/%s/%s", (int)(colon - event), event,
		     colon + 1, file);
	if (n < 0 || (size_t)n >= sizeof(path) || state_file(state, dirfd, path, &buf) < 0)
		return;
	text = buf.s;
	for (char *line; (line = str_next_line(&text));)
		if (*line && *line != '#' && !str_eq(line, "none"))
			state_add_pair(state, &buffer->settings,
				       state_text(state, "%s of %s", file, event), line);
}

static void state_buffers_read_events(struct trace_state *state, int dirfd,
				      struct state_buffer *buffer)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	bool filters, triggers;
	char *text;
	int r = state_file(state, dirfd, "set_event", &buf);

	if (r < 0) {
		if (r != -ENOENT)
			state_unseen(state, "enabled events", r);
		return;
	}
	text = buf.s;
	for (char *line; (line = str_next_line(&text));)
		if (*line && *line != '#')
			state_add_text(state, &buffer->events, line);
	filters = read_shown(state, dirfd, "show_event_filters", buffer);
	triggers = read_shown(state, dirfd, "show_event_triggers", buffer);
	for (size_t i = 0; i < buffer->events.count && i < EVENTS_LOOKED_AT; i++) {
		if (!filters)
			read_event_file(state, dirfd, buffer->events.items[i], "filter", buffer);
		if (!triggers)
			read_event_file(state, dirfd, buffer->events.items[i], "trigger", buffer);
	}
	if (!(filters && triggers) && buffer->events.count > EVENTS_LOOKED_AT)
		state_add_pair(state, &state->unseen, "filters and triggers of some events",
			       "this kernel has no list of them, and too many events are on");
}

static void state_buffers_read(struct trace_state *state, int dirfd, const char *name)
{
	struct state_buffer *buffer = STATE_ADD(state, &state->buffers);
	char line[LINE_SIZE];
	int r;

	if (!buffer)
		return;
	buffer->name = state_text(state, "%s", name);
	buffer->tracer = "";
	r = file_read_line(dirfd, "current_tracer", line, sizeof(line));
	if (r < 0)
		state_unseen(state, "current_tracer", r);
	else
		buffer->tracer = state_text(state, "%s", line);
	buffer->on = file_read_line(dirfd, "tracing_on", line, sizeof(line)) > 0 && line[0] == '1';
	state_buffers_read_events(state, dirfd, buffer);
	read_settings(state, dirfd, buffer);
}

static void read_instances(struct trace_state *state, int tracefs_fd)
{
	int fd = openat(tracefs_fd, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		if (errno != ENOENT)
			state_unseen(state, "instances", negative_errno());
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *entry; (entry = readdir(dir));) {
		_cleanup_close_ int inside = -1;

		if (entry->d_name[0] == '.')
			continue;
		/* It may have been removed since. */
		inside = openat(fd, entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (inside >= 0)
			state_buffers_read(state, inside, entry->d_name);
	}
}

void state_read_buffers(struct trace_state *state, const struct tracefs *tracefs)
{
	state_buffers_read(state, tracefs->fd, "");
	read_instances(state, tracefs->fd);
}
