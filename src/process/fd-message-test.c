/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/fd-message.h"

#include "test.h"

#include <sys/socket.h>
#include <unistd.h>

#define BYTES "bytes"

/* Returns the lowest free descriptor, which is higher than before if one was leaked. */
static int lowest_free(void)
{
	int fd = dup(0);

	assert_true(fd >= 0);
	close(fd);
	return fd;
}

static void socket_pair(int ends[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
}

static void close_pair(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

/* Unlike fd_message_send(): sends @len bytes with @n files. */
static void send_files(int to, size_t len, size_t n)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(8 * sizeof(int))];
	} control = { 0 };
	char bytes[] = BYTES;
	struct iovec part = { bytes, len };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = CMSG_SPACE(n * sizeof(int)) };

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	/* All are descriptor 0. */
	control.head.cmsg_len = CMSG_LEN(n * sizeof(int));
	assert_int_equal(sendmsg(to, &message, 0), len);
}

static void transfers_bytes_and_a_file(void **state)
{
	char bytes[] = BYTES, got[32] = "";
	const struct iovec part = { bytes, sizeof(bytes) };
	int ends[2], file = 0;

	socket_pair(ends);
	assert_int_equal(fd_message_send(ends[1], &part, 1, -1, 0), 0);
	assert_int_equal(fd_message_receive(ends[0], got, sizeof(got), 0, &file), sizeof(bytes));
	assert_string_equal(got, BYTES);
	assert_int_equal(file, -1);
	assert_int_equal(fd_message_send(ends[1], &part, 1, 0, 0), 0);
	assert_int_equal(fd_message_receive(ends[0], got, sizeof(got), 0, &file), sizeof(bytes));
	assert_true(file > 0);
	close(file);
	close_pair(ends);
}

static void transfers_many_files(void **state)
{
	int files[FD_MESSAGE_FILES_MAX] = { 0 }, got[FD_MESSAGE_FILES_MAX], ends[2], before;
	char bytes[] = BYTES;
	const struct iovec part = { bytes, sizeof(bytes) };
	size_t n = 1;

	socket_pair(ends);
	before = lowest_free();
	assert_int_equal(fd_message_send_files(ends[1], &part, 1, files, 3, 0), 0);
	assert_int_equal(fd_message_receive_files(ends[0], bytes, sizeof(bytes), 0, got, &n),
			 sizeof(bytes));
	assert_int_equal(n, 3);
	while (n)
		close(got[--n]);
	assert_int_equal(fd_message_send_files(ends[1], &part, 1, NULL, 0, 0), 0);
	fd_message_receive_files(ends[0], bytes, sizeof(bytes), 0, got, &n);
	assert_int_equal(n, 0);
	/* A truncated message yields no descriptors. */
	assert_int_equal(fd_message_send_files(ends[1], &part, 1, files, FD_MESSAGE_FILES_MAX, 0),
			 0);
	assert_int_equal(fd_message_receive_files(ends[0], bytes, 1, 0, got, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(fd_message_send_files(ends[1], &part, 1, files, FD_MESSAGE_FILES_MAX + 1,
					       0),
			 -E2BIG);
	assert_int_equal(lowest_free(), before);
	close_pair(ends);
}

/* An unprivileged sender could exhaust the receiver's descriptors. */
static void closes_all_but_the_returned_file(void **state)
{
	static const struct {
		size_t sent, room, files;
	} table[] = {
		{ sizeof(BYTES), 32, 1 },
		{ sizeof(BYTES), 32, 2 },
		{ sizeof(BYTES), 32, 8 },
		{ sizeof(BYTES), 2, 1 },
		{ sizeof(BYTES), 2, 2 },
		{ 0, 32, 1 },
		{ 0, 32, 2 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		int ends[2], file = -1, before;
		char got[32];

		socket_pair(ends);
		before = lowest_free();
		send_files(ends[1], table[i].sent, table[i].files);
		fd_message_receive(ends[0], got, table[i].room, 0, &file);
		if (file >= 0)
			close(file);
		if (lowest_free() != before)
			fail_msg("%zu files with %zu bytes: one is left open", table[i].files,
				 table[i].sent);
		close_pair(ends);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transfers_bytes_and_a_file),
		cmocka_unit_test(transfers_many_files),
		cmocka_unit_test(closes_all_but_the_returned_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
