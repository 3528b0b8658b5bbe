/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/names/line-helper.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/input/reading.h"
#include "base/cleanup.h"
#include "base/files/bus-guard.h"
#include "base/mem.h"
#include "base/quote.h"
#include "process/fd-message.h"
#include "symbols/dwarf/source-lines.h"

#define MEMORY_MAX  ((uint64_t)4 << 30)
#define SECONDS_MAX 300 /* of CPU time, in total */
#define WAIT_MS	    20000 /* per answer; the first one for a large file takes seconds */
#define ANSWER_MAX  16384

struct question {
	uint32_t file; /* 0, 1, 2, ... */
	uint32_t has_file; /* sent with the first question about it */
	uint64_t base, size; /* offset of the ELF file in it */
	uint64_t address;
};

/* In the helper. */
struct known_file {
	struct source_lines *lines; /* NULL: no debug information */
	struct guarded_file *guard; /* NULL: not open */
};

static void line_helper_open_file(struct known_file *known, int fd, const struct question *question)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = question->base / page * page;
	uint64_t lead = question->base - start;
	char *memory;

	if (fd < 0 || !question->size || question->size > SIZE_MAX - page)
		return;
	known->guard = mem_zalloc(1, sizeof(*known->guard));
	if (!known->guard)
		return;
	/* Private and writable: libdw may modify it. */
	memory = mmap(NULL, (size_t)(lead + question->size), PROT_READ | PROT_WRITE, MAP_PRIVATE,
		      fd, (off_t)start);
	if (memory == MAP_FAILED)
		return;
	known->guard->start = (const uint8_t *)memory;
	known->guard->size = (size_t)(lead + question->size);
	bus_guard_add(known->guard);
	if (source_lines_new(memory + lead, (size_t)question->size, &known->lines) < 0)
		known->lines = NULL;
}

/* Finds no frames in a file that was truncated after mapping: its contents cannot be trusted. */
static size_t find_frames(const struct known_file *known, uint64_t address,
			  struct source_frame *frames)
{
	size_t n = known->lines ? source_lines_find(known->lines, address, frames) : 0;

	return known->guard && known->guard->is_cut ? 0 : n;
}

/*
 * Writes "FUNCTION\0FILE\0" and 4 bytes for the line, for each frame; truncates if there is no
 * room.
 */
static size_t line_helper_put_frames(const struct source_frame *frames, size_t n, char *answer)
{
	size_t len = 1;

	answer[0] = (char)n;
	for (size_t i = 0; i < n; i++) {
		const char *texts[] = { frames[i].function ?: "", frames[i].file ?: "" };

		for (size_t k = 0; k < ARRAY_SIZE(texts); k++) {
			size_t room = ANSWER_MAX / SOURCE_FRAMES_MAX / 2 - 8;
			size_t size = strnlen(texts[k], room);

			memcpy(answer + len, texts[k], size);
			len += size;
			answer[len++] = '\0';
		}
		memcpy(answer + len, &frames[i].line, sizeof(frames[i].line));
		len += sizeof(frames[i].line);
	}
	return len;
}

static void line_helper_serve(int fd, void *data)
{
	static char answer[ANSWER_MAX];
	struct iovec part = { .iov_base = answer };
	struct known_file *files = NULL;
	size_t n_files = 0, cap = 0;
	struct source_frame frames[SOURCE_FRAMES_MAX];

	if (bus_guard_install() < 0)
		return;
	for (;;) {
		_cleanup_close_ int file = -1;
		struct question question;
		size_t n = 0;

		if (fd_message_receive(fd, &question, sizeof(question), 0, &file) !=
		    sizeof(question))
			return;
		if (question.has_file && question.file == n_files) {
			if (mem_reserve(&files, &cap, n_files + 1, sizeof(*files)) < 0)
				return;
			files[n_files] = (struct known_file){ 0 };
			line_helper_open_file(&files[n_files++], file, &question);
		}
		if (question.file < n_files)
			n = find_frames(&files[question.file], question.address, frames);
		part.iov_len = line_helper_put_frames(frames, n, answer);
		if (fd_message_send(fd, &part, 1, -1, 0) < 0)
			return;
	}
}

int line_helper_start(struct line_helper *helper, struct fathom_err *err)
{
	static const struct confined_limits limits = { .memory = MEMORY_MAX,
						       .seconds = SECONDS_MAX };

	*helper = (struct line_helper)LINE_HELPER_NONE;
	return confined_pool_start(&helper->pool, line_helper_serve, NULL, &limits, err);
}

static struct line_file identity_of(const struct elf_source *source)
{
	struct line_file file = { .base = source->base };
	struct stat st;

	if (fstat(source->fd, &st) == 0) {
		file.device = st.st_dev;
		file.inode = st.st_ino;
	}
	return file;
}

static bool line_helper_is_left_out(const struct line_helper *helper, const struct line_file *file)
{
	for (size_t i = 0; i < helper->n_failures; i++) {
		const struct line_file *other = &helper->failures[i].file;

		if (other->inode && other->inode == file->inode && other->device == file->device &&
		    other->base == file->base)
			return true;
	}
	return false;
}

/* @file and @path: the file being read, or NULL. @why: not NULL if the process is given up. */
static void line_helper_fail(struct line_helper *helper, const struct line_file *file,
			     const char *path, const char *why)
{
	struct line_failure *failure = &helper->failures[helper->n_failures++];

	if (file)
		failure->file = *file;
	failure->path = path ? mem_strdup(path) : NULL;
	confined_pool_fail(&helper->pool, why, failure->how);
	helper->first = helper->n_files;
	confined_pool_replace(&helper->pool);
}

/* Returns the number of bytes; 0: none, with a reason in @ret_why if the process took too long. */
static size_t line_helper_receive(int fd, char *answer, size_t size, const char **ret_why)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	_cleanup_close_ int none = -1;
	int r;

	do
		r = poll(&wait, 1, WAIT_MS);
	while (r < 0 && errno == EINTR);
	*ret_why = r == 0 ? "did not answer within 20 s" : NULL;
	return r > 0 ? fd_message_receive(fd, answer, size, 0, &none) : 0;
}

/* Returns the file number for a question; -ESTALE: the process does not have the file. */
static int64_t line_helper_number_of(struct line_helper *helper, uint32_t known,
				     const struct elf_source *source)
{
	struct line_file file;

	if (!source && known < helper->first)
		return -ESTALE;
	if (!source)
		return known;
	file = identity_of(source);
	if (line_helper_is_left_out(helper, &file))
		return -EIO;
	if (mem_reserve(&helper->files, &helper->cap_files, (size_t)helper->n_files + 1,
			sizeof(file)) < 0)
		return -ENOMEM;
	helper->files[helper->n_files] = file;
	return helper->n_files;
}

static int line_helper_ask(void *data, uint32_t *file, const struct user_line_question *question,
			   char *answer, size_t size, size_t *ret_len)
{
	struct line_helper *helper = data;
	const struct elf_source *source = question->source;
	int fd = helper->pool.current.fd, r;
	int64_t number = fd < 0 ? -EPIPE : line_helper_number_of(helper, *file, source);
	struct question message = { .file = (uint32_t)number - helper->first,
				    .has_file = source != NULL,
				    .base = source ? source->base : 0,
				    .size = source ? source->size : 0,
				    .address = question->address };
	const struct iovec part = { &message, sizeof(message) };
	const char *why;

	if (number < 0)
		return (int)number;
	if (source)
		reading_loads(question->path);
	r = fd_message_send(fd, &part, 1, source ? source->fd : -1, 0);
	if (r == -EPIPE || r == -ECONNRESET) {
		/* It had exited before this question: not the fault of this file. */
		line_helper_fail(helper, NULL, NULL, NULL);
		return -ESTALE;
	}
	if (r < 0)
		return r;
	*file = (uint32_t)number;
	helper->n_files += source != NULL;
	*ret_len = line_helper_receive(fd, answer, size, &why);
	if (*ret_len)
		return 0;
	line_helper_fail(helper, &helper->files[number], question->path, why);
	return -EIO;
}

void line_helper_use(struct line_helper *helper, struct user_symbols *symbols)
{
	symbols->line_asker = (struct user_line_asker){ line_helper_ask, helper };
}

void line_helper_done(struct line_helper *helper)
{
	confined_pool_done(&helper->pool);
	while (helper->n_failures)
		free(helper->failures[--helper->n_failures].path);
	free(helper->files);
	helper->files = NULL;
}

void line_helper_print_unread(const struct line_helper *helper, const struct action *action,
			      uint64_t unread, uint64_t all)
{
	bool is_off = helper->n_failures == CONFINED_FAILURES_MAX;

	for (size_t i = 0; i < helper->n_failures; i++) {
		const struct line_failure *failure = &helper->failures[i];

		quote_printf(action->messages, "fathom %s: the line helper %s", action->name,
			     failure->how);
		if (failure->path)
			quote_printf(action->messages, " while reading the debug info of '%s'",
				     failure->path);
		quote_printf(action->messages, "; %s\n",
			     i + 1 == CONFINED_FAILURES_MAX ? "not restarted" :
			     failure->path		    ? "restarted without this file" :
							      "restarted");
	}
	if (unread)
		quote_printf(action->messages,
			     "fathom %s: %" PRIu64 " of %" PRIu64
			     " user functions have no source line: %s\n",
			     action->name, unread, all,
			     is_off ? "the line helper failed too often, and stayed off" :
				      "their debug info could not be read");
}
