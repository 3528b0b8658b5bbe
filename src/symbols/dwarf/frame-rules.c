/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/dwarf/frame-rules.h"

#include <errno.h>

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* Compilers emit a dozen operations at most. */
#define CODE_MAX 256
/* The first few instructions of a program have no caller, and usually no rules. */
#define ENTRY_SIZE 64

struct frame_rules {
	Elf *elf;
	Dwarf *dwarf; /* NULL: not opened yet, or there is none */
	Dwarf_CFI *eh; /* NULL: none; owned */
	Dwarf_CFI *debug; /* NULL: none; owned by @dwarf */
	bool asked_debug;
};

bool frame_rules_supported(void)
{
	return unwind_machine.n > 0;
}

/* Opens .debug_frame, which exists in programs built with -g and without .eh_frame, on demand. */
static Dwarf_CFI *debug_rules(struct frame_rules *rules)
{
	if (!rules->asked_debug) {
		rules->asked_debug = true;
		rules->dwarf = dwarf_begin_elf(rules->elf, DWARF_C_READ, NULL);
		rules->debug = rules->dwarf ? dwarf_getcfi(rules->dwarf) : NULL;
	}
	return rules->debug;
}

int frame_rules_new(void *image, size_t size, struct frame_rules **ret_rules)
{
	struct frame_rules *rules;

	if (!frame_rules_supported())
		return -ENOTSUP;
	rules = mem_zalloc(1, sizeof(*rules));
	if (!rules)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	rules->elf = elf_memory(image, size);
	if (rules->elf)
		rules->eh = dwarf_getcfi_elf(rules->elf);
	if (!rules->elf || (!rules->eh && !debug_rules(rules))) {
		frame_rules_free(rules);
		return -ENODATA;
	}
	*ret_rules = rules;
	return 0;
}

void frame_rules_free(struct frame_rules *rules)
{
	if (!rules)
		return;
	if (rules->eh)
		dwarf_cfi_end(rules->eh);
	dwarf_end(rules->dwarf);
	elf_end(rules->elf);
	free(rules);
}

/* Converts an operand to its stored form. Returns false if it is too large. */
static bool frame_rules_fits(uint64_t number, int32_t *ret)
{
	int64_t value = (int64_t)number;

	*ret = (int32_t)value;
	return value == *ret;
}

/*
 * Recognizes "CFA + offset", as a value or the address of a word. Returns false for anything else.
 */
static bool frame_rules_is_simple(const Dwarf_Op *ops, size_t n, struct frame_rule *rule)
{
	bool is_value = n && ops[n - 1].atom == DW_OP_stack_value;

	n -= is_value;
	if (!n || n > 2 || ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	if (n == 2 &&
	    (ops[1].atom != DW_OP_plus_uconst || !frame_rules_fits(ops[1].number, &rule->offset)))
		return false;
	rule->kind = is_value ? FRAME_IS : FRAME_AT;
	return true;
}

static int set_code(const Dwarf_Op *ops, size_t n, bool is_value, struct frame_rule *rule)
{
	if (n > CODE_MAX)
		return -EINVAL;
	*rule = (struct frame_rule){ .kind = is_value ? FRAME_VALUE_OF : FRAME_WORD_OF,
				     .code = ops,
				     .code_len = (uint16_t)n };
	return 0;
}

static int set_register(Dwarf_Frame *frame, unsigned reg, struct frame_rule *rule)
{
	Dwarf_Op room[3], *ops;
	size_t n;

	*rule = (struct frame_rule){ .kind = FRAME_UNDEFINED };
	if (dwarf_frame_register(frame, (int)reg, room, &ops, &n) != 0)
		return -EINVAL;
	if (!n) {
		rule->kind = ops ? FRAME_UNDEFINED : FRAME_SAME;
		return 0;
	}
	if (n == 1 && ops[0].atom == DW_OP_regx && ops[0].number < unwind_machine.n) {
		*rule = (struct frame_rule){ .kind = FRAME_REGISTER,
					     .reg = (uint8_t)ops[0].number };
		return 0;
	}
	if (frame_rules_is_simple(ops, n, rule))
		return 0;
	/* Operations in our own buffer don't outlive it. */
	if (ops >= room && ops < room + ARRAY_SIZE(room))
		return -EINVAL;
	return ops[n - 1].atom == DW_OP_stack_value ? set_code(ops, n - 1, true, rule) :
						      set_code(ops, n, false, rule);
}

/* libdw stores the single operation of "register + offset" in the frame, so copy it from there. */
static int set_cfa(Dwarf_Frame *frame, struct frame_rule *rule)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || !n)
		return -EINVAL;
	if (n > 1)
		return set_code(ops, n, true, rule);
	*rule = (struct frame_rule){ .kind = FRAME_REGISTER };
	if (ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31) {
		rule->reg = (uint8_t)(ops->atom - DW_OP_breg0);
		return rule->reg < unwind_machine.n &&
				       frame_rules_fits(ops->number, &rule->offset) ?
			       0 :
			       -EINVAL;
	}
	if (ops->atom == DW_OP_bregx && ops->number < unwind_machine.n) {
		rule->reg = (uint8_t)ops->number;
		return frame_rules_fits(ops->number2, &rule->offset) ? 0 : -EINVAL;
	}
	return -EINVAL;
}

static bool is_entry(const struct frame_rules *rules, uint64_t address)
{
	GElf_Ehdr head;

	return gelf_getehdr(rules->elf, &head) && head.e_entry && address >= head.e_entry &&
	       address - head.e_entry < ENTRY_SIZE;
}

/*
 * The outermost function has no caller: all registers are undefined, including the return address.
 */
static void set_outermost(struct frame_row *row)
{
	*row = (struct frame_row){ .returns_by = (uint8_t)unwind_machine.pc,
				   .cfa = { .kind = FRAME_REGISTER,
					    .reg = (uint8_t)unwind_machine.sp } };
}

int frame_rules_find(struct frame_rules *rules, uint64_t address, struct frame_row *ret_row)
{
	Dwarf_Frame *frame = NULL;
	struct frame_row row = { 0 };
	int by, r;

	if ((!rules->eh || dwarf_cfi_addrframe(rules->eh, address, &frame) != 0) &&
	    (!debug_rules(rules) || dwarf_cfi_addrframe(rules->debug, address, &frame) != 0))
		return is_entry(rules, address) ? set_outermost(ret_row), 0 : -ENOENT;
	by = dwarf_frame_info(frame, NULL, NULL, &row.is_signal);
	r = by >= 0 && (unsigned)by < unwind_machine.n ? set_cfa(frame, &row.cfa) : -EINVAL;
	row.returns_by = (uint8_t)by;
	for (unsigned i = 0; i < unwind_machine.n && r == 0; i++)
		r = set_register(frame, i, &row.regs[i]);
	free(frame);
	if (r == 0)
		*ret_row = row;
	return r;
}

/* The state of the stack machine. */
struct machine {
	uint64_t stack[32];
	unsigned n;
	bool failed;
};

static void frame_rules_push(struct machine *m, uint64_t value)
{
	if (m->n == ARRAY_SIZE(m->stack))
		m->failed = true;
	else
		m->stack[m->n++] = value;
}

static uint64_t frame_rules_pop(struct machine *m)
{
	if (!m->n) {
		m->failed = true;
		return 0;
	}
	return m->stack[--m->n];
}

/* Returns value @at from the top, which is 0. */
static uint64_t frame_rules_peek(struct machine *m, uint64_t at)
{
	if (at >= m->n) {
		m->failed = true;
		return 0;
	}
	return m->stack[m->n - 1 - at];
}

static void push_reg(struct machine *m, const struct frame_state *state, uint64_t reg,
		     uint64_t offset)
{
	uint64_t value = 0;

	if (reg >= unwind_machine.n || !state->reg(state->data, (unsigned)reg, &value))
		m->failed = true;
	frame_rules_push(m, value + offset);
}

static void push_word(struct machine *m, const struct frame_state *state, unsigned size)
{
	uint64_t value = 0;

	if (!size || size > 8 || !state->word(state->data, frame_rules_pop(m), size, &value))
		m->failed = true;
	frame_rules_push(m, value);
}

/* Runs an operation on the top two values. Returns false if it is not one of these. */
static bool run_binary(struct machine *m, const Dwarf_Op *op)
{
	static const uint8_t known[] = { DW_OP_and, DW_OP_or,  DW_OP_xor, DW_OP_plus, DW_OP_minus,
					 DW_OP_mul, DW_OP_shl, DW_OP_shr, DW_OP_shra, DW_OP_eq,
					 DW_OP_ne,  DW_OP_lt,  DW_OP_le,  DW_OP_gt,   DW_OP_ge };
	uint64_t a, b;
	bool is_known = false;

	for (size_t i = 0; i < sizeof(known); i++)
		is_known |= op->atom == known[i];
	if (!is_known)
		return false;
	b = frame_rules_pop(m);
	a = frame_rules_pop(m);
	switch (op->atom) {
	case DW_OP_and:
		frame_rules_push(m, a & b);
		break;
	case DW_OP_or:
		frame_rules_push(m, a | b);
		break;
	case DW_OP_xor:
		frame_rules_push(m, a ^ b);
		break;
	case DW_OP_plus:
		frame_rules_push(m, a + b);
		break;
	case DW_OP_minus:
		frame_rules_push(m, a - b);
		break;
	case DW_OP_mul:
		frame_rules_push(m, a * b);
		break;
	case DW_OP_shl:
		frame_rules_push(m, b < 64 ? a << b : 0);
		break;
	case DW_OP_shr:
		frame_rules_push(m, b < 64 ? a >> b : 0);
		break;
	case DW_OP_shra:
		frame_rules_push(m, (uint64_t)((int64_t)a >> (b < 63 ? b : 63)));
		break;
	case DW_OP_eq:
		frame_rules_push(m, a == b);
		break;
	case DW_OP_ne:
		frame_rules_push(m, a != b);
		break;
	case DW_OP_lt:
		frame_rules_push(m, (int64_t)a < (int64_t)b);
		break;
	case DW_OP_le:
		frame_rules_push(m, (int64_t)a <= (int64_t)b);
		break;
	case DW_OP_gt:
		frame_rules_push(m, (int64_t)a > (int64_t)b);
		break;
	default:
		frame_rules_push(m, (int64_t)a >= (int64_t)b);
		break;
	}
	return true;
}

/* Runs an operation that only rearranges the stack. Returns false if it is not one of these. */
static bool run_stack(struct machine *m, const Dwarf_Op *op)
{
	uint64_t a, b;

	switch (op->atom) {
	case DW_OP_dup:
		frame_rules_push(m, frame_rules_peek(m, 0));
		return true;
	case DW_OP_over:
		frame_rules_push(m, frame_rules_peek(m, 1));
		return true;
	case DW_OP_pick:
		frame_rules_push(m, frame_rules_peek(m, op->number));
		return true;
	case DW_OP_drop:
		frame_rules_pop(m);
		return true;
	case DW_OP_swap:
		b = frame_rules_pop(m);
		a = frame_rules_pop(m);
		frame_rules_push(m, b);
		frame_rules_push(m, a);
		return true;
	case DW_OP_neg:
		frame_rules_push(m, -frame_rules_pop(m));
		return true;
	case DW_OP_not:
		frame_rules_push(m, ~frame_rules_pop(m));
		return true;
	case DW_OP_plus_uconst:
		frame_rules_push(m, frame_rules_pop(m) + op->number);
		return true;
	case DW_OP_nop:
		return true;
	default:
		return run_binary(m, op);
	}
}

static void run_op(struct machine *m, const Dwarf_Op *op, const struct frame_state *state)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		frame_rules_push(m, atom - DW_OP_lit0);
	else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push_reg(m, state, atom - DW_OP_breg0, op->number);
	else if (atom == DW_OP_bregx)
		push_reg(m, state, op->number, op->number2);
	else if ((atom >= DW_OP_const1u && atom <= DW_OP_consts) || atom == DW_OP_addr)
		frame_rules_push(m, op->number);
	else if (atom == DW_OP_deref)
		push_word(m, state, 8);
	else if (atom == DW_OP_deref_size)
		push_word(m, state, op->number <= 8 ? (unsigned)op->number : 0);
	else if (atom == DW_OP_call_frame_cfa && state->has_cfa)
		frame_rules_push(m, state->cfa);
	else if (!run_stack(m, op))
		m->failed = true;
}

bool frame_code_run(const struct frame_rule *rule, const struct frame_state *state,
		    uint64_t *ret_value)
{
	const Dwarf_Op *ops = rule->code;
	struct machine m = { .n = 0 };

	/* Jumps are not supported, so this terminates. */
	for (size_t i = 0; i < rule->code_len && !m.failed; i++)
		run_op(&m, &ops[i], state);
	*ret_value = frame_rules_pop(&m);
	return !m.failed;
}

#else

bool frame_rules_supported(void)
{
	return false;
}

int frame_rules_new(void *image, size_t size, struct frame_rules **ret_rules)
{
	return -ENOTSUP;
}

void frame_rules_free(struct frame_rules *rules)
{
}

int frame_rules_find(struct frame_rules *rules, uint64_t address, struct frame_row *ret_row)
{
	return -ENOENT;
}

bool frame_code_run(const struct frame_rule *rule, const struct frame_state *state,
		    uint64_t *ret_value)
{
	return false;
}

#endif
