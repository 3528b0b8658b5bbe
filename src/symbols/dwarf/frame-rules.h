/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call frame information of an ELF file (.eh_frame, otherwise .debug_frame), read with libdw: how
 * to find the caller of a function at any of its instructions. libdw is not designed for untrusted
 * files, so it must only be used in a process that may crash; see record/unwind/unwinder.h. Not
 * thread-safe.
 */
#ifndef FATHOM_SYMBOLS_DWARF_FRAME_RULES_H
#define FATHOM_SYMBOLS_DWARF_FRAME_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/dwarf/unwind-regs.h"

/*
 * How to restore a register of the caller. The CFA, the address of the frame, is given by the first
 * rule of a row.
 */
enum frame_rule_kind {
	FRAME_UNDEFINED, /* unknown */
	FRAME_SAME, /* unchanged */
	FRAME_AT, /* the word at CFA + offset */
	FRAME_IS, /* CFA + offset */
	FRAME_REGISTER, /* @reg + offset */
	FRAME_WORD_OF, /* the word at the address computed by @code */
	FRAME_VALUE_OF, /* the value computed by @code */
};

struct frame_rule {
	uint8_t kind; /* enum frame_rule_kind */
	uint8_t reg;
	uint16_t code_len;
	int32_t offset;
	const void *code; /* valid as long as the rules of the file; see frame_code_run() */
};

/* The rules at one instruction. */
struct frame_row {
	struct frame_rule cfa;
	struct frame_rule regs[UNWIND_REGS_MAX];
	uint8_t returns_by; /* the register with the return address */
	bool is_signal; /* a signal frame: the caller was interrupted, it did not call */
};

/* Access of frame_code_run() to registers and memory. Both return false if a value is unknown. */
struct frame_state {
	bool (*reg)(void *data, unsigned reg, uint64_t *ret_value);
	bool (*word)(void *data, uint64_t address, unsigned size, uint64_t *ret_value);
	void *data;
	uint64_t cfa;
	bool has_cfa;
};

struct frame_rules;

/* Returns whether libdw is built in and supports this machine. */
bool frame_rules_supported(void);
/*
 * Reads the rules of the ELF file in memory, which must stay mapped and may be written to. Returns
 * 0, -ENODATA if there are none, -ENOTSUP without libdw, or another negative errno.
 */
int frame_rules_new(void *image, size_t size, struct frame_rules **ret_rules);
void frame_rules_free(struct frame_rules *rules);
/*
 * Finds the rules of the instruction at @address, an address as in the file. Returns 0, -ENOENT if
 * there are none, or -EINVAL if they are unsupported.
 */
int frame_rules_find(struct frame_rules *rules, uint64_t address, struct frame_row *ret_row);
/* Runs the code of a rule. Returns false if it needs an unknown value or is unsupported. */
bool frame_code_run(const struct frame_rule *rule, const struct frame_state *state,
		    uint64_t *ret_value);

#endif
