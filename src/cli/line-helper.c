/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/line-helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/sandbox.h"
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

struct message {
	struct msghdr head;
	struct iovec part;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
};

static void message_init(struct message *message, void *bytes, size_t len)
{
	memset(message, 0, sizeof(*message));
	message->part = (struct iovec){ bytes, len };
	message->head.msg_iov = &message->part;
	message->head.msg_iovlen = 1;
}

static bool send_message(int to, void *bytes, size_t len, int file)
{
	struct message message;
	struct cmsghdr *head;

	message_init(&message, bytes, len);
	if (file >= 0) {
		message.head.msg_control = message.control;
		message.head.msg_controllen = sizeof(message.control);
		head = CMSG_FIRSTHDR(&message.head);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &file, sizeof(int));
	}
	return sendmsg(to, &message.head, MSG_NOSIGNAL) == (ssize_t)len;
}

/* How many bytes; 0: nobody is there any more. The file that came with it, if one did, or -1. */
static size_t receive_message(int from, void *bytes, size_t len, int *ret_file)
{
	struct message message;
	struct cmsghdr *head;
	ssize_t n;

	do {
		message_init(&message, bytes, len);
		message.head.msg_control = message.control;
		message.head.msg_controllen = sizeof(message.control);
		n = recvmsg(from, &message.head, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	*ret_file = -1;
	head = n > 0 ? CMSG_FIRSTHDR(&message.head) : NULL;
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_file, CMSG_DATA(head), sizeof(int));
	return n > 0 && !(message.head.msg_flags & MSG_TRUNC) ? (size_t)n : 0;
}

/* In the helper. */
struct known_file {
	struct source_lines *lines; /* NULL: it has no debug info */
};

static void open_file(struct known_file *known, int fd, const struct question *question)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = question->base / page * page;
	uint64_t lead = question->base - start;
	char *memory;

	if (fd < 0 || !question->size || question->size > SIZE_MAX - page)
		return;
	/* Of its own, as the library may change it. One that is cut short ends this process, no more. */
	memory = mmap(NULL, (size_t)(lead + question->size), PROT_READ | PROT_WRITE, MAP_PRIVATE,
		      fd, (off_t)start);
	if (memory == MAP_FAILED)
		return;
	if (source_lines_new(memory + lead, (size_t)question->size, &known->lines) < 0)
		munmap(memory, (size_t)(lead + question->size));
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

static void serve(int fd)
{
	static char answer[ANSWER_MAX];
	struct known_file *files = NULL;
	size_t n_files = 0, cap = 0;
	struct source_frame frames[SOURCE_FRAMES_MAX];

	for (;;) {
		_cleanup_close_ int file = -1;
		struct question question;
		size_t n = 0;

		if (receive_message(fd, &question, sizeof(question), &file) != sizeof(question))
			return;
		if (question.has_file && question.file == n_files) {
			if (mem_reserve(&files, &cap, n_files + 1, sizeof(*files)) < 0)
				return;
			files[n_files] = (struct known_file){ 0 };
			open_file(&files[n_files++], file, &question);
		}
		if (question.file < n_files && files[question.file].lines)
			n = source_lines_find(files[question.file].lines, question.address, frames);
		if (!send_message(fd, answer, put_frames(frames, n, answer), -1))
			return;
	}
}

static void run_helper(int fd)
{
	const struct rlimit time = { SECONDS_MAX, SECONDS_MAX }, none = { 0, 0 };

	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CPU, &time);
	setrlimit(RLIMIT_CORE, &none);
	if (dup2(fd, 0) != 0)
		return;
	close_range(1, ~0U, 0);
	sandbox_limit_memory(MEMORY_MAX);
	if (sandbox_enter_asking(NULL) >= 0)
		serve(0);
}

int line_helper_start(struct line_helper *helper, struct fathom_err *err)
{
	int pair[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_set_errno(err, -errno, "cannot make a socket");
	pid = fork();
	if (pid == 0) {
		run_helper(pair[1]);
		_exit(0);
	}
	r = pid < 0 ? -errno : 0;
	close(pair[1]);
	if (r < 0) {
		close(pair[0]);
		return err_set_errno(err, r, "cannot start a process");
	}
	*helper = (struct line_helper){ .fd = pair[0], .pid = pid };
	return 0;
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
	struct pollfd wait = { .fd = helper->fd, .events = POLLIN };
	int none;

	if (helper->fd < 0)
		return -EPIPE;
	*ret_len = 0;
	*file = question.file;
	helper->n_files += source != NULL;
	if (send_message(helper->fd, &question, sizeof(question), source ? source->fd : -1) &&
	    poll(&wait, 1, WAIT_MS) > 0)
		*ret_len = receive_message(helper->fd, answer, size, &none);
	if (*ret_len)
		return 0;
	helper->failed = true;
	close(TAKE_FD(helper->fd));
	return -EPIPE;
}

void line_helper_use(struct line_helper *helper, struct user_symbols *symbols)
{
	symbols->line_asker = (struct user_line_asker){ ask, helper };
}

void line_helper_done(struct line_helper *helper)
{
	if (helper->fd >= 0)
		close(TAKE_FD(helper->fd));
	/* One that computes on ends with us; nobody waits for it. */
	if (!helper->pid || helper->failed)
		return;
	while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
		;
	helper->pid = 0;
}
