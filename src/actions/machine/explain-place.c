/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/machine/explain-place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "actions/machine/explain-read.h"
#include "base/cleanup.h"
#include "base/files/caller.h"
#include "base/mem.h"

#define SOURCE_SIZE_MAX (16 << 20)

/* Root ignores files that other users can change; reported once for each file. */
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

int explain_place_open(struct explanation *e, const char *path, off_t *ret_size)
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

int explain_note_failure(struct explanation *e, int r, const struct fathom_err *err)
{
	if (r >= 0)
		return 0;
	e->notes = r == -ENOMEM ? NULL : arena_printf(&e->arena, "%s%s\n", e->notes, err->message);
	return e->notes ? 0 : -ENOMEM;
}

int explain_place_add(struct explanation *e, const char *path, unsigned line, const struct tag *tag,
		      const char *by)
{
	struct explained_source source = { .file = path, .line = line, .by = by };
	struct fathom_err err = { 0 };
	_cleanup_close_ int fd = -1;
	off_t size = 0;
	int r = 0;

	if (!path ||
	    mem_reserve(&e->sources, &e->cap_sources, e->n_sources + 1, sizeof(*e->sources)) < 0)
		return -ENOMEM;
	fd = explain_place_open(e, path, &size);
	if (fd == -ENOMEM)
		return fd;
	if (fd >= 0 && size <= SOURCE_SIZE_MAX) {
		source.is_readable = true;
		r = explain_read_lines(fd, path, tag, &source.line, &e->arena, &source.text, &err);
	}
	e->sources[e->n_sources++] = source;
	return explain_note_failure(e, r, &err);
}

int explain_add_source(struct explanation *e, const char *file, unsigned line, const char *by)
{
	return explain_place_add(e, arena_strdup(&e->arena, file), line, NULL, by);
}
