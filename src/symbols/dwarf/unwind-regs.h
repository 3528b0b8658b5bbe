/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The registers that callers are found with: which perf is to copy, and their numbers in DWARF. Of the
 * machine that this program was built for, in programs of 64 bits.
 */
#ifndef FATHOM_SYMBOLS_DWARF_UNWIND_REGS_H
#define FATHOM_SYMBOLS_DWARF_UNWIND_REGS_H

#include <stdint.h>

/* More than any machine has that is known here. */
#define UNWIND_REGS_MAX 33

/* Numbers of DWARF. */
struct unwind_machine {
	unsigned n; /* registers; 0: this machine is not known */
	unsigned pc, sp;
	uint64_t perf_mask; /* for perf_event_attr.sample_regs_user */
	unsigned n_perf; /* bits in it */
	/* For each number of DWARF, which of those that perf copies, the lowest bit first. */
	uint8_t place[UNWIND_REGS_MAX];
};

extern const struct unwind_machine unwind_machine;

#endif
