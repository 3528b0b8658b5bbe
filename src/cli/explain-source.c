/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a name is in the source: a tags file, or else a place where it can be read. */
#include "cli/explain-find.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "symbols/tags.h"

#define TAGS_MAX	8
#define LINES_MAX	6
#define SOURCE_SIZE_MAX (16 << 20)
/* An index of all versions; any other of them can be chosen there. */
#define LINK_FORMAT "https://elixir.bootlin.com/linux/v%s/A/ident/%.*s"

struct mapping {
	char *text;
	size_t size;
};

static void mapping_done(struct mapping *mapping)
{
	if (mapping->text)
		munmap(mapping->text, mapping->size);
}

/* For root, what others can change is as if it were not there; that is said once for each file. */
static int note_distrust(struct explanation *e, const char *path)
{
	const char *note = arena_printf(
		&e->arena,
		"'%s' is not used: a user other than root and you can change it or its directory\n",
		path);

	if (note && strstr(e->notes, note))
		return 0;
	e->distrusted = note;
	e->notes = note ? arena_printf(&e->arena, "%s%s", e->notes, note) : NULL;
	return e->notes ? 0 : -ENOMEM;
}

/* The files of tags of a kernel are large. 1; 0: there is none; -EPERM: it is not used; or -ENOMEM. */
static int map_file(struct explanation *e, const char *path, struct mapping *ret_mapping)
{
	_cleanup_close_ int fd = caller_open(path);
	struct stat st;
	void *text;

	if (fd == -EPERM)
		return note_distrust(e, path) < 0 ? -ENOMEM : -EPERM;
	if (fd < 0 || fstat(fd, &st) < 0 || !st.st_size)
		return 0;
	text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return 0;
	*ret_mapping = (struct mapping){ text, (size_t)st.st_size };
	return 1;
}

/* The line and those behind it, up to where the body begins. */
static const char *first_lines(struct arena *arena, const char *text, size_t size, unsigned line)
{
	const char *p = text, *end = text + size, *last;

	for (unsigned n = 1; n < line && p < end; n++) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : end;
	}
	last = p;
	for (int n = 0; n < LINES_MAX && last < end; n++) {
		const char *eol = memchr(last, '\n', (size_t)(end - last)) ?: end;
		bool is_over = memchr(last, '{', (size_t)(eol - last)) ||
			       memchr(last, ';', (size_t)(eol - last));

		last = eol < end ? eol + 1 : end;
		if (is_over)
			break;
	}
	return p < last ? arena_strndup(arena, p, (size_t)(last - p)) : NULL;
}

/* At the line, or with @tag at the one that it means. */
static int add_source(struct explanation *e, const char *path, unsigned line, const struct tag *tag,
		      const char *by)
{
	_cleanup_(mapping_done) struct mapping file = { 0 };
	struct explained_source source = { .file = path, .line = line, .by = by };
	int r;

	if (!path ||
	    mem_reserve(&e->sources, &e->cap_sources, e->n_sources + 1, sizeof(*e->sources)) < 0)
		return -ENOMEM;
	r = map_file(e, path, &file);
	if (r == -ENOMEM)
		return r;
	if (r > 0 && file.size <= SOURCE_SIZE_MAX) {
		source.is_readable = true;
		if (tag)
			source.line = tag_line(tag, file.text, file.size);
		if (source.line)
			source.text = first_lines(&e->arena, file.text, file.size, source.line);
	}
	e->sources[e->n_sources++] = source;
	return 0;
}

int explain_add_source(struct explanation *e, const char *file, unsigned line, const char *by)
{
	return add_source(e, arena_strdup(&e->arena, file), line, NULL, by);
}

static int add_tag(struct explanation *e, const struct tag *tag, const char *dir, const char *by)
{
	return add_source(e,
			  tag->file[0] == '/' || !*dir ?
				  arena_strdup(&e->arena, tag->file) :
				  arena_printf(&e->arena, "%s/%s", dir, tag->file),
			  tag->line, tag, by);
}

/* 1: the file is there. */
static int read_tags(struct explanation *e, const char *dir, const char *name)
{
	_cleanup_(mapping_done) struct mapping tags = { 0 };
	struct tag found[TAGS_MAX];
	char *path = arena_printf(&e->arena, "%s%stags", dir, *dir ? "/" : "");
	int r = path ? map_file(e, path, &tags) : -ENOMEM;
	size_t n;

	if (r <= 0)
		return r == -EPERM ? 1 : r;
	n = tags_find(tags.text, tags.size, name, found, TAGS_MAX);
	for (size_t i = 0; i < n; i++) {
		/* Where there are functions, declarations say nothing more. */
		if (found[0].kind == 'f' && found[i].kind != 'f')
			break;
		if (add_tag(e, &found[i], dir, path) < 0)
			return -ENOMEM;
	}
	return 1;
}

int explain_find_source(const struct explain_query *query, const char *name, struct explanation *e)
{
	char version[32], base[256];
	size_t len = strcspn(name, ".");
	int r;

	snprintf(base, sizeof(base), "%.*s", (int)len, name);
	r = read_tags(e, query->source ?: "", base);
	if (r < 0)
		return r;
	/* It takes a second; tags tell as much, where the file was not asked for. */
	if ((!e->n_sources || query->vmlinux) && !query->plain && explain_find_lines(query, e) < 0)
		return -ENOMEM;
	if (!r && query->source && !e->n_sources) {
		e->notes = arena_printf(&e->arena,
					"%sthere is no file 'tags' in '%s'; 'make tags' or 'ctags "
					"-R' makes one\n",
					e->notes, query->source);
		if (!e->notes)
			return -ENOMEM;
	}
	for (size_t i = 0; i < e->n_sources; i++)
		if (e->sources[i].is_readable)
			return 0;
	if (!source_version(query->release, query->version, version, sizeof(version)))
		return 0;
	e->link = arena_printf(&e->arena, LINK_FORMAT, version, (int)strlen(base), base);
	return e->link ? 0 : -ENOMEM;
}
