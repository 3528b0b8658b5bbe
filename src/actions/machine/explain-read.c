/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/machine/explain-read.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/negative-errno.h"
#include "process/confined-call.h"

#define LINES_MAX 6
/* Maximum number of lines shown. */
#define TEXT_MAX 8192

/* In the confined process: the file, mapped until the process exits. */
struct mapping {
	const char *text;
	size_t size;
};

static int map_file(const char *path, struct mapping *ret_mapping)
{
	_cleanup_close_ int fd = confined_open(path);
	struct stat st;
	void *text;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return negative_errno();
	if (!st.st_size)
		return -ENODATA;
	text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return negative_errno();
	*ret_mapping = (struct mapping){ text, (size_t)st.st_size };
	return 0;
}

/* A tag, as sent. */
struct tag_message {
	char file[TAG_FILE_SIZE], pattern[TAG_PATTERN_SIZE];
	uint32_t line;
	char kind;
	uint8_t to_end;
};

struct tags_search {
	const char *path, *name;
	struct tag *tags;
	size_t n, max;
};

static int send_tag(const struct tag *tag)
{
	struct tag_message message = { .line = tag->line,
				       .kind = tag->kind,
				       .to_end = tag->to_end };

	memcpy(message.file, tag->file, sizeof(message.file));
	memcpy(message.pattern, tag->pattern, sizeof(message.pattern));
	return confined_send(&message, sizeof(message));
}

static int find_tags(void *data, struct fathom_err *err)
{
	const struct tags_search *search = data;
	struct mapping tags;
	int r = map_file(search->path, &tags);
	size_t n;

	if (r < 0)
		return r == -ENODATA ? 0 : err_set_errno(err, r, "cannot read '%s'", search->path);
	n = tags_find(tags.text, tags.size, search->name, search->tags, search->max);
	for (size_t i = 0; i < n && r == 0; i++)
		r = send_tag(&search->tags[i]);
	return r;
}

static int take_tag(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	struct tags_search *search = data;
	struct tag_message message;
	struct tag *tag = &search->tags[search->n];

	if (search->n == search->max || len != sizeof(message))
		return err_set(err, -EPROTO, "cannot read '%s'", search->path);
	memcpy(&message, bytes, sizeof(message));
	message.file[sizeof(message.file) - 1] = '\0';
	message.pattern[sizeof(message.pattern) - 1] = '\0';
	*tag = (struct tag){ .line = message.line,
			     .kind = message.kind,
			     .to_end = message.to_end != 0 };
	memcpy(tag->file, message.file, sizeof(tag->file));
	memcpy(tag->pattern, message.pattern, sizeof(tag->pattern));
	search->n++;
	return 0;
}

int explain_read_tags(int fd, const char *path, const char *name, struct tag *ret_tags, size_t max,
		      struct fathom_err *err)
{
	const struct confined_file file = { path, fd };
	struct tags_search search = { path, name, ret_tags, 0, max };
	int r = confined_call(&(struct confined_call){ .work = find_tags,
						       .take = take_tag,
						       .data = &search,
						       .subject = path,
						       .files = &file,
						       .n_files = 1 },
			      err);

	return r < 0 ? r : (int)search.n;
}

struct lines_search {
	const char *path;
	const struct tag *tag;
	unsigned line;
	struct arena *arena;
	const char *text;
};

/*
 * Returns the number of bytes of the line and those after it, up to the start of the body, and
 * their offset in *@ret_start.
 */
static size_t first_lines(const struct mapping *source, unsigned line, const char **ret_start)
{
	const char *p = source->text, *end = p + source->size, *last;

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
	*ret_start = p;
	return (size_t)(last - p) < TEXT_MAX ? (size_t)(last - p) : TEXT_MAX;
}

/* Sends the line number and the lines. */
static int find_lines(void *data, struct fathom_err *err)
{
	const struct lines_search *search = data;
	char message[sizeof(uint32_t) + TEXT_MAX];
	struct mapping source;
	const char *start;
	uint32_t line;
	size_t len = 0;
	int r = map_file(search->path, &source);

	if (r < 0)
		return r == -ENODATA ? 0 : err_set_errno(err, r, "cannot read '%s'", search->path);
	line = search->tag ? tag_line(search->tag, source.text, source.size) : search->line;
	memcpy(message, &line, sizeof(line));
	if (line) {
		len = first_lines(&source, line, &start);
		memcpy(message + sizeof(line), start, len);
	}
	return confined_send(message, sizeof(line) + len);
}

static int take_lines(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	struct lines_search *search = data;
	uint32_t line;

	if (len < sizeof(line) || search->text)
		return err_set(err, -EPROTO, "cannot read '%s'", search->path);
	memcpy(&line, bytes, sizeof(line));
	search->line = line;
	if (len == sizeof(line))
		return 0;
	search->text = arena_strndup(search->arena, bytes + sizeof(line), len - sizeof(line));
	return search->text ? 0 : err_nomem(err);
}

int explain_read_lines(int fd, const char *path, const struct tag *tag, unsigned *line,
		       struct arena *arena, const char **ret_text, struct fathom_err *err)
{
	const struct confined_file file = { path, fd };
	struct lines_search search = { path, tag, *line, arena, NULL };
	int r = confined_call(&(struct confined_call){ .work = find_lines,
						       .take = take_lines,
						       .data = &search,
						       .subject = path,
						       .files = &file,
						       .n_files = 1 },
			      err);

	if (r < 0)
		return r;
	*line = search.line;
	*ret_text = search.text;
	return 0;
}
