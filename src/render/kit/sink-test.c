/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "render/kit/sink.h"

static void writes_when_flushed(void **state)
{
	struct sink sink;
	char buf[64] = "";
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(sink_init(&sink, fds[1]), 0);
	text_str(&sink.text, "two ");
	sink_flush_if_full(&sink);
	text_str(&sink.text, "words");
	assert_int_equal(text_len(&sink.text), 9);
	sink_flush(&sink);
	assert_int_equal(text_len(&sink.text), 0);
	assert_int_equal(read(fds[0], buf, sizeof(buf)), 9);
	assert_string_equal(buf, "two words");
	sink_done(&sink);
	close(fds[0]);
	close(fds[1]);
}

static void has_room_for_a_line_after_a_check(void **state)
{
	struct sink sink;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	assert_int_equal(sink_init(&sink, fd), 0);
	text_fill(&sink.text, 'x', SINK_FULL);
	sink_flush_if_full(&sink);
	assert_int_equal(text_len(&sink.text), SINK_FULL);
	assert_true(text_room(&sink.text) >= SINK_LINE_MAX);
	text_char(&sink.text, 'x');
	sink_flush_if_full(&sink);
	assert_int_equal(text_len(&sink.text), 0);
	sink_done(&sink);
	close(fd);
}

static void remembers_the_first_error(void **state)
{
	struct sink sink;
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	assert_int_equal(sink_init(&sink, fds[1]), 0);
	text_str(&sink.text, "nobody reads this");
	sink_flush(&sink);
	assert_int_equal(sink.err, -EPIPE);
	close(fds[1]);
	text_str(&sink.text, "nor this");
	sink_flush(&sink);
	assert_int_equal(sink.err, -EPIPE);
	assert_int_equal(text_len(&sink.text), 0);
	sink_done(&sink);
}

/* Another program made the pipe non-blocking, and it is full. */
static void waits_for_a_slow_reader(void **state)
{
	const size_t total = (size_t)300 << 10;
	char buf[4096];
	struct sink sink;
	size_t got = 0;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(fds[0]);
		if (fcntl(fds[1], F_SETFL, O_NONBLOCK) < 0 || sink_init(&sink, fds[1]) < 0)
			_exit(1);
		text_fill(&sink.text, 'x', total);
		sink_flush(&sink);
		_exit(sink.err ? 1 : 0);
	}
	close(fds[1]);
	for (ssize_t n; (n = read(fds[0], buf, sizeof(buf))) > 0;)
		got += (size_t)n;
	close(fds[0]);
	assert_int_equal(got, total);
}

static int make(void *arg)
{
	struct sink sink;
	int r = sink_init(&sink, -1);

	if (r == 0)
		sink_done(&sink);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(make, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_when_flushed),
		cmocka_unit_test(has_room_for_a_line_after_a_check),
		cmocka_unit_test(remembers_the_first_error),
		cmocka_unit_test(waits_for_a_slow_reader),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
