/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/dwarf/stack-unwind.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Power of two. Programs spend their time at a few hundred addresses. */
#define ROWS 4096

/* The rules at an address. Their absence is also cached. */
struct kept_row {
	uint64_t address;
	uint32_t file;
	bool is_used, is_known;
	struct frame_row row;
};

struct unwind_cache {
	struct kept_row rows[ROWS];
};

/* A frame, and which of its registers are known. */
struct frame {
	uint64_t regs[UNWIND_REGS_MAX];
	uint64_t known; /* one bit per register */
};

/* The state of unwinding one stack. */
struct walk {
	const struct unwind_stack *stack;
	uint64_t low; /* address of the first byte of the copy */
	struct frame now;
	bool copy_ended; /* a read was past its end */
};

struct unwind_cache *unwind_cache_new(void)
{
	return mem_zalloc(1, sizeof(struct unwind_cache));
}

void unwind_cache_free(struct unwind_cache *cache)
{
	free(cache);
}

void unwind_cache_clear(struct unwind_cache *cache)
{
	for (size_t i = 0; i < ROWS; i++)
		cache->rows[i].is_used = false;
}

static const struct frame_row *stack_unwind_find_row(struct unwind_cache *cache,
						     const struct unwind_code *code)
{
	uint32_t key = (uint32_t)code->address ^ (uint32_t)(code->address >> 32);
	struct kept_row *kept = &cache->rows[hash_u32(key, code->file) & (ROWS - 1)];

	if (!kept->is_used || kept->address != code->address || kept->file != code->file) {
		kept->address = code->address;
		kept->file = code->file;
		kept->is_used = true;
		kept->is_known = frame_rules_find(code->rules, code->address, &kept->row) == 0;
	}
	return kept->is_known ? &kept->row : NULL;
}

static bool get_reg(void *data, unsigned reg, uint64_t *ret_value)
{
	const struct walk *walk = data;

	*ret_value = walk->now.regs[reg];
	return walk->now.known >> reg & 1;
}

static bool get_word(void *data, uint64_t address, unsigned size, uint64_t *ret_value)
{
	struct walk *walk = data;
	uint64_t at = address - walk->low;

	if (address < walk->low)
		return false;
	if (at > walk->stack->size || size > walk->stack->size - at) {
		walk->copy_ended = true;
		return false;
	}
	/* Fewer bytes are zero-extended, in this machine's byte order. */
	*ret_value = 0;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	memcpy((uint8_t *)ret_value + 8 - size, walk->stack->bytes + at, size);
#else
	memcpy(ret_value, walk->stack->bytes + at, size);
#endif
	return true;
}

static bool stack_unwind_apply(struct walk *walk, const struct frame_rule *rule, unsigned reg,
			       const struct frame_state *state, uint64_t *ret_value)
{
	uint64_t place, offset = (uint64_t)(int64_t)rule->offset;

	switch ((enum frame_rule_kind)rule->kind) {
	case FRAME_UNDEFINED:
		return false;
	case FRAME_SAME:
		return get_reg(walk, reg, ret_value);
	case FRAME_AT:
		return get_word(walk, state->cfa + offset, 8, ret_value);
	case FRAME_IS:
		*ret_value = state->cfa + offset;
		return true;
	case FRAME_REGISTER:
		if (!get_reg(walk, rule->reg, ret_value))
			return false;
		*ret_value += offset;
		return true;
	case FRAME_WORD_OF:
		return frame_code_run(rule, state, &place) && get_word(walk, place, 8, ret_value);
	case FRAME_VALUE_OF:
		return frame_code_run(rule, state, ret_value);
	}
	return false;
}

/*
 * Replaces the registers by those of the caller. Returns false if no caller is known, with the
 * reason in *@ret_end.
 */
static bool stack_unwind_step(struct walk *walk, const struct frame_row *row,
			      enum unwind_end *ret_end)
{
	const unsigned pc = unwind_machine.pc, sp = unwind_machine.sp;
	struct frame_state state = { .reg = get_reg, .word = get_word, .data = walk };
	struct frame caller = { .known = 0 };
	uint64_t by = 1ULL << row->returns_by;

	walk->copy_ended = false;
	if (!stack_unwind_apply(walk, &row->cfa, sp, &state, &state.cfa)) {
		*ret_end = walk->copy_ended ? UNWIND_COPY : UNWIND_NOWHERE;
		return false;
	}
	state.has_cfa = true;
	/* A frame ends above the stack pointer, where that of the caller begins. */
	if (state.cfa < walk->now.regs[sp]) {
		*ret_end = UNWIND_NOWHERE;
		return false;
	}
	for (unsigned i = 0; i < unwind_machine.n; i++)
		if (stack_unwind_apply(walk, &row->regs[i], i, &state, &caller.regs[i]))
			caller.known |= 1ULL << i;
		else if (i == row->returns_by)
			*ret_end = row->regs[i].kind == FRAME_UNDEFINED ? UNWIND_WHOLE :
				   walk->copy_ended			? UNWIND_COPY :
									  UNWIND_NOWHERE;
	if (!(caller.known & by))
		return false;
	caller.regs[pc] = caller.regs[row->returns_by];
	if (!(caller.known >> sp & 1))
		caller.regs[sp] = state.cfa;
	caller.known |= 1ULL << pc | 1ULL << sp;
	if (!caller.regs[pc]) {
		*ret_end = UNWIND_WHOLE;
		return false;
	}
	/*
	 * Callers are at higher addresses; only a function without a frame leaves the stack pointer
	 * unchanged.
	 */
	if (caller.regs[sp] < walk->now.regs[sp] ||
	    (caller.regs[sp] == walk->now.regs[sp] && caller.regs[pc] == walk->now.regs[pc])) {
		*ret_end = UNWIND_NOWHERE;
		return false;
	}
	walk->now = caller;
	return true;
}

size_t stack_unwind(struct unwind_cache *cache, const struct unwind_finder *finder,
		    const struct unwind_stack *stack, uint64_t *frames, size_t max,
		    enum unwind_end *ret_end)
{
	const unsigned pc = unwind_machine.pc;
	struct walk walk = { .stack = stack,
			     .low = stack->regs[unwind_machine.sp],
			     .now.known = (1ULL << unwind_machine.n) - 1 };
	bool was_call = false; /* false: the frame was interrupted, by a sample or a signal */
	size_t n = 0;

	memcpy(walk.now.regs, stack->regs, unwind_machine.n * sizeof(uint64_t));
	for (;;) {
		uint64_t address = walk.now.regs[pc];
		/*
		 * A call can be the last instruction of a function; the return address is then in
		 * the next one.
		 */
		struct unwind_code code = finder->find(finder->data, address - was_call);
		const struct frame_row *row;

		*ret_end = UNWIND_ROOM;
		if (n == max)
			return n;
		*ret_end = code.why;
		/* The innermost address is reported in any case. */
		if (!code.rules && code.why == UNWIND_NOWHERE && (n || !address))
			return n;
		frames[n++] = address;
		if (!code.rules)
			return n;
		row = stack_unwind_find_row(cache, &code);
		*ret_end = UNWIND_NO_RULES;
		if (!row || !stack_unwind_step(&walk, row, ret_end))
			return n;
		was_call = !row->is_signal;
	}
}
