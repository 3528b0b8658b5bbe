/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/why/why.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "test.h"

/* Of the first of the two calls below. */
static enum failure_kind first_kind;

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

/*
 * Prints two calls whose causes are unknown, the first interrupted by @signal unless that is 0, and counts the texts
 * @cause and "--rerun".
 */
static void check(const struct why_view *with, int32_t signal, const char *cause, size_t causes,
		  size_t advices)
{
	struct failure found[] = {
		{ .text = (char *)"openat(3, \"a\")", .name = "openat", .error = ENOENT },
		{ .text = (char *)"openat(3, \"b\")", .name = "openat", .error = EACCES },
	};
	struct failures failures = { .found = found, .n = 2 };
	struct failure_choice choice = { .all = true };
	struct why_view view = *with;
	struct out out = { .width = 200 };
	_cleanup_free_ char *text = NULL;
	bool is_printed;
	size_t size;

	found[0].signal = signal;
	found[0].kind = first_kind;
	view.failures = &failures;
	view.choice = &choice;
	out.stream = open_memstream(&text, &size);
	require(out.stream);
	is_printed = succeeds(why_print(&view, &out) == 0);
	fclose(out.stream);
	if (is_printed && (count(text, cause) != causes || count(text, "--rerun") != advices))
		fail_msg("%s", text);
}

static void suggests_a_rerun_once(void **state)
{
	struct why_view view = { .runs = 1, .unwatched = true };

	check(&view, 0, "unknown: no kernel functions were probed", 2, 1);
	/* The first cause is known. */
	check(&view, 2, "unknown: no kernel functions were probed", 1, 1);
	view.unwatched = false;
	view.watched = 76;
	check(&view, 0, "unknown: no probed function returned this error; 76 functions were probed",
	      2, 1);
}

static void suggests_a_rerun_where_it_helps(void **state)
{
	struct why_view view = { .runs = 1, .watched = 76 };

	first_kind = FAILURE_URING;
	check(&view, 0, "; 76 functions were probed, --rerun probes", 1, 1);
	first_kind = FAILURE_CALL;
}

static void suggests_nothing_before_a_prompt(void **state)
{
	struct why_view view = { .runs = 1, .unwatched = true, .asks = true };

	check(&view, 0, "unknown: no kernel functions were probed", 2, 0);
	view.unwatched = false;
	view.watched = 76;
	check(&view, 0, "unknown: no probed function returned this error; 76 functions were probed",
	      2, 0);
}

static void reports_missing_return_values(void **state)
{
	check(&(struct why_view){ 0 }, 0,
	      "unknown: the recording has no return values of kernel functions", 2, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suggests_a_rerun_once),
		cmocka_unit_test(suggests_a_rerun_where_it_helps),
		cmocka_unit_test(suggests_nothing_before_a_prompt),
		cmocka_unit_test(reports_missing_return_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
