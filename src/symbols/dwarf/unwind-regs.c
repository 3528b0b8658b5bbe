/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/dwarf/unwind-regs.h"

#if defined(__x86_64__)

/* perf: ax bx cx dx si di bp sp ip, seven that are not needed, r8 to r15. */
const struct unwind_machine unwind_machine = {
	.n = 17,
	.pc = 16,
	.sp = 7,
	.perf_mask = 0xff01ff,
	.n_perf = 17,
	/* DWARF: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15, and the return address. */
	.place = { 0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8 },
};

#elif defined(__aarch64__)

/* Both have the same order: x0 to x30, sp, pc. */
const struct unwind_machine unwind_machine = {
	.n = 33,
	.pc = 32,
	.sp = 31,
	.perf_mask = 0x1ffffffff,
	.n_perf = 33,
	.place = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
		   17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 },
};

#else

const struct unwind_machine unwind_machine = { 0 };

#endif
