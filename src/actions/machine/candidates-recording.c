/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/machine/candidates.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fathom/trace.h>

#include "actions/input/trace-input.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "base/u64-map.h"
#include "process/confined-call.h"

/* Beyond this, further tasks are not offered. */
#define NAMES_MAX 20000

struct recording_search {
	const char *path;
	enum candidate_kind kind;
	const char *prefix;
	void (*put)(void *data, const char *name, const char *note);
	void *data;
	size_t n;
	struct u64_map seen; /* hashes of names: tasks can share one */
};

/* A shell would have to quote other names. */
static bool is_shell_word(const char *s)
{
	return *s && *s != '-' &&
	       s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			   "_-./:+@%,")] == '\0';
}

/* Two names with the same hash are not worth an error: one of them is not offered. */
static bool is_new_name(struct recording_search *search, const char *name)
{
	uint32_t n = search->seen.n;

	u64_map_put(&search->seen, hash_bytes(name, strlen(name), hash_seed()));
	return search->seen.n > n;
}

/* In the confined process: sends "NAME<tab>NOTE" lines, several at once. */
static int recording_send(struct strbuf *lines, const char *name, const char *note)
{
	int r = 0;

	if (!is_shell_word(name))
		return 0;
	if (lines->len > CONFINED_MESSAGE_MAX / 2) {
		r = lines->err ? -ENOMEM : confined_send(lines->s, lines->len);
		strbuf_done(lines);
	}
	quote_addf(lines, "%s\t%s\n", name, note);
	return r;
}

/* The lines of saved_cmdlines: "PID COMM". */
static int recording_send_tasks(struct fathom_trace *trace, struct recording_search *search,
				struct strbuf *lines, struct fathom_err *err)
{
	const char *bytes;
	size_t size;
	_cleanup_free_ char *text = NULL;
	char *rest;
	int r = fathom_trace_section(trace, FATHOM_SECTION_CMDLINES, &bytes, &size, err);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	text = mem_strndup(bytes, size);
	rest = text;
	for (char *line; r == 0 && rest && (line = str_next_line(&rest));) {
		char *comm = strchr(line, ' ');

		if (!comm || !isdigit((unsigned char)*line))
			continue;
		*comm++ = '\0';
		if (search->kind != CANDIDATE_RECORDED_PID && str_after(comm, search->prefix) &&
		    is_new_name(search, comm))
			r = recording_send(lines, comm, "");
		/* Without a prefix, PIDs would double the list. */
		if (r == 0 && str_after(line, search->prefix) &&
		    (search->kind == CANDIDATE_RECORDED_PID ||
		     (search->kind == CANDIDATE_RECORDED_TASK && *search->prefix)))
			r = recording_send(lines, line, comm);
	}
	return text ? r : -ENOMEM;
}

static int recording_send_buffers(struct fathom_trace *trace, struct strbuf *lines)
{
	struct fathom_trace_buffer buffer;
	int r = 0;

	for (size_t i = 0; r == 0 && fathom_trace_buffer(trace, i, &buffer) == 0; i++)
		r = recording_send(lines, *buffer.name ? buffer.name : "top", "");
	return r;
}

static int recording_work(void *data, struct fathom_err *err)
{
	struct recording_search *search = data;
	_cleanup_strbuf_ struct strbuf lines = { 0 };
	struct fathom_trace *trace;
	int fd = confined_open(search->path);
	int r = fd < 0 ? fd : trace_input_read(fd, search->path, FATHOM_OPEN_NO_MAP, &trace, err);

	if (r < 0)
		return r;
	if (search->kind == CANDIDATE_RECORDED_BUFFER)
		r = recording_send_buffers(trace, &lines);
	else
		r = recording_send_tasks(trace, search, &lines, err);
	u64_map_done(&search->seen);
	fathom_trace_free(trace);
	if (r == 0 && lines.err)
		r = -ENOMEM;
	return r == 0 && lines.len ? confined_send(lines.s, lines.len) : r;
}

/* Lines come from a process that parses an untrusted file: invalid ones are ignored. */
static int recording_take(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	struct recording_search *search = data;
	_cleanup_free_ char *text = mem_strndup(bytes, len);
	char *rest = text;

	for (char *line; rest && (line = str_next_line(&rest));) {
		char *note = strchr(line, '\t');

		if (!note || search->n >= NAMES_MAX)
			continue;
		*note++ = '\0';
		if (is_shell_word(line) && str_after(line, search->prefix)) {
			search->n++;
			search->put(search->data, line, note);
		}
	}
	return text ? 0 : -ENOMEM;
}

void candidates_list_recorded(const char *path, enum candidate_kind kind, const char *prefix,
			      void (*put)(void *data, const char *name, const char *note),
			      void *data)
{
	_cleanup_close_ int fd = trace_input_open(path, NULL);
	struct recording_search search = {
		.path = path, .kind = kind, .prefix = prefix, .put = put, .data = data
	};
	const struct confined_file file = { path, fd };
	const struct confined_call call = { .work = recording_work,
					    .take = recording_take,
					    .data = &search,
					    .subject = path,
					    .files = &file,
					    .n_files = 1 };

	/* What cannot be read has no names. */
	if (fd >= 0)
		(void)confined_call(&call, NULL);
}
