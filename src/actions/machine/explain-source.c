/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a name is in the source: a tags file, or else a place where it can be read. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "actions/machine/explain-find.h"
#include "actions/machine/explain-read.h"
#include "base/cleanup.h"
#include "base/files/caller.h"
#include "base/mem.h"

#define TAGS_MAX	8
#define SOURCE_SIZE_MAX (16 << 20)
/* An index of all versions; any other of them can be chosen there. */
#define LINK_FORMAT "https://elixir.bootlin.com/linux/v%s/A/ident/%.*s"

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

/* A descriptor; -ENOENT: there is no such file, or it is empty; -EPERM: it is not used; or -ENOMEM. */
static int explain_source_open_file(struct explanation *e, const char *path, off_t *ret_size)
{
	_cleanup_close_ int fd = caller_open(path);
	struct stat st;

	if (fd == -EPERM)
		return note_distrust(e, path) < 0 ? -ENOMEM : -EPERM;
	if (fd < 0 || fstat(fd, &st) < 0 || !st.st_size)
		return -ENOENT;
	*ret_size = st.st_size;
	return TAKE_FD(fd);
}

/* What could not be read is missing, and the reason is said. */
static int note_failure(struct explanation *e, int r, const struct fathom_err *err)
{
	if (r >= 0)
		return 0;
	e->notes = r == -ENOMEM ? NULL : arena_printf(&e->arena, "%s%s\n", e->notes, err->message);
	return e->notes ? 0 : -ENOMEM;
}

/* At the line, or with @tag at the one that it means. */
static int explain_source_add(struct explanation *e, const char *path, unsigned line,
			      const struct tag *tag, const char *by)
{
	struct explained_source source = { .file = path, .line = line, .by = by };
	struct fathom_err err = { 0 };
	_cleanup_close_ int fd = -1;
	off_t size = 0;
	int r = 0;

	if (!path ||
	    mem_reserve(&e->sources, &e->cap_sources, e->n_sources + 1, sizeof(*e->sources)) < 0)
		return -ENOMEM;
	fd = explain_source_open_file(e, path, &size);
	if (fd == -ENOMEM)
		return fd;
	if (fd >= 0 && size <= SOURCE_SIZE_MAX) {
		source.is_readable = true;
		r = explain_read_lines(fd, path, tag, &source.line, &e->arena, &source.text, &err);
	}
	e->sources[e->n_sources++] = source;
	return note_failure(e, r, &err);
}

int explain_add_source(struct explanation *e, const char *file, unsigned line, const char *by)
{
	return explain_source_add(e, arena_strdup(&e->arena, file), line, NULL, by);
}

static int add_tag(struct explanation *e, const struct tag *tag, const char *dir, const char *by)
{
	return explain_source_add(e,
				  tag->file[0] == '/' || !*dir ?
					  arena_strdup(&e->arena, tag->file) :
					  arena_printf(&e->arena, "%s/%s", dir, tag->file),
				  tag->line, tag, by);
}

/* 1: the file is there. */
static int read_tags(struct explanation *e, const char *dir, const char *name)
{
	struct fathom_err err = { 0 };
	struct tag found[TAGS_MAX];
	char *path = arena_printf(&e->arena, "%s%stags", dir, *dir ? "/" : "");
	off_t size;
	_cleanup_close_ int fd = path ? explain_source_open_file(e, path, &size) : -ENOMEM;
	int n;

	if (fd < 0)
		return fd == -EPERM ? 1 : fd == -ENOENT ? 0 : fd;
	n = explain_read_tags(fd, path, name, found, TAGS_MAX, &err);
	if (n < 0)
		return note_failure(e, n, &err) < 0 ? -ENOMEM : 1;
	for (int i = 0; i < n; i++) {
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
