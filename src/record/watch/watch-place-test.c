/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses to watch: in this program, in symbols of a kernel, and from a process that is not
 * trusted.
 */
#include "test.h"

#include <unistd.h>

#include "record/watch/watch-place-parts.h"

/* Watched below. */
PLAIN_VARIABLE uint32_t watch_place_word = 77;
PLAIN_VARIABLE uint16_t watch_place_list[10] = { 1, 2, 3 };

static void accepts_only_supported_sizes(void **state)
{
	const struct watch_place sent = { .address = 0x1000, .length = 4, .is_function = true };
	const uint64_t member[] = { 0x2000, 8 };
	struct watch_spec spec = { .text = "x" };
	struct watch_search search = { .spec = &spec, .shown = "app" };
	struct fathom_err err = { 0 };

	for (size_t len = 0; len < sizeof(sent); len++)
		assert_int_equal(watch_search_take_symbol(&search, (const char *)&sent, len, &err),
				 -EPROTO);
	for (size_t len = 0; len < sizeof(member); len++)
		assert_int_equal(watch_search_take_member(&search, (const char *)member, len, &err),
				 -EPROTO);
	assert_string_equal(fathom_err_text(&err), "cannot read 'app'");
	assert_int_equal(search.place.address, 0);
	assert_int_equal(spec.address, 0);

	assert_int_equal(watch_search_take_symbol(&search, (const char *)&sent, sizeof(sent), NULL),
			 0);
	assert_int_equal(search.place.address, 0x1000);
	assert_int_equal(search.place.length, 4);
	assert_true(search.place.is_function);
	assert_int_equal(
		watch_search_take_member(&search, (const char *)member, sizeof(member), NULL), 0);
	assert_int_equal(spec.address, 0x2000);
	assert_int_equal(spec.length, 8);
}

static void finds_variables_in_a_program(void **state)
{
	struct watch_place place = { 0 };
	uint16_t value = 0;

	require_memory();
	assert_int_equal(watch_place_program(&(struct watch_spec){ .symbol = "watch_place_word" },
					     NULL, getpid(), &place, NULL),
			 0);
	assert_int_equal(place.address, (uintptr_t)&watch_place_word);
	assert_int_equal(place.length, sizeof(watch_place_word));
	assert_false(place.is_function);
	assert_false(place.guessed);
	/* Part of it, with and without a length. */
	assert_int_equal(watch_place_program(&(struct watch_spec){ .symbol = "watch_place_list",
								   .address = 4,
								   .length = 2 },
					     "/proc/self/exe", getpid(), &place, NULL),
			 0);
	assert_int_equal(place.address, (uintptr_t)&watch_place_list[2]);
	assert_int_equal(place.length, 2);
	assert_int_equal(watch_read_memory(getpid(), place.address, &value, sizeof(value)), 0);
	assert_int_equal(value, 3);
	assert_int_equal(watch_place_program(&(struct watch_spec){ .symbol = "watch_place_list",
								   .address = 4 },
					     NULL, getpid(), &place, NULL),
			 0);
	assert_int_equal(place.length, 8);
	assert_true(place.guessed);
}

static void finds_functions_in_a_program(void **state)
{
	struct watch_place place = { 0 };

	require_memory();
	assert_int_equal(watch_place_program(&(struct watch_spec){ .symbol = "main" }, NULL,
					     getpid(), &place, NULL),
			 0);
	assert_true(place.is_function);
	assert_false(place.guessed);
}

static void an_address_needs_no_program(void **state)
{
	struct watch_place place = { 0 };

	assert_int_equal(watch_place_program(&(struct watch_spec){ .address = 0x1234, .length = 4 },
					     NULL, 0, &place, NULL),
			 0);
	assert_int_equal(place.address, 0x1234);
	assert_int_equal(place.length, 4);
	assert_int_equal(watch_read_memory(getpid(), 16, &place, 8), -EFAULT);
}

static void refuses(int code, const char *symbol, const char *file, pid_t pid, const char *words)
{
	struct fathom_err err = { 0 };
	struct watch_place place;

	assert_int_equal(watch_place_program(&(struct watch_spec){ .symbol = symbol }, file, pid,
					     &place, &err),
			 code);
	if (!strstr(fathom_err_text(&err), words))
		fail_msg("'%s' does not say '%s'", fathom_err_text(&err), words);
}

static void reports_symbols_missing_from_a_program(void **state)
{
	require_memory();
	refuses(-ENOENT, "no_such_variable", NULL, getpid(), "stripped or optimized away");
	refuses(-ENOENT, "no_such.member", NULL, getpid(), "(struct foo)no_such.member");
	/* The symbol is in the program, not in this file. */
	refuses(-ENOENT, "watch_place_word", "/bin/sh", getpid(), "no symbol 'watch_place_word'");
	refuses(-ENOENT, "watch_place_word", "/nonexistent/file", getpid(), "/nonexistent/file");
	refuses(-ENOENT, "watch_place_word", NULL, 1 << 30, "process 1073741824");
}

static const char symbols[] = "ffffffff81000000 T _stext\n"
			      "ffffffff81000100 T do_it\n"
			      "ffffffff81000200 t twice\n"
			      "ffffffff81000300 t twice\n"
			      "ffffffff81900000 T _etext\n"
			      "ffffffff82000000 D word\n"
			      "ffffffff82000004 D next\n"
			      "ffffffff82000010 T jiffies\n"
			      "ffffffff82000019 D odd\n"
			      "ffffffff82000030 D last\n";

static void finds_kernel_symbols(void **state)
{
	static const struct {
		const char *symbol;
		uint64_t add, length, address, wanted;
		bool is_function, guessed;
	} table[] = {
		{ "word", 0, 0, 0xffffffff82000000, 4, false, true }, /* up to the next symbol */
		{ "word", 2, 0, 0xffffffff82000002, 2, false, true },
		{ "word", 0, 1, 0xffffffff82000000, 1, false, false },
		/* Marked as code, but outside it. */
		{ "jiffies", 0, 0, 0xffffffff82000010, 8, false, true },
		{ "odd", 0, 0, 0xffffffff82000019, 1, false, true },
		{ "last", 0, 0, 0xffffffff82000030, 8, false, true },
		{ "do_it", 0, 0, 0xffffffff81000100, 8, true, false },
		{ NULL, 0x1000, 4, 0x1000, 4, false, false },
	};
	struct kallsyms kallsyms;

	require(kallsyms_init(&kallsyms, symbols, strlen(symbols)) == 0);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct watch_spec spec = { .symbol = table[i].symbol,
					   .address = table[i].add,
					   .length = table[i].length };
		struct watch_place place = { 0 };

		if (succeeds(watch_place_kernel(&spec, &kallsyms, &place, NULL) == 0)) {
			assert_int_equal(place.address, table[i].address);
			assert_int_equal(place.length, table[i].wanted);
			assert_int_equal(place.is_function, table[i].is_function);
			assert_int_equal(place.guessed, table[i].guessed);
		}
	}
	kallsyms_done(&kallsyms);
}

static void reports_symbols_missing_from_the_kernel(void **state)
{
	static const struct {
		const char *text, *symbol, *words;
		int code;
	} table[] = {
		{ symbols, "twice",
		  "'twice': give one of 2 addresses: 0xffffffff81000200, "
		  "0xffffffff81000300",
		  -ENOTUNIQ },
		{ symbols, "wordx", "did you mean 'word'?", -ENOENT },
		{ symbols, "quite_another_name", "no kernel symbol 'quite_another_name'", -ENOENT },
		{ "0000000000000000 D word\n", "word", "addresses are hidden", -EACCES },
	};

	require_memory();
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct watch_spec spec = { .symbol = table[i].symbol };
		struct fathom_err err = { 0 };
		struct watch_place place;
		struct kallsyms kallsyms;

		assert_int_equal(kallsyms_init(&kallsyms, table[i].text, strlen(table[i].text)), 0);
		assert_int_equal(watch_place_kernel(&spec, &kallsyms, &place, &err), table[i].code);
		if (!strstr(fathom_err_text(&err), table[i].words))
			fail_msg("'%s' does not say '%s'", fathom_err_text(&err), table[i].words);
		kallsyms_done(&kallsyms);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_only_supported_sizes),
		cmocka_unit_test(finds_variables_in_a_program),
		cmocka_unit_test(finds_functions_in_a_program),
		cmocka_unit_test(an_address_needs_no_program),
		cmocka_unit_test(reports_symbols_missing_from_a_program),
		cmocka_unit_test(finds_kernel_symbols),
		cmocka_unit_test(reports_symbols_missing_from_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
