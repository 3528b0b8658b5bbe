/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/strbuf.h"
#include "symbols/user/user-maps.h"

static const char text[] =
	"55d0c1a00000-55d0c1a01000 r--p 00000000 fe:01 1234                       /usr/bin/app\n"
	"55d0c1a01000-55d0c1a02000 r-xp 00001000 fe:01 1234                       /usr/bin/app\n"
	"not a line\n"
	"55d0c2a00000-55d0c2a21000 rw-p 00000000 00:00 0                          [heap]\n"
	"7f0000000000-7f0000010000 rwxp 00000000 00:00 0 \n"
	"7f1000000000-7f1000001000 r-xp 00002000 fe:01 77   /tmp/with space (deleted)\n"
	"7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]";

static const char option[] = "4d2 2 /bin/cat\n"
			     "400000 500000 /bin/cat\n"
			     "7f0000000000 7f0000200000 /lib/libc.so.6\n";

static const char *path_at(const struct user_maps *maps, int32_t pid, uint64_t time,
			   uint64_t address)
{
	bool known;
	const struct user_mapping *mapping = user_maps_find(maps, pid, time, address, &known);

	return mapping ? mapping->path : known ? "none" : "unknown";
}

static void reads_proc_maps(void **state)
{
	struct user_maps maps = { 0 };
	const struct user_mapping *mapping;
	bool known;

	require(user_maps_add_text(&maps, 7, 100, text, strlen(text)) >= 0);
	mapping = user_maps_find(&maps, 7, 100, 0x55d0c1a01234, &known);
	assert_non_null(mapping);
	assert_string_equal(mapping->path, "/usr/bin/app");
	assert_int_equal(mapping->offset, 0x1000);
	assert_true(mapping->executable && !mapping->deleted);
	mapping = user_maps_find(&maps, 7, 100, 0x7f1000000000, &known);
	assert_non_null(mapping);
	assert_string_equal(mapping->path, "/tmp/with space");
	assert_true(mapping->deleted);
	assert_string_equal(path_at(&maps, 7, 100, 0x7f0000000001), "");
	assert_string_equal(path_at(&maps, 7, 100, 0x7ffd00001fff), "[vdso]");
	assert_string_equal(path_at(&maps, 7, 100, 0x7ffd00002000), "none");
	assert_string_equal(path_at(&maps, 7, 100, 0x1000), "none");
	assert_string_equal(path_at(&maps, 8, 100, 0x55d0c1a01234), "unknown");
	user_maps_done(&maps);
}

static void reads_the_option(void **state)
{
	struct user_maps maps = { 0 };
	const struct user_mapping *mapping;
	bool known;

	/* With its NUL, as in files. */
	require(user_maps_add_option(&maps, USER_TIME_END, option, sizeof(option)) >= 0);
	mapping = user_maps_find(&maps, 1234, 5, 0x7f00001fffff, &known);
	assert_non_null(mapping);
	assert_string_equal(mapping->path, "/lib/libc.so.6");
	assert_true(mapping->offset == USER_OFFSET_UNKNOWN);
	assert_string_equal(path_at(&maps, 1234, 5, 0x400000), "/bin/cat");
	assert_string_equal(path_at(&maps, 1234, 5, 0x500000), "none");
	user_maps_done(&maps);
}

static void separates_programs(void **state)
{
	static const char before[] = "400000-500000 r-xp 00000000 fe:01 1 /bin/before\n";
	static const char after[] = "400000-500000 r-xp 00000000 fe:01 1 /bin/after\n";
	struct user_maps maps = { 0 };
	const struct user_mapping later = { 0x600000, 0x601000, 0, "/lib/later.so", false, true };

	if (succeeds(user_maps_add_text(&maps, 1, 10, before, strlen(before)) == 0 &&
		     user_maps_add_mapping(&maps, 1, 20, &later) == 0 &&
		     user_maps_add_exec(&maps, 1, 100) == 0 &&
		     user_maps_add_text(&maps, 1, 150, after, strlen(after)) == 0 &&
		     user_maps_add_exec(&maps, 1, 200) == 0 &&
		     user_maps_add_fork(&maps, 1, 2, 50) == 0)) {
		assert_string_equal(path_at(&maps, 1, 5, 0x400000), "/bin/before");
		assert_string_equal(path_at(&maps, 1, 99, 0x400000), "/bin/before");
		assert_string_equal(path_at(&maps, 1, 30, 0x600000), "/lib/later.so");
		/* Nothing was recorded right after the start: later mappings apply. */
		assert_string_equal(path_at(&maps, 1, 100, 0x400000), "/bin/after");
		assert_string_equal(path_at(&maps, 1, 160, 0x400000), "/bin/after");
		assert_string_equal(path_at(&maps, 1, 160, 0x600000), "none");
		assert_string_equal(path_at(&maps, 1, 200, 0x400000), "unknown");
		/* The child has its parent's mappings at the fork, even after the parent's exec. */
		assert_string_equal(path_at(&maps, 2, 500, 0x400000), "/bin/before");
		assert_string_equal(path_at(&maps, 2, 500, 0x600000), "/lib/later.so");
	}
	user_maps_done(&maps);
}

/* A process that migrates between CPUs during exec: events of one CPU arrive late. */
static void accepts_late_events(void **state)
{
	const struct user_mapping program = { 0x400000, 0x500000, 0, "/bin/program", false, true };
	const struct user_mapping library = {
		0x600000, 0x601000, 0, "/lib/library.so", false, true
	};
	struct user_maps maps = { 0 };

	if (succeeds(user_maps_add_mapping(&maps, 1, 20, &program) == 0 &&
		     user_maps_add_mapping(&maps, 1, 30, &library) == 0 &&
		     user_maps_add_exec(&maps, 1, 10) == 0)) {
		assert_string_equal(path_at(&maps, 1, 40, 0x400000), "/bin/program");
		assert_string_equal(path_at(&maps, 1, 40, 0x600000), "/lib/library.so");
	}
	user_maps_done(&maps);
}

static void terminates_if_a_process_is_its_own_parent(void **state)
{
	struct user_maps maps = { 0 };

	if (succeeds(user_maps_add_fork(&maps, 1, 2, 10) == 0 &&
		     user_maps_add_fork(&maps, 2, 1, 10) == 0))
		assert_string_equal(path_at(&maps, 1, 50, 0x400000), "unknown");
	user_maps_done(&maps);
}

static void skips_invalid_lines(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"4d2",
		"4d2 2 /x\n400000",
		"4d2 2 /x\n400000 ",
		"zz 1 x\n",
		"4d2 2 /x\n500000 400000 /x\n",
		"ffffffffff 1 /x\n1 2 /x\n",
	};
	struct user_maps maps = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		user_maps_add_option(&maps, 1, texts[i], strlen(texts[i]));
		user_maps_add_text(&maps, 1234, 1, texts[i], strlen(texts[i]));
	}
	assert_string_not_equal(path_at(&maps, 1234, 1, 0x400000), "/x");
	user_maps_done(&maps);
}

static int fill_op(void *arg)
{
	struct user_maps maps = { 0 };
	int r = user_maps_add_text(&maps, 7, 100, text, strlen(text));

	if (r == 0)
		r = user_maps_add_option(&maps, 1, option, sizeof(option));
	if (r == 0)
		r = user_maps_add_fork(&maps, 7, 8, 1);
	user_maps_done(&maps);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(fill_op, NULL);
}

static const char log_text[] = "F 1 3e80 5 0 aabbcc /usr/bin/app\n"
			       "F 2 0 0 2 - /tmp/gone (deleted)\n"
			       "A 7 0\n"
			       "M 7 0 400000 401000 1000 1\n"
			       "M 7 0 200000 201000 0 0\n"
			       "T 8 3 7\n"
			       "C 9 4 7\n"
			       "X 9 a\n"
			       "M 9 b 400000 401000 0 2\n"
			       "M 7 20 200000 201000 0 2\n"
			       "no line\n"
			       "M 7 20 5000 4000 0 2\n"
			       "L 0 2\n";

static int read_log_text(struct user_maps *maps)
{
	_cleanup_strbuf_ struct strbuf text_of_log = { 0 };
	int r;

	strbuf_adds(&text_of_log, log_text);
	/* A sequence long enough to be sorted. */
	for (unsigned i = 10; i > 0; i--)
		strbuf_addf(&text_of_log, "M 9 %x %x %x %x 1\n", 0x40 - i, 0x900000 + i * 0x1000,
			    0x901000 + i * 0x1000, i);
	r = text_of_log.err ?: user_maps_add_log(maps, 1000, text_of_log.s, text_of_log.len);
	return r < 0 ? r : user_maps_seal(maps);
}

static void reads_the_log(void **state)
{
	struct user_maps maps = { 0 };
	const struct user_mapping *mapping;
	bool known;

	require(read_log_text(&maps) >= 0);
	mapping = user_maps_find(&maps, 7, 5, 0x400123, &known);
	assert_non_null(mapping);
	assert_string_equal(mapping->path, "/usr/bin/app");
	assert_int_equal(mapping->offset, 0x1000);
	assert_non_null(mapping->origin);
	assert_int_equal(mapping->origin->size, 0x3e80);
	assert_int_equal(mapping->origin->build_id_len, 3);
	assert_int_equal(mapping->origin->build_id[2], 0xcc);
	/* A thread also shares later mappings of its process. */
	assert_string_equal(path_at(&maps, 8, 1003, 0x200123), "");
	assert_string_equal(path_at(&maps, 8, 1040, 0x200123), "/tmp/gone");
	/* A child has its parent's mappings until its own exec. */
	assert_string_equal(path_at(&maps, 9, 1009, 0x400123), "/usr/bin/app");
	mapping = user_maps_find(&maps, 9, 1100, 0x400123, &known);
	assert_non_null(mapping);
	assert_true(mapping->deleted);
	assert_int_equal(mapping->origin->copy, 2);
	for (unsigned i = 1; i <= 10; i++) {
		mapping = user_maps_find(&maps, 9, 1100, 0x900fff + i * 0x1000, &known);
		assert_non_null(mapping);
		assert_int_equal(mapping->offset, i);
	}
	assert_string_equal(path_at(&maps, 9, 1100, 0x900fff), "none");
	assert_int_equal(maps.lost, 2);
	user_maps_done(&maps);
}

static int oom_log(void *arg)
{
	struct user_maps maps = { 0 };
	int r = read_log_text(&maps);

	user_maps_done(&maps);
	return r;
}

static void the_log_survives_failing_allocations(void **state)
{
	oom_check(oom_log, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_log),
		cmocka_unit_test(the_log_survives_failing_allocations),
		cmocka_unit_test(reads_proc_maps),
		cmocka_unit_test(reads_the_option),
		cmocka_unit_test(separates_programs),
		cmocka_unit_test(accepts_late_events),
		cmocka_unit_test(terminates_if_a_process_is_its_own_parent),
		cmocka_unit_test(skips_invalid_lines),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
