/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "symbols/user/demangle.h"

static void expect(struct demangler *demangler, const char *name, const char *readable)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	bool done = demangle(demangler, name, &out);

	if (out.err)
		return;
	assert_int_equal(done, readable != NULL);
	assert_string_equal(strbuf_str(&out), readable ? readable : "");
}

static void leaves_plain_names_alone(void **state)
{
	struct demangler none = { 0 };

	expect(&none, "main", NULL);
	expect(&none, "", NULL);
	expect(&none, "_", NULL);
	expect(&none, "_start", NULL);
	expect(&none, "_Rust", NULL);
	expect(&none, "_ZN", NULL);
	expect(&none, "_ZN3fooE", NULL);
}

static void demangles_both_forms_of_rust(void **state)
{
	struct demangler none = { 0 };

	expect(&none, "_ZN4core3ptr4swap17h0123456789abcdefE", "core::ptr::swap");
	expect(&none, "_ZN4core3ptr4swap17h0123456789abcdefE.llvm.1234", "core::ptr::swap");
	expect(&none, "_ZN26_$LT$A$u20$as$u20$x..B$GT$3fmt17h0123456789abcdefE",
	       "<A as x::B>::fmt");
	expect(&none, "_ZN4core17h0123456789abcdefE", "core");
	/* No hash at the end: this is C++. */
	expect(&none, "_ZN4core3ptr4swapE", NULL);
	expect(&none, "_RNvC6_123foo3bar", "123foo::bar");
	expect(&none, "_RNvCs4fqI2P2rA04_7mycrate3foo", "mycrate::foo");
	expect(&none, "_RNCNvC1p4main0B3_", "p::main::{closure#0}");
	expect(&none, "_RINvC1p4callRShE", "p::call::<&[u8]>");
	expect(&none, "_RINvC1p1fAhj7_FUKClEuTlEE",
	       "p::f::<[u8; 7], unsafe extern \"C\" fn(i32), (i32,)>");
	expect(&none, "_RINvC1p1fDNtB2_1TEL_E", "p::f::<dyn p::T>");
}

static void output_is_bounded(void **state)
{
	/* Each tuple contains the previous one twice. */
	static const char prefix[] = "_RINvC1p1f", pair[] = "TB_B_E";
	struct demangler none = { 0 };
	char name[1024];
	size_t len = strlen(prefix);

	memcpy(name, prefix, len);
	for (int i = 0; i < 100; i++, len += strlen(pair))
		memcpy(name + len, pair, strlen(pair));
	memcpy(name + len, "E", 2);
	expect(&none, name, NULL);
	memset(name, 'S', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, prefix, strlen(prefix));
	expect(&none, name, NULL);
	expect(&none, "_RNvC99999999999999999999a3foo", NULL);
	expect(&none, "_ZN99999999999999999999a3foo17h0123456789abcdefE", NULL);
}

static void demangles_cpp_with_the_library(void **state)
{
	struct demangler demangler;

	demangler_load(&demangler);
	if (!demangler.cxx) {
		demangler_done(&demangler);
		skip_because("no libstdc++");
	}
	expect(&demangler, "_ZN4deep3BoxIiE3getEv", "deep::Box<int>::get()");
	expect(&demangler, "_Z1", NULL);
	demangler_done(&demangler);
}

static int demangle_op(void *arg)
{
	struct demangler none = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	demangle(&none, "_RINvC1p1fAhj7_FUKClEuTlEE", &out);
	return out.err;
}

static void survives_failing_allocations(void **state)
{
	oom_check(demangle_op, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_plain_names_alone),
		cmocka_unit_test(demangles_both_forms_of_rust),
		cmocka_unit_test(output_is_bounded),
		cmocka_unit_test(demangles_cpp_with_the_library),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
