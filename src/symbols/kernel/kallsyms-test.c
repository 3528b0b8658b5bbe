/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/strbuf.h"
#include "symbols/kernel/kallsyms.h"

static void expect(const struct kallsyms *k, uint64_t address, const char *name, uint64_t offset)
{
	const struct kallsyms_symbol *symbol = kallsyms_find(k, NULL, address);

	if (!name) {
		assert_null(symbol);
		return;
	}
	assert_non_null(symbol);
	assert_string_equal(kallsyms_name(k, symbol), name);
	assert_int_equal(address - symbol->address, offset);
}

static const char small[] = "ffffffff81000200 T second\n"
			    "ffffffff81000100 t first\n"
			    "ffffffffc0001000 t in_module\t[ext4]\n"
			    "ffffffffc0002000 t end\t[ext4]\n";

static void finds_the_symbol_around_an_address(void **state)
{
	struct kallsyms k;

	assert_int_equal(kallsyms_init(&k, small, strlen(small)), 0);
	expect(&k, 0xffffffff81000100, "first", 0);
	expect(&k, 0xffffffff810001ff, "first", 0xff);
	expect(&k, 0xffffffff81000234, "second", 0x34);
	expect(&k, 0xffffffff810000ff, NULL, 0);
	kallsyms_done(&k);
}

/* The length of the last symbol is unknown. */
static void the_end_of_the_last_symbol_is_unknown(void **state)
{
	struct kallsyms k;

	assert_int_equal(kallsyms_init(&k, small, strlen(small)), 0);
	expect(&k, 0xffffffffc0002000, "end", 0);
	expect(&k, 0xffffffffc0002001, NULL, 0);
	kallsyms_done(&k);
}

static void reports_the_module(void **state)
{
	struct kallsyms k;

	assert_int_equal(kallsyms_init(&k, small, strlen(small)), 0);
	assert_string_equal(kallsyms_module(&k, kallsyms_find(&k, NULL, 0xffffffffc0001010)),
			    "ext4");
	assert_null(kallsyms_module(&k, kallsyms_find(&k, NULL, 0xffffffff81000110)));
	kallsyms_done(&k);
}

static void finds_the_first_alias(void **state)
{
	static const char text[] = "1000 t before\n"
				   "2000 T usual\n"
				   "2000 T __section_start\n"
				   "2000 T __other\n"
				   "3000 t after\n";
	struct kallsyms k;

	assert_int_equal(kallsyms_init(&k, text, strlen(text)), 0);
	for (uint32_t i = 1; i <= 3; i++) {
		assert_int_equal(k.symbols[i].address, 0x2000);
		assert_string_equal(kallsyms_name(&k, kallsyms_first_alias(&k, &k.symbols[i])),
				    "usual");
	}
	assert_string_equal(kallsyms_name(&k, kallsyms_function(&k, NULL, 0x2004)), "usual");
	assert_null(kallsyms_function(&k, NULL, 0x10));
	assert_string_equal(kallsyms_name(&k, kallsyms_first_alias(&k, &k.symbols[0])), "before");
	assert_string_equal(kallsyms_name(&k, kallsyms_first_alias(&k, &k.symbols[4])), "after");
	kallsyms_done(&k);
}

static void skips_invalid_lines(void **state)
{
	static const char text[] = "\n"
				   "rubbish\n"
				   "0000000000000000 A fixed_percpu_data\n"
				   "0000000000001000 a absolute\n"
				   "0000000000002000 t $x.1\n"
				   "0000000000003000 t\n"
				   "0000000000004000 t real\n"
				   "00000000000050000 t too_long\n"
				   "0000000000006000 t cut";
	struct kallsyms k;

	assert_int_equal(kallsyms_init(&k, text, strlen(text)), 0);
	assert_int_equal(k.n, 2);
	expect(&k, 0x4000, "real", 0);
	expect(&k, 0x6000, "cut", 0);
	expect(&k, 0x2000, NULL, 0);
	kallsyms_done(&k);
}

static void uses_the_first_name_inside_a_function(void **state)
{
	static const char text[] =
		"1000 t one\n1000 T two\n1000 T three\n2000 t next\n3000 t end\n";
	struct kallsyms k;

	assert_int_equal(kallsyms_init(&k, text, strlen(text)), 0);
	expect(&k, 0x1001, "one", 1);
	/* Five symbols; the search begins in the middle, at the third. */
	expect(&k, 0x1000, "one", 0);
	kallsyms_done(&k);
}

static void reads_digits_of_any_number_and_case(void **state)
{
	static const char text[] = "1 T a\n"
				   "1234567 T b\n"
				   "9abcdef0 T c\n"
				   "123456789abcdef T d\n"
				   "FFFFffff81000100 T e\n"
				   "fffffffFC0000000 T f\n"
				   "ffffffffd000000o T not_hex\n"
				   "fffffffgd0000000 T not_hex\n"
				   "ffffffff d000000 T not_a_type\n"
				   "fffffffff00000000 T too_long\n"
				   "ffffffffffffffff T g\n"
				   "ffffffff";
	struct kallsyms k;

	assert_int_equal(kallsyms_init(&k, text, strlen(text)), 0);
	expect(&k, 1, "a", 0);
	expect(&k, 0x1234567, "b", 0);
	expect(&k, 0x9abcdef0, "c", 0);
	expect(&k, 0x123456789abcdef, "d", 0);
	expect(&k, 0xffffffff81000100, "e", 0);
	expect(&k, 0xffffffffc0000000, "f", 0);
	expect(&k, UINT64_MAX, "g", 0);
	assert_int_equal(k.n, 7);
	kallsyms_done(&k);
}

static void finds_addresses_by_name(void **state)
{
	struct kallsyms k;
	uint64_t address;

	assert_int_equal(kallsyms_init(&k, small, strlen(small)), 0);
	assert_true(kallsyms_address(&k, "in_module", &address));
	assert_int_equal(address, 0xffffffffc0001000);
	assert_false(kallsyms_address(&k, "in_modul", &address));
	kallsyms_done(&k);
}

static void caches_lookups(void **state)
{
	struct kallsyms_cache *cache = calloc(1, sizeof(*cache));
	struct kallsyms k;

	assert_non_null(cache);
	assert_int_equal(kallsyms_init(&k, small, strlen(small)), 0);
	for (int i = 0; i < 3; i++) {
		assert_ptr_equal(kallsyms_find(&k, cache, 0xffffffff81000150),
				 kallsyms_find(&k, NULL, 0xffffffff81000150));
		assert_null(kallsyms_find(&k, cache, 0));
	}
	kallsyms_done(&k);
	free(cache);
}

static void is_empty_without_text(void **state)
{
	struct kallsyms k;
	uint64_t address;

	assert_int_equal(kallsyms_init(&k, "", 0), 0);
	expect(&k, 0, NULL, 0);
	assert_false(kallsyms_address(&k, "x", &address));
	kallsyms_done(&k);
}

/* The worst case for sorting: 64 random bits per address. */
static void is_fast_with_many_symbols(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const unsigned n = 200000;
	uint64_t seed = 1, start, limit, found = 0;
	struct kallsyms k;

	/* Timing is meaningless under the allocation torture. */
	require_memory();
	for (unsigned i = 0; i < n; i++) {
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		strbuf_addf(&text, "%016llx t function_number_%u\n", (unsigned long long)seed, i);
	}
	limit = 20 * cpu_time_of_sort(n);
	start = cpu_time();
	assert_int_equal(kallsyms_init(&k, text.s, text.len), 0);
	assert_true(cpu_time() - start < limit);
	assert_int_equal(k.n, n);
	for (unsigned i = 1; i < n; i++)
		assert_true(k.symbols[i - 1].address <= k.symbols[i].address);
	start = cpu_time();
	for (unsigned i = 0; i < n; i++) {
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		found += kallsyms_find(&k, NULL, seed) != NULL;
	}
	assert_true(cpu_time() - start < limit);
	assert_true(found > n - 100);
	kallsyms_done(&k);
}

static int build(void *arg)
{
	struct kallsyms k;
	int r = kallsyms_init(&k, small, strlen(small));

	if (r == 0)
		kallsyms_done(&k);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(build, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_symbol_around_an_address),
		cmocka_unit_test(the_end_of_the_last_symbol_is_unknown),
		cmocka_unit_test(reports_the_module),
		cmocka_unit_test(finds_the_first_alias),
		cmocka_unit_test(skips_invalid_lines),
		cmocka_unit_test(uses_the_first_name_inside_a_function),
		cmocka_unit_test(reads_digits_of_any_number_and_case),
		cmocka_unit_test(finds_addresses_by_name),
		cmocka_unit_test(caches_lookups),
		cmocka_unit_test(is_empty_without_text),
		cmocka_unit_test(is_fast_with_many_symbols),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
