/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/viewer/viewer-serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "actions/machine/explain-find.h"
#include "base/cleanup.h"
#include "base/files/caller.h"
#include "base/files/file.h"
#include "base/quote.h"
#include "base/str.h"
#include "actions/viewer/editor.h"
#include "actions/viewer/viewer-export.h"
#include "actions/viewer/viewer-state.h"

/* Number of lines shown of a function; the editor shows longer ones. */
#define LINES_MAX 600
#define TAB	  8

/* Accepts names of functions, and nothing with a special meaning to another program. */
static bool viewer_serve_is_name(const char *name)
{
	return *name && strlen(name) < 256 &&
	       name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				 "0123456789_.$")] == '\0';
}

static int viewer_serve_find(const struct viewer_server *server, const char *name,
			     struct utsname *uts, struct explanation *e, struct fathom_err *err)
{
	struct explain_query query = { .root = "",
				       .name = name,
				       .source = server->source,
				       .release = uts->release,
				       .version = uts->version,
				       .plain = true };

	uname(uts);
	return explain_find(&query, e, err);
}

/* Returns the first location that can be opened; NULL: none. */
static const struct explained_source *readable_source(const struct explanation *e)
{
	for (size_t i = 0; i < e->n_sources; i++)
		if (e->sources[i].is_readable && e->sources[i].line)
			return &e->sources[i];
	return NULL;
}

static void viewer_serve_put_line(const char *line, unsigned number, struct strbuf *buf)
{
	size_t col = 0;

	strbuf_addf(buf, "%6u  ", number);
	for (const char *p = line; *p && *p != '\n'; p++) {
		size_t n = *p == '\t' ? TAB - col % TAB : 1;

		if (*p == '\t')
			strbuf_pad(buf, ' ', n);
		else
			strbuf_addc(buf, *p);
		col += n;
	}
	strbuf_addc(buf, '\n');
}

/* Returns the lines of a function, up to the closing brace. */
static void put_body(const struct explained_source *source, struct strbuf *buf)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	_cleanup_close_ int fd = caller_open(source->file);
	const char *line;
	bool over = false;
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (fd < 0 || file_read(AT_FDCWD, link, &file) < 0)
		return;
	strbuf_addc(buf, '\n');
	line = strbuf_str(&file);
	for (unsigned n = 1; *line && !over && n < source->line + LINES_MAX; n++) {
		size_t len = strcspn(line, "\n");

		if (n >= source->line) {
			viewer_serve_put_line(line, n, buf);
			over = line[0] == '}' ||
			       (n == source->line && memchr(line, ';', len) != NULL);
		}
		line += len + (line[len] == '\n');
	}
}

static ssize_t viewer_serve_on_write(void *buf, const char *text, size_t size)
{
	strbuf_add(buf, text, size);
	return (ssize_t)size;
}

static int viewer_serve_explain(const struct viewer_server *server, const char *name,
				struct strbuf *answer)
{
	_cleanup_(explanation_done) struct explanation e = { .notes = "" };
	const struct explained_source *source;
	struct fathom_err err = { 0 };
	struct utsname uts = { 0 };
	struct out out;
	FILE *stream;
	int r = viewer_serve_find(server, name, &uts, &e, &err);

	if (r < 0 && !e.n_sources) {
		quote_addf(answer, "%s\n%s\n%s%s\n", name, err.message, e.link ? " " : "",
			   e.link ?: "");
		/* Has several lines. */
		if (e.notes)
			strbuf_add(answer, e.notes, strlen(e.notes));
		return 0;
	}
	stream =
		fopencookie(answer, "w", (cookie_io_functions_t){ .write = viewer_serve_on_write });
	if (!stream)
		return -ENOMEM;
	out_init(&out, stream, OUT_COLOR_NEVER);
	r = explain_print(&e, &out);
	fclose(stream);
	if (r < 0)
		return r;
	source = readable_source(&e);
	if (source)
		put_body(source, answer);
	return 0;
}

static int viewer_serve_edit(const struct viewer_server *server, const char *name,
			     struct strbuf *answer)
{
	_cleanup_(explanation_done) struct explanation e = { .notes = "" };
	const struct explained_source *source;
	struct fathom_err err = { 0 };
	struct utsname uts = { 0 };

	if (viewer_serve_find(server, name, &uts, &e, &err) == -ENOMEM)
		return -ENOMEM;
	source = readable_source(&e);
	if (source)
		return editor_run(source->file, source->line, answer);
	if (e.distrusted)
		strbuf_add(answer, e.distrusted, strcspn(e.distrusted, "\n"));
	else
		quote_addf(answer,
			   "no source for '%s': use --source DIR, a directory with a file 'tags'",
			   name);
	return -ENOENT;
}

int viewer_serve(void *data, const char *request, struct strbuf *answer)
{
	const struct viewer_server *server = data;
	const char *name;

	name = str_after(request, "explain ");
	if (name && viewer_serve_is_name(name))
		return viewer_serve_explain(server, name, answer);
	name = str_after(request, "edit ");
	if (name && viewer_serve_is_name(name))
		return viewer_serve_edit(server, name, answer);
	name = str_after(request, "export ");
	if (name)
		return viewer_export(server->trace, name, answer);
	if (str_eq(request, "load"))
		return viewer_state_load(server->trace, answer);
	if (str_after(request, "save "))
		return viewer_state_save(server->trace, str_after(request, "save "));
	strbuf_adds(answer, "internal error: unknown request");
	return -EINVAL;
}
