/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/line-helper.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bus-guard.h"
#include "base/cleanup.h"
#include "base/fd-message.h"
#include "base/mem.h"
#include "symbols/source-lines.h"

#define MEMORY_MAX  ((uint64_t)4 << 30)
#define SECONDS_MAX 300 /* of CPU time, all in all */
#define WAIT_MS	    20000 /* for an answer; the first of a large file takes seconds */
#define ANSWER_MAX  16384

struct question {
	uint32_t file; /* 0, 1, 2, ... */
	uint32_t has_file; /* it comes with the question, for the first about it */
	uint64_t base, size; /* where in it the ELF file is */
	uint64_t address;
};

/* In the helper. */
struct known_file {
	struct source_lines *lines; /* NULL: it has no debug info */
	struct guarded_file *guard; /* NULL: it is not open */
};

static void open_file(struct known_file *known, int fd, const struct question *question)
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

/* "FUNCTION\0FILE\0" and the line as 4 bytes for each; too much is cut. */
static size_t put_frames(const struct source_frame *frames, size_t n, char *answer)
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

static void serve(int fd, void *data)
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
			open_file(&files[n_files++], file, &question);
		}
		if (question.file < n_files)
			n = find_frames(&files[question.file], question.address, frames);
		part.iov_len = put_frames(frames, n, answer);
		if (fd_message_send(fd, &part, 1, -1, 0) < 0)
			return;
	}
}

int line_helper_start(struct line_helper *helper, struct fathom_err *err)
{
	static const struct confined_limits limits = { .memory = MEMORY_MAX,
						       .seconds = SECONDS_MAX };

	*helper = (struct line_helper)LINE_HELPER_NONE;
	return confined_start(&helper->process, serve, NULL, &limits, err);
}

static int ask(void *data, uint32_t *file, const struct elf_source *source, uint64_t address,
	       char *answer, size_t size, size_t *ret_len)
{
	struct line_helper *helper = data;
	struct question question = { .file = source ? helper->n_files : *file,
				     .has_file = source != NULL,
				     .base = source ? source->base : 0,
				     .size = source ? source->size : 0,
				     .address = address };
	const struct iovec part = { &question, sizeof(question) };
	struct pollfd wait = { .fd = helper->process.fd, .events = POLLIN };
	/* It has no file to send, and may do so all the same. */
	_cleanup_close_ int none = -1;

	if (helper->process.fd < 0)
		return -EPIPE;
	*ret_len = 0;
	*file = question.file;
	helper->n_files += source != NULL;
	if (fd_message_send(helper->process.fd, &part, 1, source ? source->fd : -1, 0) == 0 &&
	    poll(&wait, 1, WAIT_MS) > 0)
		*ret_len = fd_message_receive(helper->process.fd, answer, size, 0, &none);
	if (*ret_len)
		return 0;
	/* One that computes on ends with us; nobody waits for it. */
	close(TAKE_FD(helper->process.fd));
	helper->process.pid = 0;
	helper->failed = true;
	return -EPIPE;
}

void line_helper_use(struct line_helper *helper, struct user_symbols *symbols)
{
	symbols->line_asker = (struct user_line_asker){ ask, helper };
}

void line_helper_done(struct line_helper *helper)
{
	confined_done(&helper->process);
}
