/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/events/dynamic-events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"

/* Derives the kind from the letter that a definition starts with and from its target. */
static const char *dynamic_events_kind_of(const char *line, const char *rest)
{
	switch (line[0]) {
	case 'p':
		/* A uprobe names a file: "p:uprobes/x /bin/sh:0x123". */
		return strstr(rest, " /") ? "uprobe" : "kprobe";
	case 'r':
		return strstr(rest, " /") ? "uretprobe" : "kretprobe";
	case 'f':
		return strstr(rest, "%return") ? "fprobe-return" : "fprobe";
	case 't':
		return "tracepoint-probe";
	case 'e':
		return "event-probe";
	case 's':
		return "synthetic";
	case 'u':
		return "user-event";
	default:
		return "other";
	}
}

/* Parses "KIND[MAX]:[SYSTEM/]NAME DEFINITION" or, from synthetic_events, "NAME\tDEFINITION". */
static int dynamic_events_parse(struct dynamic_events *events, const char *line, bool synthetic)
{
	size_t kind_len = strcspn(line, ": \t");
	const char *full = !synthetic && line[kind_len] == ':' ? line + kind_len + 1 : line;
	size_t len = strcspn(full, " \t;");
	const char *slash = memchr(full, '/', len);
	struct dynamic_event e = { 0 };

	e.kind = full == line ? "synthetic" : dynamic_events_kind_of(line, full + len);
	if (slash)
		e.system = arena_strndup(&events->arena, full, (size_t)(slash - full));
	else
		e.system = str_eq(e.kind, "user-event") ? "user_events" : "synthetic";
	full = slash ? slash + 1 : full;
	e.name = arena_strndup(&events->arena, full, strcspn(full, " \t;"));
	e.definition = arena_strdup(&events->arena, line);
	if (!e.system || !e.name || !e.definition ||
	    mem_reserve(&events->list, &events->cap, events->n + 1, sizeof(e)) < 0)
		return -ENOMEM;
	events->list[events->n++] = e;
	return 0;
}

static int read_one(int tracefs, const char *file, struct dynamic_events *events)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r = file_read(tracefs, file, &buf);
	char *text = buf.s;

	if (r < 0)
		return r;
	for (char *line; (line = str_next_line(&text));) {
		if (!*line)
			continue;
		r = dynamic_events_parse(events, line, str_eq(file, "synthetic_events"));
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_old_files(int tracefs, struct dynamic_events *events)
{
	static const char *const files[] = { "kprobe_events", "uprobe_events", "synthetic_events" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int r = read_one(tracefs, files[i], events);

		if (r < 0 && r != -ENOENT)
			return r;
	}
	return 0;
}

static bool is_enabled(int tracefs, const struct dynamic_event *e)
{
	char path[512], value[4] = "";

	if ((size_t)snprintf(path, sizeof(path), "events/%s/%s/enable", e->system, e->name) >=
	    sizeof(path))
		return false;
	return file_read_line(tracefs, path, value, sizeof(value)) > 0 && value[0] == '1';
}

int dynamic_events_read(int tracefs, struct dynamic_events *ret_events, struct fathom_err *err)
{
	_cleanup_(dynamic_events_done) struct dynamic_events events = { 0 };
	int r = read_one(tracefs, "dynamic_events", &events);

	if (r == -ENOENT)
		r = read_old_files(tracefs, &events);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return err_set_errno(err, r, "cannot read 'dynamic_events'");
	for (size_t i = 0; i < events.n; i++)
		events.list[i].enabled = is_enabled(tracefs, &events.list[i]);
	*ret_events = TAKE_STRUCT(events, { 0 });
	return 0;
}

void dynamic_events_done(struct dynamic_events *events)
{
	free(events->list);
	arena_done(&events->arena);
	*events = (struct dynamic_events){ 0 };
}
