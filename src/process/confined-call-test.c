/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/confined-call.h"
#include "base/err.h"

struct seen {
	char text[256];
	size_t n;
	int answer;
};

static int take_text(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	struct seen *seen = data;

	seen->n++;
	snprintf(seen->text, sizeof(seen->text), "%.*s", (int)len, bytes);
	return seen->answer ? err_set(err, seen->answer, "not wanted") : 0;
}

static int call(int (*work)(void *data, struct fathom_err *err), struct seen *seen,
		struct fathom_err *err)
{
	return confined_call(
		&(struct confined_call){
			.work = work, .take = take_text, .data = seen, .subject = "a.out" },
		err);
}

static int work_rights(void *data, struct fathom_err *err)
{
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	void *memory = mmap(NULL, CONFINED_MEMORY_MAX + 1, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char text[32];

	snprintf(text, sizeof(text), "%d %d", fd < 0, memory == MAP_FAILED);
	return confined_send(text, strlen(text));
}

static void has_no_privileges(void **state)
{
	struct seen seen = { 0 };

	assert_int_equal(call(work_rights, &seen, NULL), 0);
	/* With sanitizers, fewer privileges are dropped. */
#if !ADDRESS_SANITIZED && !defined(__SANITIZE_THREAD__)
	assert_string_equal(seen.text, "1 1");
#endif
}

static int work_crash(void *data, struct fathom_err *err)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	abort();
}

static int work_endless(void *data, struct fathom_err *err)
{
	static char page[CONFINED_MESSAGE_MAX];

	while (confined_send(page, sizeof(page)) == 0)
		;
	return 0;
}

static int work_too_long(void *data, struct fathom_err *err)
{
	static char page[CONFINED_MESSAGE_MAX + 1];

	return confined_send(page, sizeof(page));
}

static int take_all(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	return 0;
}

static void is_limited(void **state)
{
	struct confined_call endless = { .work = work_endless,
					 .take = take_all,
					 .subject = "a.out" };
	struct fathom_err err = { 0 };
	struct seen seen = { 0 };

	assert_int_equal(call(work_crash, &seen, &err), -EIO);
	assert_non_null(strstr(err.message, "'a.out'"));
	assert_non_null(strstr(err.message, "signal 11"));
	assert_int_equal(confined_call(&endless, &err), -EFBIG);
	assert_non_null(strstr(err.message, "'a.out'"));
	assert_int_equal(call(work_too_long, &seen, &err), -EMSGSIZE);
	assert_int_equal(seen.n, 0);
}

static int work_message(void *data, struct fathom_err *err)
{
	snprintf(err->message, sizeof(err->message), "bad \x1b[2J\n  ^");
	return -EINVAL;
}

static int work_sender(void *data, struct fathom_err *err)
{
	return confined_send("x", 1);
}

static void messages_are_text(void **state)
{
	struct fathom_err err = { 0 };
	struct seen seen = { 0 };

	assert_int_equal(call(work_message, &seen, &err), -EINVAL);
	assert_string_equal(err.message, "bad ?[2J\n  ^");
	/* The result of take() is kept. */
	seen.answer = -EEXIST;
	assert_int_equal(call(work_sender, &seen, &err), -EEXIST);
	assert_string_equal(err.message, "not wanted");
}

static int work_open(void *data, struct fathom_err *err)
{
	_cleanup_close_ int elf = confined_open("/proc/self/exe");
	_cleanup_close_ int text = confined_open("/etc/passwd");
	_cleanup_close_ int device = confined_open("/dev/zero");
	_cleanup_close_ int relative = confined_open("passwd");
	_cleanup_close_ int listed = confined_open("listed");
	char result[64];

	snprintf(result, sizeof(result), "%d %d %d %d %d", elf >= 0, text == -ENOEXEC,
		 device == -EACCES, relative == -EACCES, listed >= 0);
	return confined_send(result, strlen(result));
}

static void opens_through_the_caller(void **state)
{
	_cleanup_close_ int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	const struct confined_file file = { "listed", fd };
	struct seen seen = { 0 };

	assert_int_equal(confined_call(&(struct confined_call){ .work = work_open,
								.take = take_text,
								.data = &seen,
								.subject = "a.out",
								.files = &file,
								.n_files = 1 },
				       NULL),
			 0);
	assert_string_equal(seen.text, "1 1 1 1 1");
	/* Outside a call, files are opened directly. */
	close(confined_open("/etc/passwd"));
	assert_int_equal(confined_open("/nonexistent"), -ENOENT);
	assert_int_equal(confined_send("x", 1), -EPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_no_privileges),
		cmocka_unit_test(is_limited),
		cmocka_unit_test(messages_are_text),
		cmocka_unit_test(opens_through_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
