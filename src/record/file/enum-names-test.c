/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "record/file/enum-names.h"

static const char enums[] = "g:e colour 0 RED\n"
			    "g:e colour 5 GREEN\n"
			    "g:e2 colour 1 WRONG\n"
			    "g:e mood -1 BAD\n"
			    "g:e x 1 NOT\n"
			    "g:e nobody 1 NOT\n"
			    "broken\n"
			    "g:e\n"
			    "g:e colour\n";

static int put(const char *event, const char *print, struct strbuf *format)
{
	strbuf_clear(format);
	strbuf_addf(format, "name: e\n\nprint fmt: %s\n", print);
	return format->err ? -ENOMEM : enum_names_put(enums, event, format);
}

static void prints_names(void **state)
{
	static const char *const table[][3] = {
		{ "g:e",
		  "\"(%lx) colour=%u mood=%d n=%d\", REC->__probe_ip, REC->colour, REC->mood, REC->n",
		  "\"(%lx) colour=%s mood=%s n=%d\", REC->__probe_ip, __print_symbolic(REC->colour, "
		  "{ 0, \"RED\" }, { 5, \"GREEN\" }), __print_symbolic(REC->mood, { -1, \"BAD\" }), REC->n" },
		{ "g:e2", "\"(%lx) colour=%u\", REC->__probe_ip, REC->colour",
		  "\"(%lx) colour=%s\", REC->__probe_ip, __print_symbolic(REC->colour, { 1, \"WRONG\" })" },
		/* Another event, and conversions that are not such a number. */
		{ "g:e3", "\"(%lx) colour=%u\", REC->__probe_ip, REC->colour", NULL },
		{ "g:e", "\"(%lx) x=0x%x colours=%u\", REC->__probe_ip, REC->x, REC->colours",
		  NULL },
		{ "g:e", "\"(%lx) colour=%u\", REC->__probe_ip, REC->colour[0]", NULL },
		{ "g:e", "\"colour=%u\"", NULL },
	};
	struct strbuf format = { 0 }, wanted = { 0 };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		strbuf_clear(&wanted);
		strbuf_addf(&wanted, "name: e\n\nprint fmt: %s\n",
			    table[i][2] ? table[i][2] : table[i][1]);
		if (succeeds(put(table[i][0], table[i][1], &format) == 0 && !wanted.err))
			assert_string_equal(strbuf_str(&format), strbuf_str(&wanted));
	}
	strbuf_done(&format);
	strbuf_done(&wanted);
}

static int whole(void *arg)
{
	struct strbuf format = { 0 };
	int r = put("g:e", "\"(%lx) colour=%u\", REC->__probe_ip, REC->colour", &format);

	strbuf_done(&format);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(whole, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_names),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests_name("enum-names", tests, NULL, NULL);
}
