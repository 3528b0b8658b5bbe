/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Source lines of user addresses. Each is requested once, from another process. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "symbols/elf/elf-debug-file.h"
#include "symbols/user/user-symbols-parts.h"

#define ANSWER_MAX 16384

/* The lines of an address in a file. */
struct user_line_entry {
	uint32_t file; /* 0: not requested yet */
	bool is_unread; /* debug information could not be read */
	uint64_t address;
	const struct source_frame *frames;
	size_t n;
};

/*
 * Finds the file with debug information: the file itself, or its debug file. *@ret_fd is a
 * descriptor to close, if any.
 */
static int open_debug(struct user_symbols *symbols, struct user_file *file,
		      struct elf_source *ret_source, int *ret_fd)
{
	const struct elf_source *copy = user_file_copy(symbols, file);
	const struct elf_opener *opener = &symbols->opener;
	_cleanup_close_ int fd = -1, debug = -1;
	struct elf_source source;

	if (copy) {
		source = *copy;
	} else {
		fd = opener->open ? opener->open(opener->data, file->opened ?: file->path) :
				    -ENOENT;
		if (fd < 0 || elf_source_fd(fd, &source) < 0)
			return -ENOENT;
	}
	if (!elf_file_named(&file->elf, ".debug_info")) {
		if (!opener->open)
			return -ENOENT;
		file->elf.source = source;
		debug = elf_debug_file_open(&file->elf, file->path, opener);
		file->elf.source = (struct elf_source){ .fd = -1 };
		if (debug < 0 || elf_source_fd(debug, &source) < 0)
			return -ENOENT;
	}
	/* Only descriptors can be passed on, not memory. */
	if (source.bytes)
		return -ENOENT;
	*ret_source = source;
	*ret_fd = debug >= 0 ? TAKE_FD(debug) : TAKE_FD(fd);
	return 0;
}

/* Returns the next string of an answer; NULL: it is invalid. */
static const char *user_lines_take_text(const char **p, const char *end)
{
	const char *text = *p, *nul = memchr(text, '\0', (size_t)(end - text));

	if (!nul)
		return NULL;
	*p = nul + 1;
	return text;
}

static const char *user_lines_keep(struct user_symbols *symbols, const char *text)
{
	const char *copy = *text ? arena_strdup(&symbols->arena, text) : NULL;

	if (*text && !copy)
		symbols->nomem = true;
	return copy;
}

/* The answer comes from a process that parses untrusted files: validate everything. */
static void read_answer(struct user_symbols *symbols, struct user_line_entry *entry,
			const char *answer, size_t len)
{
	const char *p = answer + 1, *end = answer + len;
	struct source_frame *frames;
	size_t n = (unsigned char)answer[0];

	if (n > SOURCE_FRAMES_MAX)
		return;
	frames = arena_zalloc(&symbols->arena, n ?: 1, sizeof(*frames));
	if (!frames) {
		symbols->nomem = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const char *function = user_lines_take_text(&p, end);
		const char *file = function ? user_lines_take_text(&p, end) : NULL;

		if (!file || (size_t)(end - p) < sizeof(frames[i].line))
			return;
		memcpy(&frames[i].line, p, sizeof(frames[i].line));
		p += sizeof(frames[i].line);
		frames[i].file = user_lines_keep(symbols, file);
		frames[i].function = user_lines_keep(symbols, function);
		if (frames[i].function)
			frames[i].function = user_symbols_readable(symbols, frames[i].function);
	}
	entry->frames = frames;
	entry->n = n;
}

/* Requests a line with the file attached. Returns 0 or a negative errno. */
static int ask_first(struct user_symbols *symbols, struct user_file *file,
		     struct user_line_question *question, char *answer, size_t *ret_len)
{
	const struct user_line_asker *asker = &symbols->line_asker;
	struct elf_source source;
	_cleanup_close_ int fd = -1;

	file->debug_asked = true;
	file->has_debug = open_debug(symbols, file, &source, &fd) == 0;
	if (!file->has_debug)
		return -ENOENT;
	question->source = &source;
	return asker->ask(asker->data, &file->debug, question, answer, ANSWER_MAX, ret_len);
}

static int ask_any(struct user_symbols *symbols, struct user_file *file,
		   struct user_line_question *question, char *answer, size_t *ret_len)
{
	const struct user_line_asker *asker = &symbols->line_asker;
	int r = -ESTALE;

	if (file->is_unread)
		return -EIO;
	if (file->debug_asked && !file->has_debug)
		return -ENOENT;
	if (file->debug_asked)
		r = asker->ask(asker->data, &file->debug, question, answer, ANSWER_MAX, ret_len);
	/* The reader is replaced only a limited number of times, so this terminates. */
	while (r == -ESTALE)
		r = ask_first(symbols, file, question, answer, ret_len);
	return r;
}

static void user_lines_ask(struct user_symbols *symbols, struct user_line_entry *entry)
{
	struct user_file *file = &symbols->files[entry->file - 1];
	struct user_line_question question = { .address = entry->address, .path = file->path };
	char answer[ANSWER_MAX];
	size_t len;

	if (ask_any(symbols, file, &question, answer, &len) == 0)
		read_answer(symbols, entry, answer, len);
	else if (file->has_debug)
		entry->is_unread = file->is_unread = true;
}

size_t user_symbols_lines(struct user_symbols *symbols, const struct user_symbol *symbol,
			  const struct source_frame **ret_frames)
{
	uint64_t key = symbol->address ^ (uint64_t)symbol->file << 48;
	struct user_line_entry *entry;

	*ret_frames = NULL;
	if (!symbol->file || !symbols->line_asker.ask)
		return 0;
	for (;; key++) {
		entry = u64_map_element(&symbols->line_keys, key, &symbols->lines,
					&symbols->n_lines, &symbols->cap_lines, sizeof(*entry));
		if (!entry) {
			symbols->nomem = true;
			return 0;
		}
		if (!entry->file) {
			entry->file = symbol->file;
			entry->address = symbol->address;
			user_lines_ask(symbols, entry);
		}
		if (entry->file == symbol->file && entry->address == symbol->address)
			break;
	}
	if (entry->n)
		symbols->with_line++;
	else
		symbols->without_line++;
	symbols->unread_line += entry->is_unread;
	*ret_frames = entry->frames;
	return entry->n;
}
