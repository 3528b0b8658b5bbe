/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/dwarf/unwind-regs.h"

#include "test.h"

#if defined(__x86_64__)

#include <asm/perf_regs.h>

/* perf's numbers, in DWARF order. */
static const unsigned numbers[] = {
	PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,	PERF_REG_X86_SI,
	PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,	PERF_REG_X86_R9,
	PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
	PERF_REG_X86_R15, PERF_REG_X86_IP,
};

#else

static const unsigned numbers[1];

#endif

/* perf records registers in ascending order of their numbers. */
static void positions_equal_those_of_perf(void **state)
{
	uint64_t mask = 0;

	if (sizeof(numbers) / sizeof(numbers[0]) == 1)
		skip_because("no registers of this machine are known");
	assert_int_equal(unwind_machine.n, sizeof(numbers) / sizeof(numbers[0]));
	for (unsigned i = 0; i < unwind_machine.n; i++)
		mask |= 1ULL << numbers[i];
	assert_int_equal(unwind_machine.perf_mask, mask);
	assert_int_equal(unwind_machine.n_perf, __builtin_popcountll(mask));
	for (unsigned i = 0; i < unwind_machine.n; i++)
		assert_int_equal(unwind_machine.place[i],
				 __builtin_popcountll(mask & ((1ULL << numbers[i]) - 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions_equal_those_of_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
