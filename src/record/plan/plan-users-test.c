/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages about user functions from a process that is not trusted. */
#include "test.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "record/plan/plan-users-parts.h"

#define OFFSET "\x10\0\0\0\0\0\0\0"

/* Copies the message to memory of its exact size, so that sanitizers detect an overread. */
static int take(struct choice *choice, const char *bytes, size_t len, struct fathom_err *err)
{
	struct choice_search search = { choice, "app", NULL };
	_cleanup_free_ char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	return choice_take(&search, copy, len, err);
}
#define TAKE(choice, literal, err) take(choice, literal, sizeof(literal) - 1, err)

static void choice_init(struct choice *choice)
{
	*choice = (struct choice){ 0 };
	assert_int_equal(mem_reserve(&choice->files, &choice->cap_files, 1, sizeof(*choice->files)),
			 0);
	choice->files[choice->n_files++] = (struct chosen_file){ .path = "app" };
}

static void accepts_functions(void **state)
{
	_cleanup_(choice_done) struct choice choice = { 0 };

	choice_init(&choice);
	assert_int_equal(TAKE(&choice, "", NULL), 0);
	assert_int_equal(TAKE(&choice, "\1", NULL), 0);
	assert_true(choice.files[0].is_go);
	assert_int_equal(TAKE(&choice, OFFSET "main\0\0" OFFSET "_Z1f\0f\n\t\0", NULL), 0);
	assert_int_equal(choice.n, 2);
	assert_int_equal(choice.files[0].n, 2);
	assert_string_equal(choice.list[0].name, "main");
	assert_string_equal(choice.list[0].readable, "");
	/* Characters that would end a cell or line of the recorded table. */
	assert_string_equal(choice.list[1].readable, "f??");
}

static void rejects_truncated_input(void **state)
{
	static const char whole[] = OFFSET "main\0name";
	_cleanup_(choice_done) struct choice choice = { 0 };

	choice_init(&choice);
	for (size_t len = 2; len < sizeof(whole); len++) {
		struct fathom_err err = { 0 };

		assert_int_equal(take(&choice, whole, len, &err), -EPROTO);
		assert_string_equal(fathom_err_text(&err), "cannot read 'app'");
	}
	assert_int_equal(choice.n, 0);
	assert_int_equal(take(&choice, whole, sizeof(whole), NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_functions),
		cmocka_unit_test(rejects_truncated_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
