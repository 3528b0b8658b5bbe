/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "process/caller-enter.h"
#include "base/files/file.h"
#include "base/negative-errno.h"

/* Precedes each text, in both directions. */
struct head {
	uint32_t number; /* of the request */
	int32_t code; /* result, in an answer */
	uint32_t len;
};

/* Reads @len bytes. Returns 0 or a negative errno; -EPIPE at the end. */
static int helper_read_all(int fd, void *to, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = read(fd, (char *)to + at, len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? negative_errno() : -EPIPE;
		at += (size_t)n;
	}
	return 0;
}

struct helper_work {
	helper_answer *answer;
	void *data;
};

/* The helper process: serves requests until the socket is closed. */
static void helper_serve(int fd, void *data)
{
	const struct helper_work *work = data;

	/*
	 * Signals to the viewer reach its whole process group; the helper exits after the viewer.
	 */
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	if (caller_drop_capabilities() < 0)
		return;
	for (;;) {
		_cleanup_strbuf_ struct strbuf request = { 0 }, text = { 0 };
		struct head head;
		char *room;

		if (helper_read_all(fd, &head, sizeof(head)) < 0 || head.len > HELPER_TEXT_MAX)
			return;
		room = strbuf_room(&request, head.len);
		if (!room || helper_read_all(fd, room, head.len) < 0)
			return;
		request.len += head.len;
		strbuf_addc(&request, '\0');
		head.code = work->answer(work->data, strbuf_str(&request), &text);
		if (text.err)
			head.code = -ENOMEM;
		head.len = (uint32_t)(text.len < HELPER_TEXT_MAX ? text.len : HELPER_TEXT_MAX);
		if (file_write_bytes(fd, &head, sizeof(head)) < 0 ||
		    file_write_bytes(fd, strbuf_str(&text), head.len) < 0)
			return;
	}
}

int helper_start(struct helper *helper, helper_answer *answer, void *data, struct fathom_err *err)
{
	struct helper_work work = { answer, data };

	/* If the helper has exited, writes fail with EPIPE. */
	signal(SIGPIPE, SIG_IGN);
	/* The helper opens files of the trace, and starts the editor in this terminal. */
	return helper_process_start(&helper->process,
				    &(struct helper_process_options){ .serve = helper_serve,
								      .data = &work,
								      .is_stream = true,
								      .keeps_files = true },
				    err);
}

void helper_done(struct helper *helper)
{
	if (!helper)
		return;
	helper_process_finish(&helper->process);
	strbuf_done(&helper->got);
}

int helper_ask(struct helper *helper, const char *request)
{
	size_t len = strlen(request);
	struct head head = { .len = (uint32_t)len };
	int r;

	if (!helper || helper->process.fd < 0)
		return -ENOENT;
	if (len > HELPER_TEXT_MAX)
		return -E2BIG;
	head.number = ++helper->asked;
	r = file_write_bytes(helper->process.fd, &head, sizeof(head));
	return r < 0 ? r : file_write_bytes(helper->process.fd, request, len);
}

/* Returns whether the answer has arrived completely. Drops answers to earlier requests. */
static bool helper_take(struct helper *helper, struct strbuf *ret_answer, int *ret_code)
{
	struct strbuf *got = &helper->got;
	struct head head;

	while (got->len >= sizeof(head)) {
		memcpy(&head, strbuf_str(got), sizeof(head));
		if (head.len > HELPER_TEXT_MAX || got->len - sizeof(head) < head.len)
			return false;
		if (head.number == helper->asked) {
			strbuf_clear(ret_answer);
			strbuf_add(ret_answer, strbuf_str(got) + sizeof(head), head.len);
			*ret_code = ret_answer->err ? -ENOMEM : head.code;
			strbuf_clear(got);
			return true;
		}
		/* Answers to earlier requests precede this one. */
		memmove(got->s, got->s + sizeof(head) + head.len,
			got->len - sizeof(head) - head.len);
		got->len -= sizeof(head) + head.len;
	}
	return false;
}

int helper_wait(struct helper *helper, int timeout_ms, struct strbuf *ret_answer)
{
	struct pollfd poll_fd;
	char part[65536];
	int code = 0;

	if (!helper || helper->process.fd < 0)
		return -ENOENT;
	poll_fd = (struct pollfd){ .fd = helper->process.fd, .events = POLLIN };
	while (!helper_take(helper, ret_answer, &code)) {
		int n = poll(&poll_fd, 1, timeout_ms);
		ssize_t len;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? negative_errno() : 1;
		len = read(helper->process.fd, part, sizeof(part));
		if (len <= 0)
			return len < 0 ? negative_errno() : -EPIPE;
		strbuf_add(&helper->got, part, (size_t)len);
		if (helper->got.err)
			return -ENOMEM;
	}
	return code < 0 ? code : 0;
}
