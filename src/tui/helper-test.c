/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <string.h>
#include <unistd.h>

#include "tui/helper.h"

/* "slow" waits for a byte from the test. */
static int gate[2];

/* Reverses the request; "long" is long, "slow" waits, "bad" fails, "die" exits. */
static int answer(void *data, const char *request, struct strbuf *buf)
{
	char byte;

	if (!strcmp(request, "die"))
		_exit(0);
	if (!strcmp(request, "slow") && read(gate[0], &byte, 1) != 1)
		_exit(1);
	if (!strcmp(request, "long"))
		strbuf_pad(buf, 'x', HELPER_TEXT_MAX + 5);
	for (size_t i = strlen(request); i && strcmp(request, "long"); i--)
		strbuf_addc(buf, request[i - 1]);
	return strcmp(request, "bad") ? 0 : -ENOENT;
}

static void answers_requests(void **state)
{
	struct helper helper = HELPER_NONE;
	struct strbuf buf = { 0 };

	/* Failing allocations, in both processes, are tested below. */
	require_memory();
	assert_int_equal(pipe(gate), 0);
	assert_int_equal(helper_ask(&helper, "abc"), -ENOENT);
	assert_int_equal(helper_start(&helper, answer, NULL, NULL), 0);
	assert_int_equal(helper_ask(&helper, "abc"), 0);
	assert_int_equal(helper_wait(&helper, -1, &buf), 0);
	assert_string_equal(strbuf_str(&buf), "cba");
	assert_int_equal(helper_ask(&helper, "bad"), 0);
	assert_int_equal(helper_wait(&helper, -1, &buf), -ENOENT);
	assert_string_equal(strbuf_str(&buf), "dab");
	/* Only the last request is answered. */
	assert_int_equal(helper_ask(&helper, "slow"), 0);
	assert_int_equal(helper_wait(&helper, 0, &buf), 1);
	assert_int_equal(helper_ask(&helper, "long"), 0);
	assert_int_equal(helper_ask(&helper, "de"), 0);
	assert_int_equal(write(gate[1], "", 1), 1);
	assert_int_equal(helper_wait(&helper, -1, &buf), 0);
	assert_string_equal(strbuf_str(&buf), "ed");
	assert_int_equal(helper_ask(&helper, "long"), 0);
	assert_int_equal(helper_wait(&helper, -1, &buf), 0);
	assert_int_equal(buf.len, HELPER_TEXT_MAX);
	assert_int_equal(helper_ask(&helper, "die"), 0);
	assert_int_equal(helper_wait(&helper, -1, &buf), -EPIPE);
	assert_true(helper_ask(&helper, "abc") < 0);
	helper_done(&helper);
	assert_int_equal(helper_wait(&helper, -1, &buf), -ENOENT);
	close(gate[0]);
	close(gate[1]);
	strbuf_done(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
