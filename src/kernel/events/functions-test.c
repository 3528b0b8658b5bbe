/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "tree.h"

#include "base/cleanup.h"
#include "base/pattern/match.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "kernel/events/functions.h"

#define _cleanup_functions_ _cleanup_(functions_done)

static char *copy(const char *text)
{
	char *s = mem_strdup(text);

	assert_non_null(s);
	return s;
}

static void parse(const char *text, bool with_addrs, struct functions *ret)
{
	assert_int_equal(functions_parse(copy(text), with_addrs, ret, NULL), 0);
}

static void reads_names_and_modules(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };

	parse("vfs_read\n"
	      "nf_hook [nf_tables]\n"
	      "__ftrace_invalid_address___64\n"
	      "\n"
	      " odd\n"
	      "__bpfprog_6deef7357e7b4530\n"
	      "broken [never closed\n"
	      "__x64_sys_read",
	      false, &f);
	assert_int_equal(f.n, 5);
	assert_int_equal(f.hidden, 1);
	assert_string_equal(f.list[0].name, "__bpfprog_6deef7357e7b4530");
	assert_string_equal(f.list[1].name, "__x64_sys_read");
	assert_string_equal(f.list[2].name, "broken");
	assert_null(f.list[2].module);
	assert_string_equal(f.list[3].name, "nf_hook");
	assert_string_equal(f.list[3].module, "nf_tables");
	assert_string_equal(f.list[4].name, "vfs_read");
	/* Counted as by set_ftrace_filter, including hidden entries. */
	assert_int_equal(f.list[4].line, 1);
	assert_int_equal(f.list[0].line, 6);
	assert_int_equal(f.list[1].line, 8);
	assert_null(f.list[4].module);
	assert_int_equal(f.list[4].same, 1);
}

static void ignores_empty_module_names(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };
	_cleanup_free_ char *kallsyms = copy("ffffffff81000000 t other\n");

	parse("a []\na\n", false, &f);
	assert_int_equal(f.n, 2);
	assert_null(f.list[0].module);
	assert_int_equal(functions_locate(&f, kallsyms), FUNCTIONS_ADDRS_HIDDEN);
}

static void reads_addresses(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };

	parse("ffffffff81000004 b\nffffffffc0001000 a [mod]\nnonsense\n", true, &f);
	assert_int_equal(f.n, 2);
	assert_true(f.list[0].addr == 0xffffffffc0001000);
	assert_string_equal(f.list[0].module, "mod");
	assert_true(f.list[1].addr == 0xffffffff81000004);
}

static void finds_by_name(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };
	size_t n = 7;

	parse("c\nb\na\nb\n", false, &f);
	assert_ptr_equal(functions_find(&f, "b", &n), &f.list[1]);
	assert_int_equal(n, 2);
	assert_ptr_equal(functions_find(&f, "c", &n), &f.list[3]);
	assert_int_equal(n, 1);
	assert_null(functions_find(&f, "d", &n));
	assert_int_equal(n, 0);
}

static int locate(struct functions *f, const char *kallsyms)
{
	char *text = copy(kallsyms);
	int r = functions_locate(f, text);

	free(text);
	return r;
}

static void numbers_functions_with_the_same_name(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };

	parse("a\nshow\nb\nshow\nshow [m]\n", false, &f);
	assert_int_equal(locate(&f, "1000 T a\n1100 t show\n1180 d show\n1200 T b\n1300 t show\n"
				    "9000 t show\t[m]\n9100 t show\t[other]\n"),
			 FUNCTIONS_LOCATED);
	assert_string_equal(f.list[2].name, "show");
	assert_int_equal(f.list[2].same, 3);
	assert_int_equal(f.list[2].addr, 0x1100);
	assert_int_equal(f.list[3].addr, 0x1300);
	assert_int_equal(f.list[3].nth, 2);
	assert_int_equal(f.list[4].addr, 0x9000);
}

/* kallsyms has a third symbol that cannot be traced; the neighbors rule it out. */
static void locates_functions_by_their_neighbors(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };

	parse("a\nshow\nb\nc\nshow\nz\n", false, &f);
	assert_int_equal(locate(&f, "1000 T a\n1100 t show\n1200 T b\n1210 t show\n1220 T c\n"
				    "1300 t show\n1400 T z\n"),
			 FUNCTIONS_LOCATED);
	assert_string_equal(f.list[3].name, "show");
	assert_int_equal(f.list[3].addr, 0x1100);
	assert_int_equal(f.list[4].addr, 0x1300);
}

static void leaves_uncertain_addresses_unknown(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };

	parse("a\nshow\nb\nshow\nc\n", false, &f);
	assert_int_equal(locate(&f, "1000 T a\n1100 t show\n1150 t show\n1200 T b\n1300 t show\n"
				    "1400 T c\n"),
			 FUNCTIONS_LOCATED_PARTLY);
	assert_int_equal(f.list[3].addr, 0);
	assert_int_equal(f.list[4].addr, 0x1300);
}

/* One symbol, three entries: only the first one can be the function. */
static void recognizes_dropped_code(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };
	size_t n;

	parse("a\nshow\nshow\nshow\nb\n", false, &f);
	assert_int_equal(locate(&f, "1000 T a\n1100 t show\n1200 T b\n"), FUNCTIONS_LOCATED);
	assert_string_equal(f.list[2].name, "show");
	assert_int_equal(f.list[2].addr, 0x1100);
	assert_int_equal(f.list[2].same, 1);
	assert_false(f.list[2].dropped);
	assert_true(f.list[3].dropped && f.list[4].dropped);
	functions_find(&f, "show", &n);
	assert_int_equal(n, 3);
}

static void recognizes_hidden_addresses(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };

	parse("show\nb\nshow\n", false, &f);
	assert_int_equal(locate(&f, "0000 t show\n0000 T b\n0000 t show\n"),
			 FUNCTIONS_ADDRS_HIDDEN);
	assert_int_equal(f.list[1].addr, 0);
	assert_int_equal(locate(&f, ""), FUNCTIONS_ADDRS_HIDDEN);
}

static void finds_the_start_from_the_traced_instruction(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };

	parse("1104 show\n1204 b\n1304 show\n1504 show\n", true, &f);
	assert_int_equal(locate(&f, "1100 t show\n1200 T b\n1300 t show\n1400 t show\n"),
			 FUNCTIONS_LOCATED);
	assert_int_equal(f.list[1].addr, 0x1100);
	assert_int_equal(f.list[2].addr, 0x1300);
	assert_int_equal(f.list[3].addr, 0x1504);
}

static void survives_garbage(void **state)
{
	static const char text[] = "\n \n[\n[]\nx [\ny ]\nz []\n\t\nffff\nffff \nffff q []]\n";
	_cleanup_functions_ struct functions f = { 0 }, g = { 0 };

	parse(text, false, &f);
	parse(text, true, &g);
	locate(&f, "1\n1 \n1 t\n1 t \n1 t x\n1 t x\t[\n1 t x [y\n zz\n1 t x]\n");
	locate(&g, text);
}

static void reads_a_tree(void **state)
{
	_cleanup_functions_ struct functions f = { 0 };
	struct fathom_err err = { 0 };
	int dir = *(int *)*state;

	if (succeeds(functions_read(dir, true, &f, &err) != -ENOMEM))
		assert_non_null(strstr(fathom_err_text(&err), "cannot trace functions"));
	tree_file("/available_filter_functions", "b\na [m]\n");
	if (succeeds(functions_read(dir, true, &f, NULL) == 0))
		assert_int_equal(f.n, 2);
	functions_done(&f);
	tree_file("/available_filter_functions_addrs", "10 c\n");
	if (succeeds(functions_read(dir, true, &f, NULL) == 0))
		assert_string_equal(f.list[0].name, "c");
	functions_done(&f);
	if (succeeds(functions_read(dir, false, &f, NULL) == 0))
		assert_int_equal(f.n, 2);
}

static int whole_way(void *arg)
{
	_cleanup_functions_ struct functions f = { 0 };
	char kallsyms[] = "1000 T a\n1100 t show\n1200 T b\n1300 t show\n1400 t show\n";
	char *text = mem_strdup("a\nshow\nb\nshow\n");
	int r = text ? functions_parse(text, false, &f, NULL) : -ENOMEM;

	if (r == 0)
		r = functions_locate(&f, kallsyms);
	return r < 0 ? r : 0;
}

static void survives_failing_allocations(void **state)
{
	oom_check(whole_way, NULL);
}

/* Runtime must stay far from quadratic; bench/list measures it. */
static void handles_many_functions_quickly(void **state)
{
	_cleanup_strbuf_ struct strbuf list = { 0 }, symbols = { 0 };
	_cleanup_functions_ struct functions f = { 0 };
	uint64_t start, limit;
	struct match m;
	size_t hits = 0;
	char *text;

	/* Too slow under the allocation torture, and the other tests cover that. */
	require_memory();
	for (unsigned i = 0; i < 60000; i++) {
		strbuf_addf(&list, "fn_%x_%s\n", i * 2654435761U, i % 100 ? "x" : "read");
		strbuf_addf(&symbols, "%x t fn_%x_%s\n", 4096 + i * 16, i * 2654435761U,
			    i % 100 ? "x" : "read");
		if (i % 50 == 0) {
			strbuf_adds(&list, "show\n");
			strbuf_addf(&symbols, "%x t show\n", 4096 + i * 16 + 8);
		}
	}
	text = strbuf_take(&list);
	assert_non_null(text);
	limit = 100 * cpu_time_of_sort(60000);
	start = cpu_time();
	assert_int_equal(functions_parse(text, false, &f, NULL), 0);
	assert_int_equal(functions_locate(&f, symbols.s), FUNCTIONS_LOCATED);
	assert_int_equal(match_init(&m, "*_read", 0, NULL), 0);
	for (size_t i = 0; i < f.n; i++)
		hits += match_test(&m, f.list[i].name);
	match_done(&m);
	assert_int_equal(hits, 600);
	assert_true(cpu_time() - start < limit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_names_and_modules),
		cmocka_unit_test(ignores_empty_module_names),
		cmocka_unit_test(reads_addresses),
		cmocka_unit_test(finds_by_name),
		cmocka_unit_test(numbers_functions_with_the_same_name),
		cmocka_unit_test(locates_functions_by_their_neighbors),
		cmocka_unit_test(leaves_uncertain_addresses_unknown),
		cmocka_unit_test(recognizes_dropped_code),
		cmocka_unit_test(recognizes_hidden_addresses),
		cmocka_unit_test(finds_the_start_from_the_traced_instruction),
		cmocka_unit_test(survives_garbage),
		cmocka_unit_test_setup_teardown(reads_a_tree, tree_setup, tree_teardown),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(handles_many_functions_quickly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
