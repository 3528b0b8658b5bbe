/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process/broker.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "process/caller-enter.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "process/fd-message.h"
#include "base/files/plain-file.h"
#include "base/negative-errno.h"

/* A reply: the error, or 0 and a file. */
static bool send_answer(int to, int fd)
{
	int code = fd < 0 ? fd : 0;
	const struct iovec part = { &code, sizeof(code) };

	return fd_message_send(to, &part, 1, fd, 0) == 0;
}

/* The broker process: opens one name after the other until no client is left. */
static void broker_serve(int fd, void *data)
{
	static char name[BROKER_NAME_MAX + 1];
	broker_policy *policy = *(broker_policy **)data;

	if (caller_drop_capabilities() < 0)
		return;
	for (;;) {
		ssize_t n = recv(fd, name, sizeof(name), MSG_TRUNC);
		_cleanup_close_ int file = -EINVAL;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		/* A truncated name is a different one. */
		if ((size_t)n < sizeof(name) && !memchr(name, '\0', (size_t)n)) {
			name[n] = '\0';
			file = policy(name);
		}
		if (!send_answer(fd, file))
			return;
	}
}

int broker_start(struct broker *broker, broker_policy *policy, struct fathom_err *err)
{
	return helper_process_start(
		&broker->process,
		&(struct helper_process_options){ .serve = broker_serve, .data = &policy }, err);
}

int broker_open(const struct broker *broker, const char *name)
{
	size_t len = strlen(name);
	const struct iovec part = { (void *)(uintptr_t)name, len };
	int code, fd, r;

	if (broker->process.fd < 0)
		return -ENOENT;
	if (!len || len > BROKER_NAME_MAX)
		return -ENAMETOOLONG;
	r = fd_message_send(broker->process.fd, &part, 1, -1, 0);
	if (r < 0)
		return r;
	if (fd_message_receive(broker->process.fd, &code, sizeof(code), 0, &fd) != sizeof(code))
		code = -EPROTO;
	if (code < 0 && fd >= 0)
		close(TAKE_FD(fd));
	if (code < 0)
		return code;
	return fd >= 0 ? fd : -EPROTO;
}

void broker_done(struct broker *broker)
{
	helper_process_done(&broker->process);
}

int broker_open_plain(const char *path)
{
	struct stat st;
	_cleanup_close_ int place = plain_file_find(path, 0, &st);
	struct statfs fs;

	if (place == -EISDIR || place == -ESPIPE)
		return -EACCES;
	if (place < 0)
		return place;
	if (fstatfs(place, &fs) < 0)
		return negative_errno();
	if (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC)
		return -EACCES;
	return plain_file_open_at(place);
}
