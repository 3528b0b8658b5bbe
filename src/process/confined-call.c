/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each message is a letter and its data, and is answered with a code and, if one was requested, a
 * file. The caller trusts nothing: lengths are those of the messages, codes are checked, and text
 * is made printable.
 */
#include "process/confined-call.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/broker.h"
#include "base/cleanup.h"
#include "process/confined-call-parts.h"
#include "process/confined.h"
#include "base/err.h"
#include "process/fd-message.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/files/plain-file.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "base/str.h"

#define OPEN  'o'
#define SEND  's'
#define END   'e'
#define MAGIC "\177ELF"
/* Files that one call may open: a process has a few hundred mapped. */
#define OPENS_MAX 10000
#define WAIT_MS	  (2 * CONFINED_SECONDS * 1000)

/* In the confined process: its end of the socket. */
static int channel = -1;

/* Receives the code, and the file if there is one. */
static int confined_call_ask(char letter, const void *bytes, size_t len, int *ret_file)
{
	const struct iovec parts[] = { { &letter, 1 }, { (void *)(uintptr_t)bytes, len } };
	int code = 0;
	int r = fd_message_send(channel, parts, 2, -1, 0);

	*ret_file = -1;
	if (r < 0)
		return r;
	return fd_message_receive(channel, &code, sizeof(code), 0, ret_file) == sizeof(code) ?
		       code :
		       -EPIPE;
}

int confined_send(const void *bytes, size_t len)
{
	_cleanup_close_ int none = -1;

	if (len > CONFINED_MESSAGE_MAX)
		return -EMSGSIZE;
	return channel < 0 ? -EPIPE : confined_call_ask(SEND, bytes, len, &none);
}

int confined_open(const char *path)
{
	int fd, r;

	if (channel < 0)
		return plain_file_open(path, NULL);
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	r = confined_call_ask(OPEN, path, strlen(path), &fd);
	return r < 0 ? r : fd >= 0 ? fd : -EPROTO;
}

int confined_read(const char *path, struct strbuf *buf)
{
	_cleanup_close_ int fd = confined_open(path);

	return fd < 0 ? fd : file_read_open(fd, buf);
}

static void confined_call_serve(int fd, void *data)
{
	const struct confined_call *call = data;
	struct fathom_err err = { 0 };
	const char letter = END;
	int code;

	channel = fd;
	code = call->work(call->data, &err);
	{
		const struct iovec parts[] = { { (void *)(uintptr_t)&letter, 1 },
					       { &code, sizeof(code) },
					       { err.message, strlen(err.message) } };

		fd_message_send(fd, parts, ARRAY_SIZE(parts), -1, 0);
	}
}

/* State of the caller. */
struct receiver {
	const struct confined_call *call;
	struct helper_process process;
	uint64_t output;
	unsigned opens;
	const char *why; /* the call has failed */
	struct fathom_err *err;
};

static int open_listed(const struct confined_file *file)
{
	int fd;

	if (file->fd < 0)
		return plain_file_open(file->name, NULL);
	fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? negative_errno() : fd;
}

static int open_for(struct receiver *receiver, const char *name)
{
	const struct confined_call *call = receiver->call;
	_cleanup_close_ int fd = -1;
	char magic[sizeof(MAGIC) - 1];

	for (size_t i = 0; i < call->n_files; i++)
		if (str_eq(call->files[i].name, name))
			return open_listed(&call->files[i]);
	if (name[0] != '/' || receiver->opens++ >= OPENS_MAX)
		return -EACCES;
	fd = broker_open_plain(name);
	if (fd < 0)
		return fd;
	if (pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
	    memcmp(magic, MAGIC, sizeof(magic)) != 0)
		return -ENOEXEC;
	return TAKE_FD(fd);
}

static bool answer_open(struct receiver *receiver, const char *bytes, size_t len)
{
	_cleanup_close_ int fd = -EINVAL;
	char name[PATH_MAX];
	int code;

	if (len < sizeof(name) && !memchr(bytes, '\0', len)) {
		memcpy(name, bytes, len);
		name[len] = '\0';
		fd = open_for(receiver, name);
	}
	code = fd < 0 ? fd : 0;
	return fd_message_send(receiver->process.fd, &(struct iovec){ &code, sizeof(code) }, 1, fd,
			       0) == 0;
}

static bool answer_send(struct receiver *receiver, const char *bytes, size_t len)
{
	const struct confined_call *call = receiver->call;
	int code;

	receiver->output += len;
	if (receiver->output > CONFINED_OUTPUT_MAX) {
		receiver->why = "its reply is too large";
		return false;
	}
	code = call->take ? call->take(call->data, bytes, len, receiver->err) : -EINVAL;
	return fd_message_send(receiver->process.fd, &(struct iovec){ &code, sizeof(code) }, 1, -1,
			       0) == 0;
}

/* Untrusted text: keeps line breaks, and escapes everything that could control a terminal. */
static void copy_message(const char *bytes, size_t len, char message[FATHOM_ERR_MESSAGE_SIZE])
{
	char escape[QUOTE_SIZE];
	size_t n = 0;

	for (size_t i = 0, step; i < len; i += step) {
		step = quote_next(bytes + i, len - i, true, escape);
		if (n + step >= FATHOM_ERR_MESSAGE_SIZE)
			break;
		if (escape[0] && bytes[i] != '\n') {
			message[n++] = '?';
			continue;
		}
		memcpy(message + n, bytes + i, step);
		n += step;
	}
	message[n] = '\0';
}

/* Takes the result; without a message, it was set by take(). */
int confined_end_take(const char *bytes, size_t len, struct fathom_err *err)
{
	char message[FATHOM_ERR_MESSAGE_SIZE];
	int code = -EPROTO;

	if (len < sizeof(code))
		return -EPROTO;
	memcpy(&code, bytes, sizeof(code));
	if (code == -ENOMEM)
		return err_nomem(err);
	if (code > 0 || code < -4095)
		code = -EPROTO;
	copy_message(bytes + sizeof(code), len - sizeof(code), message);
	if (code < 0 && message[0] && err) {
		err->code = code;
		memcpy(err->message, message, sizeof(message));
	}
	return code;
}

/* Returns 1 if the call continues. */
static int receive_one(struct receiver *receiver, char *bytes, int *ret_code)
{
	struct pollfd wait = { .fd = receiver->process.fd, .events = POLLIN };
	_cleanup_close_ int file = -1;
	size_t len;
	int r;

	do
		r = poll(&wait, 1, WAIT_MS);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		receiver->why = "it takes too long";
	if (r <= 0)
		return 0;
	len = fd_message_receive(receiver->process.fd, bytes, CONFINED_MESSAGE_MAX + 1, 0, &file);
	if (!len)
		return 0;
	if (bytes[0] == OPEN)
		return answer_open(receiver, bytes + 1, len - 1);
	if (bytes[0] == SEND)
		return answer_send(receiver, bytes + 1, len - 1);
	if (bytes[0] == END) {
		*ret_code = confined_end_take(bytes + 1, len - 1, receiver->err);
		return -1;
	}
	return 0;
}

/* There was no result. */
static int say_why(const struct receiver *receiver)
{
	const char *subject = receiver->call->subject;
	int status = receiver->process.status;

	if (receiver->why)
		return err_set(receiver->err, -EFBIG, "cannot read '%.200s': %s", subject,
			       receiver->why);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return err_set(receiver->err, -ETIME,
			       "cannot read '%.200s': parsing it exceeds %d s of CPU time", subject,
			       CONFINED_SECONDS);
	if (WIFSIGNALED(status))
		return err_set(receiver->err, -EIO,
			       "cannot read '%.200s': the process that parses it was killed by "
			       "signal %d (%s)",
			       subject, WTERMSIG(status), strsignal(WTERMSIG(status)));
	/* libdw exits if it cannot get memory. */
	return err_set(receiver->err, -EIO,
		       "cannot read '%.200s': the process that parses it exited without a result "
		       "(memory limit exceeded, or sandboxing failed)",
		       subject);
}

int confined_call(const struct confined_call *call, struct fathom_err *err)
{
	const struct confined_limits limits = { .memory = call->memory ?: CONFINED_MEMORY_MAX,
						.seconds = CONFINED_SECONDS };
	struct receiver receiver = { .call = call, .process = HELPER_PROCESS_NONE, .err = err };
	_cleanup_free_ char *bytes = mem_alloc(CONFINED_MESSAGE_MAX + 1);
	int r = 1, code = 0;

	if (!bytes)
		return err_nomem(err);
	r = confined_start(&receiver.process, confined_call_serve, (void *)(uintptr_t)call, &limits,
			   err);
	if (r < 0)
		return r;
	do
		r = receive_one(&receiver, bytes, &code);
	while (r == 1);
	/*
	 * A process that has exited keeps its status; what others do after their result does not
	 * matter.
	 */
	helper_process_kill(&receiver.process);
	return r < 0 ? code : say_why(&receiver);
}
