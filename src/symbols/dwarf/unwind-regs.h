/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The registers that unwinding requires from perf, and their DWARF numbers, for 64-bit programs of
 * the architecture for which fathom was built.
 */
#ifndef FATHOM_SYMBOLS_DWARF_UNWIND_REGS_H
#define FATHOM_SYMBOLS_DWARF_UNWIND_REGS_H

#include <stdint.h>

/* More than any supported machine has. */
#define UNWIND_REGS_MAX 33

/* DWARF numbers. */
struct unwind_machine {
	unsigned n; /* number of registers; 0: unsupported machine */
	unsigned pc, sp;
	uint64_t perf_mask; /* for perf_event_attr.sample_regs_user */
	unsigned n_perf; /* number of bits in it */
	/* By DWARF number: index in the registers recorded by perf, lowest bit first. */
	uint8_t place[UNWIND_REGS_MAX];
};

extern const struct unwind_machine unwind_machine;

#endif
