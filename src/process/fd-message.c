/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process/fd-message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/negative-errno.h"

/* The ancillary data. */
union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(FD_MESSAGE_FILES_MAX * sizeof(int))];
};

int fd_message_send_files(int to, const struct iovec *parts, size_t n, const int *files,
			  size_t n_files, int flags)
{
	union control control;
	struct msghdr message = { .msg_iov = (struct iovec *)(uintptr_t)parts, .msg_iovlen = n };
	ssize_t sent;

	if (n_files > FD_MESSAGE_FILES_MAX)
		return -E2BIG;
	if (n_files) {
		memset(&control, 0, CMSG_SPACE(n_files * sizeof(int)));
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(n_files * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(n_files * sizeof(int));
		memcpy(CMSG_DATA(&control.head), files, n_files * sizeof(int));
	}
	do {
		sent = sendmsg(to, &message, flags | MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent < 0 ? negative_errno() : 0;
}

int fd_message_send(int to, const struct iovec *parts, size_t n, int file, int flags)
{
	return fd_message_send_files(to, parts, n, &file, file >= 0, flags);
}

/* Takes up to @room files. The padding after them may have room for one more, which is closed. */
static size_t take_files(struct msghdr *message, int *files, size_t room)
{
	size_t n = 0;

	for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head;
	     head = CMSG_NXTHDR(message, head)) {
		if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(int) <= head->cmsg_len;
		     at += sizeof(int)) {
			int file;

			memcpy(&file, (const char *)head + at, sizeof(file));
			if (n < room)
				files[n++] = file;
			else
				close(file);
		}
	}
	return n;
}

static size_t fd_message_take(int from, void *bytes, size_t len, int flags, int *files, size_t room,
			      size_t *ret_n)
{
	union control control;
	struct iovec part = { bytes, len };
	struct msghdr message;
	ssize_t n;

	do {
		message = (struct msghdr){ .msg_iov = &part,
					   .msg_iovlen = 1,
					   .msg_control = &control,
					   .msg_controllen = CMSG_SPACE(room * sizeof(int)) };
		n = recvmsg(from, &message, flags | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	*ret_n = n < 0 ? 0 : take_files(&message, files, room);
	if (n > 0 && !(message.msg_flags & MSG_TRUNC))
		return (size_t)n;
	while (*ret_n)
		close(files[--*ret_n]);
	return 0;
}

size_t fd_message_receive(int from, void *bytes, size_t len, int flags, int *ret_file)
{
	size_t n_files, n = fd_message_take(from, bytes, len, flags, ret_file, 1, &n_files);

	if (!n_files)
		*ret_file = -1;
	return n;
}

size_t fd_message_receive_files(int from, void *bytes, size_t len, int flags, int *ret_files,
				size_t *ret_n)
{
	return fd_message_take(from, bytes, len, flags, ret_files, FD_MESSAGE_FILES_MAX, ret_n);
}
