/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/events/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"

static int events_compare(const void *a, const void *b)
{
	const struct event *e = a, *f = b;
	int r = strcmp(e->system, f->system);

	return r ? r : strcmp(e->name, f->name);
}

static bool events_parse(char *line, struct event *ret_event)
{
	char *colon = strchr(line, ':');

	if (!colon || colon == line || !colon[1])
		return false;
	*colon = '\0';
	*ret_event = (struct event){ .system = line, .name = colon + 1 };
	return true;
}

/* Marks the events that set_event lists. */
static void mark_enabled(struct events *events, char *set_event)
{
	for (char *line; (line = str_next_line(&set_event));) {
		struct event key, *e;

		if (!events_parse(line, &key))
			continue;
		e = bsearch(&key, events->list, events->n, sizeof(*e), events_compare);
		if (e && !e->enabled) {
			e->enabled = true;
			events->n_enabled++;
		}
	}
}

int events_read(int tracefs, struct events *ret_events, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 }, enabled = { 0 };
	_cleanup_(events_done) struct events e = { 0 };
	size_t cap = 0;
	int r;

	r = file_read(tracefs, "available_events", &buf);
	if (r == -ENOENT)
		return err_set(err, r,
			       "unsupported: this kernel has no events (needs "
			       "CONFIG_EVENT_TRACING)");
	if (r < 0)
		return err_set_errno(err, r, "cannot read 'available_events'");
	e.text = strbuf_take(&buf);
	if (!e.text)
		return err_nomem(err);
	for (char *line, *rest = e.text; (line = str_next_line(&rest));) {
		if (mem_reserve(&e.list, &cap, e.n + 1, sizeof(*e.list)) < 0)
			return err_nomem(err);
		e.n += events_parse(line, &e.list[e.n]);
	}
	if (e.n)
		qsort(e.list, e.n, sizeof(*e.list), events_compare);
	for (size_t i = 0; i < e.n; i++)
		e.n_systems += !i || !str_eq(e.list[i].system, e.list[i - 1].system);
	r = file_read(tracefs, "set_event", &enabled);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r == 0 && e.n)
		mark_enabled(&e, enabled.s);
	*ret_events = TAKE_STRUCT(e, { 0 });
	return 0;
}

void events_done(struct events *events)
{
	free(events->list);
	free(events->text);
	*events = (struct events){ 0 };
}

/* Returns the unsigned number after @key in @line, or 0. */
static unsigned events_number_after(const char *line, const char *key)
{
	const char *p = strstr(line, key);

	return p ? (unsigned)strtoul(p + strlen(key), NULL, 10) : 0;
}

/*
 * Splits a C declaration into type and name, which is the last identifier before any [] at the end.
 * A declaration without such a name is kept whole, as the type.
 */
static void events_split_declaration(char *decl, struct layout_field *field)
{
	size_t end = strlen(decl);
	size_t start;

	while (end && decl[end - 1] == ']') {
		while (end && decl[end - 1] != '[')
			end--;
		end -= end > 0;
	}
	start = end;
	while (start && (decl[start - 1] == '_' || decl[start - 1] == '.' ||
			 (decl[start - 1] >= '0' && decl[start - 1] <= '9') ||
			 ((decl[start - 1] | 32) >= 'a' && (decl[start - 1] | 32) <= 'z')))
		start--;
	field->type = decl;
	field->name = "";
	if (start == end || start == 0)
		return;
	field->name = decl + start;
	if (decl[start - 1] == ' ')
		decl[start - 1] = '\0';
}

/* Parses "\tfield:DECLARATION;\toffset:N;\tsize:N;\tsigned:N;". */
static int events_parse_field(struct arena *arena, const char *line, struct layout_field *ret_field)
{
	const char *decl = line + strlen("field:");
	const char *end = strchr(decl, ';');
	struct layout_field f = { 0 };
	const char *name;
	char *copy;

	if (!end)
		return -EINVAL;
	f.offset = events_number_after(end, "offset:");
	f.size = events_number_after(end, "size:");
	f.is_signed = events_number_after(end, "signed:") == 1;
	/* "char *p" has no space that could terminate the type, so the name is copied. */
	copy = arena_strndup(arena, decl, (size_t)(end - decl));
	if (!copy)
		return -ENOMEM;
	events_split_declaration(copy, &f);
	if (*f.name && f.name[-1] != '\0') {
		name = arena_strdup(arena, f.name);
		if (!name)
			return -ENOMEM;
		copy[f.name - copy] = '\0';
		f.name = name;
	}
	f.common = str_after(f.name, "common_") != NULL;
	*ret_field = f;
	return 0;
}

static size_t count_fields(const char *text)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, "field")); p++)
		n++;
	return n;
}

static int events_parse_line(struct event_layout *format, const char *line, bool *ret_is_format)
{
	const char *rest;

	line += strspn(line, " \t");
	if ((rest = str_after(line, "ID:"))) {
		format->id = (unsigned)strtoul(rest, NULL, 10);
		*ret_is_format = true;
	} else if (str_after(line, "field:")) {
		int r = events_parse_field(&format->arena, line, &format->fields[format->n_fields]);

		if (r < 0)
			return r;
		format->n_fields++;
	}
	return 0;
}

int event_layout_parse(const char *text, struct event_layout *ret_format)
{
	_cleanup_(event_layout_done) struct event_layout f = { .print_fmt = "" };
	bool is_format = false;
	char *copy, *print;
	int r;

	copy = arena_strdup(&f.arena, text);
	f.fields = arena_zalloc(&f.arena, count_fields(text), sizeof(*f.fields));
	if (!copy || !f.fields)
		return -ENOMEM;
	print = strstr(copy, "\nprint fmt:");
	if (print) {
		*print = '\0';
		print += strlen("\nprint fmt:");
		print += strspn(print, " ");
		print[strcspn(print, "\n")] = '\0';
		f.print_fmt = print;
	}
	for (char *line; (line = str_next_line(&copy));) {
		r = events_parse_line(&f, line, &is_format);
		if (r < 0)
			return r;
	}
	if (!is_format)
		return -EINVAL;
	*ret_format = TAKE_STRUCT(f, { 0 });
	return 0;
}

int event_layout_read(int tracefs, const char *system, const char *name,
		      struct event_layout *ret_format, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char path[512];
	int r;

	if ((size_t)snprintf(path, sizeof(path), "events/%s/%s/format", system, name) >=
	    sizeof(path))
		return err_set(err, -ENAMETOOLONG, "event name '%s:%s' is too long", system, name);
	r = file_read(tracefs, path, &buf);
	if (r == 0)
		r = event_layout_parse(strbuf_str(&buf), ret_format);
	if (r == -ENOMEM)
		return err_nomem(err);
	return r < 0 ? err_set_errno(err, r, "cannot read the format of '%s:%s'", system, name) : 0;
}

void event_layout_done(struct event_layout *format)
{
	arena_done(&format->arena);
	*format = (struct event_layout){ 0 };
}
