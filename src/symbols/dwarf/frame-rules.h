/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How to find the caller of a function at any of its instructions: the call frame information of an ELF
 * file (.eh_frame, else .debug_frame), by libdw. That library was not written for files of enemies: what is read by
 * it belongs into a process that may crash, see record/unwind/unwinder.h.
 */
#ifndef FATHOM_SYMBOLS_DWARF_FRAME_RULES_H
#define FATHOM_SYMBOLS_DWARF_FRAME_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/dwarf/unwind-regs.h"

/* What a register had in the caller. CFA is the address of the frame, which the first rule of a row says. */
enum frame_rule_kind {
	FRAME_UNDEFINED, /* it is lost */
	FRAME_SAME, /* what it has now */
	FRAME_AT, /* the word at CFA + offset */
	FRAME_IS, /* CFA + offset */
	FRAME_REGISTER, /* what @reg has now, plus the offset */
	FRAME_WORD_OF, /* the word at the place that @code computes */
	FRAME_VALUE_OF, /* what @code computes */
};

struct frame_rule {
	uint8_t kind; /* enum frame_rule_kind */
	uint8_t reg;
	uint16_t code_len;
	int32_t offset;
	const void *code; /* lives as long as the rules of the file; see frame_code_run() */
};

/* All that holds at one instruction. */
struct frame_row {
	struct frame_rule cfa;
	struct frame_rule regs[UNWIND_REGS_MAX];
	uint8_t returns_by; /* the register that has where it returns to */
	bool is_signal; /* the kernel called it: the caller was stopped somewhere, and called nothing */
};

/* What frame_code_run() works on. Both return false for what is not known. */
struct frame_state {
	bool (*reg)(void *data, unsigned reg, uint64_t *ret_value);
	bool (*word)(void *data, uint64_t address, unsigned size, uint64_t *ret_value);
	void *data;
	uint64_t cfa;
	bool has_cfa;
};

struct frame_rules;

/* Was this program built with libdw, and is this machine known? */
bool frame_rules_supported(void);
/*
 * The rules of the ELF file in memory, which must stay, and may be written to. -ENODATA when there are none, -ENOTSUP
 * when this program was built without libdw.
 */
int frame_rules_new(void *image, size_t size, struct frame_rules **ret_rules);
void frame_rules_free(struct frame_rules *rules);
/* Of the instruction at @address, in the file's own terms. 0, -ENOENT: there are none, -EINVAL: not understood. */
int frame_rules_find(struct frame_rules *rules, uint64_t address, struct frame_row *ret_row);
/* What the code of a rule computes; false: it needs what is not known, or is not understood. */
bool frame_code_run(const struct frame_rule *rule, const struct frame_state *state,
		    uint64_t *ret_value);

#endif
