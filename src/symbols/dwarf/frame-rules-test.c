/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of DWARF expressions that compute frames. They come from untrusted files, so the tests
 * check the result of each operation, and that none accesses memory outside the machine's stack.
 */
#include "symbols/dwarf/frame-rules.h"

#include "test.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/cleanup.h"

enum {
	STACK_WORDS = 32, /* of the machine */
	CFA = 0x7000,
	KNOWN_REG = 3,
	KNOWN_WORD = 0x5000,
};

static bool give_reg(void *data, unsigned reg, uint64_t *ret_value)
{
	*ret_value = 100 + reg;
	return reg != KNOWN_REG + 1;
}

static bool give_word(void *data, uint64_t address, unsigned size, uint64_t *ret_value)
{
	*ret_value = 0x1122334455667788 >> (64 - 8 * size);
	return address == KNOWN_WORD;
}

static const struct frame_state state = {
	.reg = give_reg,
	.word = give_word,
	.cfa = CFA,
	.has_cfa = true,
};

static bool run(const Dwarf_Op *ops, size_t n, uint64_t *ret_value)
{
	struct frame_rule rule = { .code = ops, .code_len = (uint16_t)n };

	return frame_code_run(&rule, &state, ret_value);
}

/* Checks the result of @ops. */
#define assert_code(expected, ...)                                         \
	do {                                                               \
		Dwarf_Op ops[] = { __VA_ARGS__ };                          \
		uint64_t computed = 0;                                     \
                                                                           \
		assert_true(run(ops, ARRAY_SIZE(ops), &computed));         \
		assert_int_equal(computed, (uint64_t)(int64_t)(expected)); \
	} while (0)

#define assert_refused(...)                                         \
	do {                                                        \
		Dwarf_Op ops[] = { __VA_ARGS__ };                   \
		uint64_t computed;                                  \
                                                                    \
		assert_false(run(ops, ARRAY_SIZE(ops), &computed)); \
	} while (0)

#define OP(name)                     \
	{                            \
		.atom = DW_OP_##name \
	}
#define OP1(name, n)                                            \
	{                                                       \
		.atom = DW_OP_##name, .number = (Dwarf_Word)(n) \
	}
#define OP2(name, n, second)                                             \
	{                                                                \
		.atom = DW_OP_##name, .number = (n), .number2 = (second) \
	}
/* Two numbers, and an operation on them. */
#define PAIR(a, b, name) OP1(consts, a), OP1(consts, b), OP(name)

static void pushes_numbers_and_registers(void **test_state)
{
	assert_code(0, OP(lit0));
	assert_code(31, OP(lit31));
	assert_code(200, OP1(const1u, 200));
	assert_code(-5, OP1(consts, -5));
	assert_code(0x1234, OP1(addr, 0x1234));
	assert_code(100 + KNOWN_REG - 8, OP1(breg3, -8));
	assert_code(100 + KNOWN_REG + 16, OP2(bregx, KNOWN_REG, 16));
	assert_code(CFA, OP(call_frame_cfa));
}

static void computes(void **test_state)
{
	assert_code(0x8, PAIR(0xc, 0xa, and));
	assert_code(0xe, PAIR(0xc, 0xa, or));
	assert_code(0x6, PAIR(0xc, 0xa, xor));
	assert_code(7, PAIR(9, -2, plus));
	assert_code(11, PAIR(9, -2, minus));
	assert_code(-18, PAIR(9, -2, mul));
	assert_code(0x90, PAIR(9, 4, shl));
	assert_code(0, PAIR(9, 64, shl));
	assert_code(0x0fffffffffffffff, PAIR(-1, 4, shr));
	assert_code(0, PAIR(-1, 64, shr));
	assert_code(-1, PAIR(-16, 4, shra));
	assert_code(-1, PAIR(-16, 1000, shra));
	assert_code(-7, OP1(consts, 7), OP(neg));
	assert_code(~7, OP1(consts, 7), OP(not ));
	assert_code(12, OP1(consts, 7), OP1(plus_uconst, 5));
	assert_code(7, OP1(consts, 7), OP(nop));
}

/* Comparisons are signed. */
static void compares(void **test_state)
{
	static const struct {
		int64_t a, b;
		bool eq, lt;
	} rows[] = { { 1, 2, false, true },
		     { 2, 1, false, false },
		     { 5, 5, true, false },
		     { -1, 1, false, true } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_code(rows[i].eq, PAIR(rows[i].a, rows[i].b, eq));
		assert_code(!rows[i].eq, PAIR(rows[i].a, rows[i].b, ne));
		assert_code(rows[i].lt, PAIR(rows[i].a, rows[i].b, lt));
		assert_code(rows[i].lt || rows[i].eq, PAIR(rows[i].a, rows[i].b, le));
		assert_code(!rows[i].lt && !rows[i].eq, PAIR(rows[i].a, rows[i].b, gt));
		assert_code(!rows[i].lt, PAIR(rows[i].a, rows[i].b, ge));
	}
}

static void rearranges_the_stack(void **test_state)
{
	assert_code(14, OP(lit7), OP(dup), OP(plus));
	assert_code(3, OP(lit3), OP(lit9), OP(over));
	assert_code(3, OP(lit3), OP(lit9), OP(lit8), OP1(pick, 2));
	assert_code(3, OP(lit3), OP(lit9), OP(drop));
	assert_code(6, OP(lit3), OP(lit9), OP(swap), OP(minus));
}

static void reads_words(void **test_state)
{
	assert_code(0x1122334455667788, OP1(consts, KNOWN_WORD), OP(deref));
	assert_code(0x1122, OP1(consts, KNOWN_WORD), OP1(deref_size, 2));
	assert_refused(OP1(consts, KNOWN_WORD + 8), OP(deref));
	assert_refused(OP1(consts, KNOWN_WORD), OP1(deref_size, 0));
	assert_refused(OP1(consts, KNOWN_WORD), OP1(deref_size, 9));
}

/* The rule of every PLT: the frame is 8 bytes larger from the 11th byte of an entry on. */
static void finds_frames_in_a_plt(void **test_state)
{
	for (unsigned byte = 0; byte < 16; byte++)
		assert_code(100 + KNOWN_REG + 8 + (byte >= 11 ? 8 : 0), OP1(breg3, 8),
			    OP1(const2u, 0x4000 + byte), OP(lit15), OP(and), OP(lit11), OP(ge),
			    OP(lit3), OP(shl), OP(plus));
}

static void rejects_unknown_values(void **test_state)
{
	struct frame_rule no_cfa = { .code = &(Dwarf_Op)OP(call_frame_cfa), .code_len = 1 };
	struct frame_state without = state;
	uint64_t value;

	without.has_cfa = false;
	assert_false(frame_code_run(&no_cfa, &without, &value));
	assert_refused(OP1(breg4, 0));
	assert_refused(OP2(bregx, unwind_machine.n, 0));
	assert_refused(OP2(bregx, UINT64_MAX, 0));
	/* It might not terminate. */
	assert_refused(OP(lit1), OP1(skip, -3));
	assert_refused(OP(lit1), OP(lit1), OP1(bra, -3));
	assert_refused(OP(lit1), OP(lit0), OP(div));
	assert_refused({ .atom = 0xff });
}

static void stays_within_its_stack(void **test_state)
{
	Dwarf_Op many[STACK_WORDS + 1];
	uint64_t value;

	assert_false(run(NULL, 0, &value));
	assert_refused(OP(drop));
	assert_refused(OP(dup));
	assert_refused(OP(lit1), OP(over));
	assert_refused(OP(lit1), OP1(pick, 1));
	assert_refused(OP(lit1), OP1(pick, UINT64_MAX));
	assert_refused(OP(lit1), OP(swap));
	assert_refused(OP(lit1), OP(plus));
	assert_refused(OP(neg));
	assert_refused(OP(deref));
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (Dwarf_Op)OP(lit5);
	assert_true(run(many, STACK_WORDS, &value));
	assert_int_equal(value, 5);
	assert_false(run(many, STACK_WORDS + 1, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes_numbers_and_registers),
		cmocka_unit_test(computes),
		cmocka_unit_test(compares),
		cmocka_unit_test(rearranges_the_stack),
		cmocka_unit_test(reads_words),
		cmocka_unit_test(finds_frames_in_a_plt),
		cmocka_unit_test(rejects_unknown_values),
		cmocka_unit_test(stays_within_its_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void reports_missing_support(void **test_state)
{
	assert_false(frame_rules_supported());
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(reports_missing_support) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
