/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers from a helper that may send anything. */
#include "test.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/fd-message.h"
#include "cli/line-helper.h"

/* A file that comes with an answer is not kept: a reader has room for some hundred. */
static void closes_files_that_come_with_answers(void **state)
{
	struct line_helper helper = LINE_HELPER_NONE;
	struct user_symbols symbols = { 0 };
	char text[] = "answer", answer[32];
	int ends[2], before;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	helper.process.fd = ends[0];
	line_helper_use(&helper, &symbols);
	before = dup(0);
	close(before);
	for (int i = 0; i < 3; i++) {
		const struct iovec part = { text, sizeof(text) };
		uint32_t file = 0;
		size_t len = 0;

		assert_int_equal(fd_message_send(ends[1], &part, 1, 0, 0), 0);
		assert_int_equal(symbols.line_asker.ask(symbols.line_asker.data, &file, NULL, 0,
							answer, sizeof(answer), &len),
				 0);
		assert_int_equal(len, sizeof(text));
	}
	/* It is the lowest number that is free. */
	assert_int_equal(dup(0), before);
	close(before);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closes_files_that_come_with_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
