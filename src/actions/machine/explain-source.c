/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the source location of a name: in a tags file, or else as a link. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "actions/machine/explain-find.h"
#include "actions/machine/explain-place.h"
#include "actions/machine/explain-read.h"
#include "base/cleanup.h"

#define TAGS_MAX 8
/* An index of all kernel versions. */
#define LINK_FORMAT "https://elixir.bootlin.com/linux/v%s/A/ident/%.*s"

static int add_tag(struct explanation *e, const struct tag *tag, const char *dir, const char *by)
{
	return explain_place_add(e,
				 tag->file[0] == '/' || !*dir ?
					 arena_strdup(&e->arena, tag->file) :
					 arena_printf(&e->arena, "%s/%s", dir, tag->file),
				 tag->line, tag, by);
}

/* Returns 1 if the file exists. */
static int read_tags(struct explanation *e, const char *dir, const char *name)
{
	struct fathom_err err = { 0 };
	struct tag found[TAGS_MAX];
	char *path = arena_printf(&e->arena, "%s%stags", dir, *dir ? "/" : "");
	off_t size;
	_cleanup_close_ int fd = path ? explain_place_open(e, path, &size) : -ENOMEM;
	int n;

	if (fd < 0)
		return fd == -EPERM ? 1 : fd == -ENOENT ? 0 : fd;
	n = explain_read_tags(fd, path, name, found, TAGS_MAX, &err);
	if (n < 0)
		return explain_note_failure(e, n, &err) < 0 ? -ENOMEM : 1;
	for (int i = 0; i < n; i++) {
		/* If there are definitions, declarations add nothing. */
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
	/* Takes a second; tags suffice unless the file was given explicitly. */
	if ((!e->n_sources || query->vmlinux) && !query->plain && explain_find_lines(query, e) < 0)
		return -ENOMEM;
	if (!r && query->source && !e->n_sources) {
		e->notes = arena_printf(
			&e->arena,
			"%sno file 'tags' in '%s'; 'make tags' or 'ctags -R' makes one\n", e->notes,
			query->source);
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
