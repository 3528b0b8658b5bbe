/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of probes in programs. Values are lowered for a fictitious place; places are those of this
 * program.
 */
#include "test.h"

#include <elf.h>

#include "base/cleanup.h"
#include "symbols/probe/probe.h"
#include "symbols/dwarf/program-types.h"

#define _cleanup_types_ _cleanup_(types_free_p)
#define _cleanup_arena_ _cleanup_(arena_done)
#define N(table)	(sizeof(table) / sizeof((table)[0]))

static const struct probe_site function_site = { .path = "/bin/app",
						 .function = "f",
						 .offset = 0x1234,
						 .machine = EM_X86_64,
						 .is_64 = true };
static const struct probe_site old_site = { .path = "/bin/old", .offset = 0x12, .machine = EM_386 };
static const struct probe_site marker_site = {
	.path = "/bin/app",
	.function = "app_mark",
	.offset = 0x44,
	.counter = 0x88,
	.arguments = "-4@%edi 8@-16(%rbp) 2@$5 1@8(%rax) 8@%xmm0 -8@%rsi",
	.machine = EM_X86_64,
	.is_64 = true
};

static const struct probe_where here = { .root = "" };

static int lower(const struct probe_site *site, const char *text, struct strbuf *line,
		 struct fathom_err *err)
{
	_cleanup_arena_ struct arena arena = { 0 };
	_cleanup_types_ struct types *types = NULL;
	struct probe_machine machine = { TYPE_ABI_X86_64, NULL, site };
	const struct probe *probe;
	char event[PROBE_NAME_SIZE];
	int r = probe_parse(text, &arena, &probe, err);

	if (r == 0)
		r = program_types_new(NULL, &types);
	if (r < 0)
		return r;
	machine.types = types;
	probe_site_event_name(probe, site ?: &function_site, 1, event);
	return probe_lower(probe, &machine, "g", event, line, NULL, err);
}

struct lowered {
	const struct probe_site *site;
	const char *text, *line;
};

static void lowers(void **state)
{
	static const struct lowered table[] = {
		{ &function_site, "u:/bin/app:f", "p:g/f /bin/app:0x1234" },
		{ &function_site, "u:/bin/app:f()", "p:g/f /bin/app:0x1234" },
		{ &function_site, "x=u:app:f", "p:g/x /bin/app:0x1234" },
		{ &function_site, "ur:/bin/app:f", "r:g/f_ret /bin/app:0x1234" },
		{ &function_site, "ur:/bin/app:f=>ret:s32, s=ret:string",
		  "r:g/f_ret /bin/app:0x1234 ret=$retval:s32 s=+0($retval):string" },
		{ &function_site, "u:/bin/app:f+0x10(%si)",
		  "p:g/f_0x10 /bin/app:0x1234 si=%si:x64" },
		{ &function_site, "u:/bin/a:b:f(arg1)", "p:g/f /bin/app:0x1234 arg1=%di:x64" },
		{ &function_site, "u:/bin/app:f(arg1:s8, arg2:u16, arg3:s32, arg6)",
		  "p:g/f /bin/app:0x1234 arg1=%di:s8 arg2=%si:u16 arg3=%dx:s32 arg6=%r9:x64" },
		{ &function_site, "u:/bin/app:f(arg1:string, arg2:ustring, arg2[1]:string)",
		  "p:g/f /bin/app:0x1234 arg1=+0(%di):string arg2=+0(%si):string "
		  "arg2_1=+0(+8(%si)):string" },
		{ &function_site, "u:/bin/app:f(arg1[0][2]:string, *arg1:s32, arg1[3]:x64)",
		  "p:g/f /bin/app:0x1234 arg1_0_2=+0(+16(+0(%di))):string arg1=+0(%di):s32 "
		  "arg1_3=+24(%di):x64" },
		{ &function_site, "u:/bin/app:f(((int *)arg1)[3], (u8)arg2, (short)*arg2)",
		  "p:g/f /bin/app:0x1234 arg1_3=+12(%di):s32 arg2=%si:u8 arg2_2=+0(%si):s16" },
		{ &function_site, "u:/bin/app:f(*(unsigned *)&((char *)arg1)[8])",
		  "p:g/f /bin/app:0x1234 arg1_8=+8(%di):u32" },
		{ &function_site, "u:/bin/app:f(((char **)((long *)arg1)[2])[1]:string)",
		  "p:g/f /bin/app:0x1234 arg1_2_1=+0(+8(+16(%di))):string" },
		{ &function_site, "u:/bin/app:f(((char __user **)arg1)[1]:string)",
		  "p:g/f /bin/app:0x1234 arg1_1=+0(+8(%di)):string" },
		{ &function_site, "u:/bin/app:f($stack1, $comm, n=5, %ip)",
		  "p:g/f /bin/app:0x1234 stack1=$stack1:x64 comm=$comm:string n=\\5:s64 ip=%ip:x64" },
		{ &old_site, "u:/bin/old:f($stack1:u32)",
		  "p:g/f /bin/old:0x12 stack1=$stack1:u32" },
		{ &old_site, "u:/bin/7old:0x12", "p:g/_7old_0x12 /bin/old:0x12" },
		{ &marker_site, "usdt:/bin/app:app:mark",
		  "p:g/app_mark /bin/app:0x44(0x88) arg1=%di:s32 arg2=-16(%bp):u64 arg3=\\5:u16 "
		  "arg4=+8(%ax):u8 arg6=%si:s64" },
		{ &marker_site, "usdt:app:app:mark()", "p:g/app_mark /bin/app:0x44(0x88)" },
		{ &marker_site, "usdt:app:app:mark(arg1:x, text=arg2:string, ((int *)arg6)[1])",
		  "p:g/app_mark /bin/app:0x44(0x88) arg1=%di:x32 text=+0(-16(%bp)):string "
		  "arg6_1=+4(%si):s32" },
	};

	for (size_t i = 0; i < N(table); i++) {
		_cleanup_strbuf_ struct strbuf line = { 0 };
		struct fathom_err err = { 0 };
		int r = lower(table[i].site, table[i].text, &line, &err);

		if (r == -ENOMEM)
			continue;
		if (r < 0)
			print_message("%s\n%s\n", table[i].text, err.message);
		assert_int_equal(r, 0);
		assert_string_equal(strbuf_str(&line), table[i].line);
	}
}

struct mistake {
	const struct probe_site *site;
	const char *text, *caret, *message;
};

static void points_at_mistakes(void **state)
{
	static const struct mistake table[] = {
		{ &function_site, "u:main", "  ^", "expected a program and a location in it" },
		{ &function_site, "u::main", "  ^", "expected the path or name of a program" },
		{ &function_site, "u:12::main", "     ^", "expected the path or name" },
		{ &function_site, "u:0:main", "  ^", "invalid PID" },
		{ &function_site, "u:/bin/app:", "           ^", "expected a function name" },
		{ &function_site, "u:/bin/app:+1", "           ^", "expected a function name" },
		{ &function_site, "u:/bin/app:f+x", "             ^", "expected a number" },
		{ &function_site, "u:/bin/app:f+0x99999999", "            ^", "offset too large" },
		{ &function_site, "u:/bin/app:f*+1", "             ^",
		  "an offset cannot be combined with a glob" },
		{ &function_site, "u:/bin/app:12x", "           ^", "invalid number" },
		{ &function_site, "ur:/bin/app:0x12", "            ^",
		  "'ur:' requires a function name" },
		{ &function_site, "ur:/bin/app:f+1", "             ^",
		  "an offset is supported only in 'u:'" },
		{ &function_site, "ur:/bin/app:f(arg1)", "             ^",
		  "parameters are not available at the return of a user function: use 'u:'" },
		{ &function_site, "u:/bin/app:f => ret", "             ^",
		  "'=>' requires a return probe: use 'ur:'" },
		{ &function_site, "u:/bin/app:f(ret)", "             ^",
		  "the return value is available only in 'ur:'" },
		{ &function_site, "u:/bin/app:f(size)", "             ^", "" },
		{ &function_site, "u:/bin/app:f(arg7)", "             ^",
		  "parameter 7 is not in a register" },
		{ &function_site, "u:/bin/app:f+1(arg1)", "               ^",
		  "parameters are available only at function entry" },
		{ &function_site, "u:/bin/app:f(*arg1)", "             ^",
		  "unknown type: specify a format" },
		{ &function_site, "u:/bin/app:f(arg1[0]:x)", "                 ^",
		  "unknown type: specify a format" },
		{ &function_site, "u:/bin/app:f(arg1[1]:s32)", "                 ^",
		  "unknown element type" },
		{ &function_site, "u:/bin/app:f(arg1->x)", "             ^",
		  "unknown type: cast it first, as in '((int *)arg1)'" },
		{ &function_site, "u:/bin/app:f(arg1:symbol)", "                  ^",
		  "symbol is not supported in user probes" },
		{ &function_site, "u:/bin/app:f((struct x *)arg1)", "              ^",
		  "unknown type 'struct x'" },
		{ &old_site, "u:/bin/old:f(arg1)", "             ^",
		  "32-bit programs pass parameters on the stack" },
		{ &marker_site, "usdt:mark", "     ^", "expected a program and a location in it" },
		{ &marker_site, "usdt:app:mark", "     ^",
		  "expected a program, a provider and a name" },
		{ &marker_site, "usdt:app::mark", "         ^",
		  "expected the provider of a marker" },
		{ &marker_site, "usdt:app:app:", "             ^",
		  "expected the name of a marker" },
		{ &marker_site, "usdt:app:app:mark(arg7)", "                  ^",
		  "the marker has 6 arguments" },
		{ &marker_site, "usdt:app:app:mark(arg5)", "                  ^",
		  "argument not available: in a register" },
		{ &marker_site, "usdt:app:app:mark(size)", "                  ^",
		  "marker arguments have no names" },
		{ &marker_site, "usdt:app:app:mark(arg1[1])", "                  ^",
		  "not a pointer: the type is 's32'" },
		{ NULL, "u:/bin/app:f", "           ^", "place in the program was not resolved" },
		{ NULL, "usdt:app:app:mark", "         ^",
		  "place in the program was not resolved" },
	};

	for (size_t i = 0; i < N(table); i++) {
		_cleanup_strbuf_ struct strbuf line = { 0 };
		char want[FATHOM_ERR_MESSAGE_SIZE];
		struct fathom_err err = { 0 };
		int r = lower(table[i].site, table[i].text, &line, &err);

		if (r == -ENOMEM)
			continue;
		if (r == 0 || strncmp(err.message, table[i].message, strlen(table[i].message)) != 0)
			print_message("%s\n%s\n%s\n", table[i].text, strbuf_str(&line),
				      err.message);
		assert_int_equal(r, -EINVAL);
		assert_memory_equal(err.message, table[i].message, strlen(table[i].message));
		snprintf(want, sizeof(want), "\n    %s\n    %s", table[i].text, table[i].caret);
		assert_string_equal(strchr(err.message, '\n'), want);
	}
}

int probed_one(int n);
int probed_two(int n);

__attribute__((noinline, used)) int probed_one(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((noinline, used)) int probed_two(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 2;
}

struct sample_inner {
	long pad;
	const char *name;
};

struct sample {
	int value;
	unsigned low : 3, high : 9;
	struct sample_inner *inner;
	short list[4];
	struct sample *next;
	union {
		int number;
		char letter;
	};
};

struct sample_other {
	int first, second;
};

int probed_typed(const struct sample *sample, double d, char **list, signed char c);
struct sample_other *typed_other(struct sample_inner inner, int n);

__attribute__((noinline, used)) int probed_typed(const struct sample *sample, double d, char **list,
						 signed char c)
{
	__asm__ volatile("" : : "r"(sample), "r"(list) : "memory");
	return (int)d + c;
}

__attribute__((noinline, used)) struct sample_other *typed_other(struct sample_inner inner, int n)
{
	static struct sample_other other;

	__asm__ volatile("" : : "r"(inner.pad) : "memory");
	other.second = n;
	return &other;
}

static int find(const char *text, struct probe_sites *ret, struct fathom_err *err)
{
	_cleanup_arena_ struct arena arena = { 0 };
	const struct probe *probe;
	int r = probe_parse(text, &arena, &probe, err);

	return r < 0 ? r : probe_sites_find(&here, probe, ret, err);
}

static void finds_places(void **state)
{
	_cleanup_probe_sites_ struct probe_sites one = { 0 };
	_cleanup_probe_sites_ struct probe_sites all = { 0 };
	_cleanup_probe_sites_ struct probe_sites inside = { 0 };
	_cleanup_probe_sites_ struct probe_sites kernel = { 0 };
	char name[PROBE_NAME_SIZE], text[64];

	require(find("u:/proc/self/exe:probed_one", &one, NULL) >= 0 &&
		find("u:/proc/self/exe:probed_o*", &all, NULL) >= 0 &&
		find("u:/proc/self/exe:probed_one+1", &inside, NULL) >= 0 &&
		find("k:vfs_open", &kernel, NULL) >= 0);
	assert_int_equal(one.n, 1);
	assert_string_equal(one.list[0].path, "/proc/self/exe");
	assert_int_equal(all.n, 1);
	assert_int_equal(all.list[0].offset, one.list[0].offset);
	assert_int_equal(inside.list[0].offset, one.list[0].offset + 1);
	assert_int_equal(kernel.n, 1);
	assert_null(kernel.types);
	snprintf(text, sizeof(text), "u:/proc/self/exe:0x%llx",
		 (unsigned long long)one.list[0].offset);
	{
		_cleanup_probe_sites_ struct probe_sites place = { 0 };
		_cleanup_arena_ struct arena arena = { 0 };
		const struct probe *probe;

		require(find(text, &place, NULL) >= 0 &&
			probe_parse(text, &arena, &probe, NULL) >= 0);
		assert_int_equal(place.list[0].offset, one.list[0].offset);
		probe_site_event_name(probe, &place.list[0], 3, name);
		assert_non_null(strstr(name, "exe_0x"));
		assert_string_equal(name + strlen(name) - 2, "_3");
		assert_true(probe_in_program(probe));
	}
}

static void points_at_missing_places(void **state)
{
	static const struct mistake table[] = {
		{ NULL, "u:/proc/self/exe:probed_on", "                 ^",
		  "no function 'probed_on' in '/proc/self/exe'; did you mean 'probed_one'?" },
		{ NULL, "u:/proc/self/exe:nobody_is_called_this_*", "                 ^",
		  "no function in '/proc/self/exe' matches 'nobody_is_called_this_*'" },
		{ NULL, "u:/proc/self/exe:probed_one+0x7000000", "                 ^",
		  "offset beyond the end of 'probed_one'" },
		{ NULL, "u:/proc/self/exe:0", "                 ^", "no code at this file offset" },
		{ NULL, "u:/proc/self/exe:[", "                 ^", "" },
		{ NULL, "u:/no/such/file:f", "  ^", "cannot open '/no/such/file'" },
		{ NULL, "u:/proc/self/status:f", "  ^", "" },
		{ NULL, "u:2147483647:main", "  ^", "no process 2147483647" },
		{ NULL, "usdt:/proc/self/exe:a:b", "                    ^", "no markers in" },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct probe_sites sites = { 0 };
		struct fathom_err err = { 0 };
		const char *last;
		int r = find(table[i].text, &sites, &err);

		if (r == -ENOMEM)
			continue;
		if (r == 0 || strncmp(err.message, table[i].message, strlen(table[i].message)) != 0)
			print_message("%s\n%s\n", table[i].text, err.message);
		assert_int_equal(r, -EINVAL);
		assert_memory_equal(err.message, table[i].message, strlen(table[i].message));
		last = strrchr(err.message, '\n');
		assert_non_null(last);
		assert_string_equal(last + 5, table[i].caret);
	}
}

/*
 * Returns the values of a probe in this program in the kernel's syntax; NULL: no debug information.
 */
static const char *typed(const char *text, struct strbuf *line, struct fathom_err *err)
{
	_cleanup_arena_ struct arena arena = { 0 };
	_cleanup_probe_sites_ struct probe_sites sites = { 0 };
	struct probe_machine machine = { TYPE_ABI_X86_64 };
	const struct probe *probe;
	const char *space;

	strbuf_clear(line);
	if (probe_parse(text, &arena, &probe, err) < 0 ||
	    probe_sites_find(&here, probe, &sites, err) < 0 || !sites.has_debug_information)
		return NULL;
	machine = probe_sites_machine(&sites, 0, &machine);
	if (probe_lower(probe, &machine, "g", "e", line, NULL, err) < 0)
		return "";
	space = strchr(line->s, ' ');
	space = space ? strchr(space + 1, ' ') : NULL;
	return space ? space + 1 : "";
}

#define SELF "u:/proc/self/exe:"

static void takes_types_from_debug_information(void **state)
{
	static const char *const table[][2] = {
		{ SELF "probed_typed(sample->value, sample->inner->name:string, list[1]:string, c)",
		  "value=+0(%di):s32 name=+0(+8(+8(%di))):string list_1=+0(+8(%si)):string c=%dx:s8" },
		{ SELF "probed_typed(sample->high, sample->list, sample->next->next->letter)",
		  "high=+4(%di):b9@3/16 list=+16(%di):s16[4] letter=+32(+24(+24(%di))):s8" },
		{ SELF "probed_typed(arg4, ((struct sample_other *)list)->second, $arg1)",
		  "arg4=%dx:s8 second=+4(%si):s32 arg1=%di:x64" },
		{ "ur:/proc/self/exe:probed_typed => ret", "ret=$retval:s32" },
	};
	_cleanup_strbuf_ struct strbuf line = { 0 };
	struct fathom_err err = { 0 };
	const char *found = typed(SELF "probed_typed(c)", &line, &err);

	require_memory();
	require(found);
	if (!*found)
		skip_because("this program has no types, or there is no libdw");
	for (size_t i = 0; i < N(table); i++) {
		found = typed(table[i][0], &line, &err);
		if (!found || strcmp(found, table[i][1]) != 0)
			print_message("%s\n%s\n", table[i][0], err.message);
		assert_string_equal(found, table[i][1]);
	}
	/* The locations of the others depend on how the struct is passed. */
	assert_string_equal(typed(SELF "typed_other(n)", &line, &err), "");
	assert_non_null(strstr(err.message, "their locations are not certain"));
	assert_string_equal(typed(SELF "probed_typed(d)", &line, &err), "");
	assert_non_null(strstr(err.message, "parameter not available"));
	assert_string_equal(typed(SELF "probed_typed(sample->valuex)", &line, &err), "");
	assert_non_null(strstr(err.message, "did you mean 'value'?"));
}

static void compares_lines(void **state)
{
	assert_true(probe_lines_are_alike("p:g/e /a:0x1", "p:g/e /b:0x2(0x3)"));
	assert_true(probe_lines_are_alike("p:g/e /a:0x1 a=%di:s32 b=\\5:u8",
					  "p:g/e /a:0x2 a=+8(%ax):s32 b=%si:u8"));
	assert_false(probe_lines_are_alike("p:g/e /a:0x1 a=%di:s32", "p:g/e /a:0x2 a=%di:s64"));
	assert_false(probe_lines_are_alike("p:g/e /a:0x1 a=%di:s32", "p:g/e /a:0x2 b=%di:s32"));
	assert_false(probe_lines_are_alike("p:g/e /a:0x1 a=%di:s32", "p:g/e /a:0x2"));
	assert_false(probe_lines_are_alike("p:g/e /a:0x1", "p:g/e /a:0x2 a=%di:s32"));
}

static int whole(void *arg)
{
	_cleanup_strbuf_ struct strbuf line = { 0 };
	_cleanup_probe_sites_ struct probe_sites sites = { 0 };
	int r = lower(&marker_site, "usdt:app:app:mark", &line, NULL);

	return r < 0 ? r : find("u:/proc/self/exe:probed_*", &sites, NULL);
}

static void survives_failing_allocations(void **state)
{
	oom_check(whole, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lowers),
		cmocka_unit_test(points_at_mistakes),
		cmocka_unit_test(finds_places),
		cmocka_unit_test(points_at_missing_places),
		cmocka_unit_test(takes_types_from_debug_information),
		cmocka_unit_test(compares_lines),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests_name("probe-user", tests, NULL, NULL);
}
