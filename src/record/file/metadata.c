/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/metadata.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "format/bytes.h"
#include "format/page/page.h"
#include "format/event/return-event.h"
#include "format/event/sample-event.h"
#include "format/file/trace-file.h"
#include "format/event/watch-event.h"
#include "record/file/enum-names.h"
#include "record/file/kernel-lists.h"

static int metadata_read_text(int dir, const char *path, struct strbuf *text,
			      struct fathom_err *err)
{
	int r = file_read(dir, path, text);

	return r < 0 ? err_set_errno(err, r, "cannot read '%s' in tracefs", path) : 0;
}

static int add_header(int dir, const char *path, const char *name, struct trace_encoder *body,
		      struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = metadata_read_text(dir, path, &text, err);

	trace_encode_string(body, name);
	trace_encode_text64(body, text.s, text.len);
	return r;
}

int metadata_page_size(int place, uint32_t *ret_size, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct page_layout layout;
	int r = metadata_read_text(place, "events/header_page", &text, err);

	if (r == 0)
		r = page_layout_parse(strbuf_str(&text), text.len, BYTES_HOST_BIG, &layout, err);
	if (r == 0)
		*ret_size = layout.size;
	return r;
}

/* Adds the formats of events that tracers create. */
static int add_ftrace_formats(int tracefs, struct trace_encoder *body, struct fathom_err *err)
{
	_cleanup_trace_encoder_ struct trace_encoder all = { .big_endian = BYTES_HOST_BIG };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;
	uint32_t n = 0;
	int r, fd = openat(tracefs, "events/ftrace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, negative_errno(), "cannot read 'events/ftrace'");
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return err_nomem(err);
	}
	while ((entry = readdir(dir))) {
		char path[300];

		snprintf(path, sizeof(path), "%s/format", entry->d_name);
		strbuf_clear(&text);
		if (entry->d_name[0] == '.')
			continue;
		r = file_read(fd, path, &text);
		if (r == -ENOMEM)
			return err_nomem(err);
		if (r < 0)
			continue;
		trace_encode_text64(&all, text.s, text.len);
		n++;
	}
	trace_encode_u32(body, n);
	trace_encode_bytes(body, all.out.s, all.out.len);
	return all.out.err || text.err ? err_nomem(err) : 0;
}

struct name_list {
	char **names; /* "SYSTEM:EVENT" */
	size_t n, cap;
	struct strbuf text; /* the names point into it */
};

static void name_list_done(struct name_list *list)
{
	free(list->names);
	strbuf_done(&list->text);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits list->text into lines, sorted and without duplicates. */
static int split_names(struct name_list *list)
{
	size_t kept = 0;

	for (char *line = list->text.s, *end; line && *line; line = end) {
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		if (!strchr(line, ':'))
			continue;
		if (mem_reserve(&list->names, &list->cap, list->n + 1, sizeof(char *)) < 0)
			return -ENOMEM;
		list->names[list->n++] = line;
	}
	if (list->n)
		qsort(list->names, list->n, sizeof(char *), by_name);
	for (size_t i = 0; i < list->n; i++)
		if (!kept || !str_eq(list->names[kept - 1], list->names[i]))
			list->names[kept++] = list->names[i];
	list->n = kept;
	return 0;
}

/* Returns whether events with this format print names of kernel functions. */
static bool prints_symbols(const char *format)
{
	for (const char *p = strstr(format, "%p"); p; p = strstr(p + 2, "%p"))
		if (p[2] && strchr("sSfFB", p[2]))
			return true;
	return strstr(format, "call_site") != NULL;
}

/* Adds the formats of one system, starting with names[0]. Returns how many names were used. */
static size_t add_system(const struct metadata_source *source, char **names, size_t n,
			 struct trace_encoder *body, struct metadata *m)
{
	size_t len = (size_t)(strchr(names[0], ':') - names[0]), used;
	_cleanup_trace_encoder_ struct trace_encoder all = { .big_endian = BYTES_HOST_BIG };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint32_t count = 0;
	int r;

	for (used = 0; used < n && strncmp(names[used], names[0], len + 1) == 0; used++) {
		char path[300];

		snprintf(path, sizeof(path), "events/%.*s/%s/format", (int)len, names[0],
			 names[used] + len + 1);
		strbuf_clear(&text);
		/* An event can disappear with its module at any time. */
		r = file_read(source->tracefs, path, &text);
		if (r == 0 && source->enums)
			r = enum_names_put(source->enums, names[used], &text);
		if (r == -ENOMEM)
			body->out.err = r;
		if (r < 0)
			continue;
		trace_encode_text64(&all, text.s, text.len);
		m->has_symbols |= prints_symbols(strbuf_str(&text));
		count++;
	}
	trace_encode_bytes(body, names[0], len);
	trace_encode_bytes(body, "", 1);
	trace_encode_u32(body, count);
	trace_encode_bytes(body, all.out.s, all.out.len);
	if (all.out.err)
		body->out.err = all.out.err;
	m->n_formats += count;
	return used;
}

/* Adds the formats of events that do not come from the kernel's rings, in a separate system. */
static uint32_t add_own(const struct metadata_source *source, struct trace_encoder *all)
{
	bool samples = source->flags & METADATA_SAMPLES, watch = source->flags & METADATA_WATCH;
	bool returns = source->flags & METADATA_RETURNS;

	if (!samples && !watch && !returns)
		return 0;
	trace_encode_string(all, SAMPLE_SYSTEM);
	trace_encode_u32(all, (uint32_t)samples + watch + returns);
	if (samples)
		trace_encode_text64(all, sample_format, strlen(sample_format));
	if (watch)
		trace_encode_text64(all, watch_event_format, strlen(watch_event_format));
	if (returns)
		trace_encode_text64(all, return_event_format, strlen(return_event_format));
	return 1;
}

static int add_event_formats(const struct metadata_source *source, struct metadata *m,
			     struct fathom_err *err)
{
	_cleanup_(name_list_done) struct name_list list = { 0 };
	_cleanup_trace_encoder_ struct trace_encoder all = { .big_endian = BYTES_HOST_BIG };
	uint32_t systems = 0;
	int r = 0;

	if (source->flags & METADATA_ALL_FORMATS)
		r = metadata_read_text(source->tracefs, "available_events", &list.text, err);
	for (size_t i = 0; i < source->n_places && r == 0; i++)
		r = metadata_read_text(source->places[i], "set_event", &list.text, err);
	if (r < 0)
		return r;
	if (split_names(&list) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < list.n; systems++)
		i += add_system(source, &list.names[i], list.n - i, &all, m);
	systems += add_own(source, &all);
	trace_encode_u32(&m->event_formats, systems);
	trace_encode_bytes(&m->event_formats, all.out.s, all.out.len);
	return all.out.err ? err_nomem(err) : 0;
}

int metadata_read_kallsyms(const char *root, struct trace_encoder *body, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_free_ char *path = mem_printf("%s/proc/kallsyms", root);
	int r;

	if (!path)
		return err_nomem(err);
	r = file_read(AT_FDCWD, path, &text);
	if (r < 0)
		return err_set_errno(err, r, "cannot read '%s'", path);
	trace_encode_text32(body, text.s, text.len);
	return 0;
}

static int add_kept_kallsyms(const struct session_env *env, struct trace_encoder *body,
			     struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = kernel_lists_symbols(env, true, &text);

	if (r < 0)
		return err_set_errno(err, r, "cannot read '/proc/kallsyms'");
	trace_encode_text32(body, text.s, text.len);
	return 0;
}

static int add_types(const char *root, struct trace_encoder *body, struct fathom_err *err)
{
	_cleanup_free_ char *path = mem_printf("%s/sys/kernel/btf/vmlinux", root);
	int r;

	if (!path)
		return err_nomem(err);
	r = file_read(AT_FDCWD, path, &body->out);
	return r == -ENOMEM ? err_nomem(err) : 0;
}

/* Kernels without printk() formats do not have this file. */
static int add_printk(int tracefs, struct trace_encoder *body, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = file_read(tracefs, "printk_formats", &text);

	trace_encode_text32(body, text.s, text.len);
	return r == -ENOMEM ? err_nomem(err) : 0;
}

static int metadata_read_parts(const struct metadata_source *source, struct metadata *m,
			       struct fathom_err *err)
{
	int place = source->n_places ? source->places[0] : source->tracefs, r;

	r = add_header(place, "events/header_page", "header_page", &m->header_info, err);
	if (r == 0)
		r = add_header(place, "events/header_event", "header_event", &m->header_info, err);
	if (r == 0)
		r = add_ftrace_formats(source->tracefs, &m->ftrace_events, err);
	if (r == 0)
		r = add_event_formats(source, m, err);
	if (r == 0)
		r = add_printk(source->tracefs, &m->printk, err);
	if (r < 0)
		return r;
	m->has_symbols |= (source->flags & METADATA_SYMBOLS) != 0;
	m->has_symbols &= !source->symbols;
	if (source->symbols)
		trace_encode_text32(&m->kallsyms, source->symbols, strlen(source->symbols));
	else if (m->has_symbols && source->env)
		r = add_kept_kallsyms(source->env, &m->kallsyms, err);
	else if (m->has_symbols)
		r = metadata_read_kallsyms(source->root, &m->kallsyms, err);
	else
		trace_encode_u32(&m->kallsyms, 0);
	if (r == 0 && (source->flags & METADATA_TYPES))
		r = add_types(source->root, &m->types, err);
	return r;
}

int metadata_read(const struct metadata_source *source, struct metadata *ret_metadata,
		  struct fathom_err *err)
{
	_cleanup_metadata_ struct metadata m = { 0 };
	struct trace_encoder *const all[] = { &m.header_info, &m.ftrace_events, &m.event_formats,
					      &m.kallsyms,    &m.printk,	&m.types };
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		all[i]->big_endian = BYTES_HOST_BIG;
	r = metadata_read_parts(source, &m, err);
	for (size_t i = 0; i < ARRAY_SIZE(all) && r == 0; i++)
		if (all[i]->out.err)
			r = err_nomem(err);
	if (r < 0)
		return r;
	*ret_metadata = TAKE_STRUCT(m, { 0 });
	return 0;
}

void metadata_done(struct metadata *metadata)
{
	trace_encoder_done(&metadata->header_info);
	trace_encoder_done(&metadata->ftrace_events);
	trace_encoder_done(&metadata->event_formats);
	trace_encoder_done(&metadata->kallsyms);
	trace_encoder_done(&metadata->printk);
	trace_encoder_done(&metadata->types);
}

size_t metadata_sections(const struct metadata *metadata, struct trace_out_section *sections)
{
	const struct {
		uint16_t id;
		const struct trace_encoder *body;
	} all[] = {
		{ TRACE_ID_HEADER_INFO, &metadata->header_info },
		{ TRACE_ID_FTRACE_EVENTS, &metadata->ftrace_events },
		{ TRACE_ID_EVENT_FORMATS, &metadata->event_formats },
		{ TRACE_ID_KALLSYMS, &metadata->kallsyms },
		{ TRACE_ID_PRINTK, &metadata->printk },
		{ TRACE_ID_BTF_FILE, &metadata->types },
	};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].body->out.len)
			sections[n++] = (struct trace_out_section){ all[i].id, all[i].body->out.s,
								    all[i].body->out.len };
	return n;
}
