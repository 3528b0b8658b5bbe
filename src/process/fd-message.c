/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process/fd-message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/negative-errno.h"

/* What comes or goes beside the bytes. */
union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

int fd_message_send(int to, const struct iovec *parts, size_t n, int file, int flags)
{
	union control control;
	struct msghdr message = { .msg_iov = (struct iovec *)(uintptr_t)parts, .msg_iovlen = n };
	ssize_t sent;

	if (file >= 0) {
		memset(&control, 0, sizeof(control));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &file, sizeof(int));
	}
	do {
		sent = sendmsg(to, &message, flags | MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent < 0 ? negative_errno() : 0;
}

/* The first file, or -1. The padding behind it has room for one more, which nobody asked for: it is closed. */
static int take_file(struct msghdr *message)
{
	int first = -1;

	for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head;
	     head = CMSG_NXTHDR(message, head)) {
		if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(int) <= head->cmsg_len;
		     at += sizeof(int)) {
			int file;

			memcpy(&file, (const char *)head + at, sizeof(file));
			if (first < 0)
				first = file;
			else
				close(file);
		}
	}
	return first;
}

size_t fd_message_receive(int from, void *bytes, size_t len, int flags, int *ret_file)
{
	union control control;
	struct iovec part = { bytes, len };
	struct msghdr message;
	ssize_t n;

	do {
		message = (struct msghdr){ .msg_iov = &part,
					   .msg_iovlen = 1,
					   .msg_control = &control,
					   .msg_controllen = sizeof(control) };
		n = recvmsg(from, &message, flags | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	*ret_file = n < 0 ? -1 : take_file(&message);
	if (n > 0 && !(message.msg_flags & MSG_TRUNC))
		return (size_t)n;
	if (*ret_file >= 0)
		close(*ret_file);
	*ret_file = -1;
	return 0;
}
