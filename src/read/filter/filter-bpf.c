/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translates a compiled filter to BPF, test by test. Tests jump only to tests that were compiled
 * before them, so emitting them from the last to the first makes all jumps forward jumps, as the
 * kernel requires.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "kernel/perf/bpf-code.h"
#include "read/filter/filter-program.h"

#define TEXT_SIZE 64 /* of the scratch space; the rest are slots of 8 bytes */
#define SLOTS	  ((FILTER_BPF_SCRATCH - TEXT_SIZE) / 8)
#define LIST_MAX  64
#define SIGN	  (1ULL << 63)

/* A jump to be patched. */
struct filter_jump {
	uint32_t from;
	uint16_t to; /* a test or FILTER_ACCEPT */
};

struct filter_bpf_writer {
	const struct filter_bpf *bpf;
	struct bpf_code *code;
	const struct filter_program *program;
	const struct filter_test *test; /* being emitted */
	bool *reached; /* by test */
	struct filter_jump *jumps;
	size_t n_jumps, cap_jumps;
	struct fathom_err *err;
};

static int filter_bpf_refuse(const struct filter_bpf_writer *writer, const char *what,
			     const char *how)
{
	return err_set(writer->err, -ENOTSUP, "unsupported in a filter in the kernel: %s%s", what,
		       how);
}

static int filter_bpf_slot(const struct filter_bpf_writer *writer, size_t i)
{
	return writer->bpf->scratch + TEXT_SIZE + 8 * (int)i;
}

/* Emits a conditional jump to test @to, or to the end. */
static int filter_bpf_jump(struct filter_bpf_writer *writer, struct bpf_insn insn, uint16_t to)
{
	if (to == FILTER_REJECT) {
		bpf_emit_jump(writer->code, writer->bpf->reject, insn);
		return 0;
	}
	if (to != FILTER_ACCEPT)
		writer->reached[to] = true;
	if (mem_reserve(&writer->jumps, &writer->cap_jumps, writer->n_jumps + 1,
			sizeof(*writer->jumps)) < 0)
		return err_nomem(writer->err);
	writer->jumps[writer->n_jumps++] =
		(struct filter_jump){ .from = writer->code->n, .to = to };
	bpf_emit(writer->code, insn);
	return 0;
}

static int filter_bpf_fixed(const struct filter_bpf_writer *writer,
			    const struct filter_value *value)
{
	if (writer->bpf->is_event && value->offset < 8)
		return filter_bpf_refuse(writer, "common fields", "");
	bpf_emit_field(writer->code, value->offset, value->size, value->is_signed,
		       filter_bpf_slot(writer, SLOTS - 1));
	return 0;
}

/* Emits code that loads the value into register 0; uses slots from @slot on. */
static int filter_bpf_value(struct filter_bpf_writer *writer, const struct filter_value *value,
			    size_t slot);

static int filter_bpf_operate(struct filter_bpf_writer *writer, enum filter_op op, bool wide)
{
	static const uint8_t codes[] = {
		[FILTER_ADD] = BPF_ADD,	   [FILTER_SUB] = BPF_SUB,  [FILTER_MUL] = BPF_MUL,
		[FILTER_BITAND] = BPF_AND, [FILTER_BITOR] = BPF_OR, [FILTER_XOR] = BPF_XOR,
	};
	struct bpf_code *code = writer->code;

	if (op == FILTER_DIV || op == FILTER_MOD)
		return filter_bpf_refuse(writer, "/ and %", "");
	if (op == FILTER_SHL || op == FILTER_SHR) {
		/* A shift by more than 63 bits has no value. */
		int r = filter_bpf_jump(writer, CODE_JUMP_IF(BPF_JGT, BPF_REG_1, 63, 0),
					writer->test->on_false);

		if (r < 0)
			return r;
		bpf_emit(code, CODE_MATH_REG(op == FILTER_SHL ? BPF_LSH :
					     wide	      ? BPF_RSH :
								BPF_ARSH,
					     BPF_REG_0, BPF_REG_1));
		return 0;
	}
	bpf_emit(code, CODE_MATH_REG(codes[op], BPF_REG_0, BPF_REG_1));
	return 0;
}

static int filter_bpf_expr(struct filter_bpf_writer *writer, const struct filter_expr *expr,
			   size_t slot)
{
	struct bpf_code *code = writer->code;
	size_t n = slot;
	int r;

	for (size_t i = 0; i < expr->n; i++) {
		const struct filter_item *item = &expr->items[i];

		if (!item->is_op) {
			if (n + 1 >= SLOTS)
				return filter_bpf_refuse(writer, "long calculations", "");
			r = filter_bpf_value(writer, &item->value, n);
			if (r < 0)
				return r;
			bpf_emit(code, CODE_STORE_REG(BPF_DW, (int16_t)filter_bpf_slot(writer, n++),
						      BPF_REG_0));
			continue;
		}
		n--;
		bpf_emit(code, CODE_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10,
					 (int16_t)filter_bpf_slot(writer, n - 1)));
		bpf_emit(code, CODE_LOAD(BPF_DW, BPF_REG_1, BPF_REG_10,
					 (int16_t)filter_bpf_slot(writer, n)));
		r = filter_bpf_operate(writer, item->op, item->wide);
		if (r < 0)
			return r;
		bpf_emit(code, CODE_STORE_REG(BPF_DW, (int16_t)filter_bpf_slot(writer, n - 1),
					      BPF_REG_0));
	}
	bpf_emit(code,
		 CODE_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10, (int16_t)filter_bpf_slot(writer, slot)));
	return 0;
}

static int filter_bpf_value(struct filter_bpf_writer *writer, const struct filter_value *value,
			    size_t slot)
{
	struct bpf_code *code = writer->code;

	switch (value->source) {
	case SOURCE_NUMBER:
		bpf_emit_number(code, BPF_REG_0, 0, value->number);
		return 0;
	case SOURCE_FIXED:
		return filter_bpf_fixed(writer, value);
	case SOURCE_CPU:
		bpf_emit(code, CODE_CALL(BPF_FUNC_get_smp_processor_id));
		return 0;
	case SOURCE_PID:
		bpf_emit(code, CODE_CALL(BPF_FUNC_get_current_pid_tgid));
		bpf_emit(code, CODE_MATH(BPF_LSH, BPF_REG_0, 32));
		bpf_emit(code, CODE_MATH(BPF_RSH, BPF_REG_0, 32));
		return 0;
	case SOURCE_TGID:
		bpf_emit(code, CODE_CALL(BPF_FUNC_get_current_pid_tgid));
		bpf_emit(code, CODE_MATH(BPF_RSH, BPF_REG_0, 32));
		return 0;
	case SOURCE_EXPR:
		return filter_bpf_expr(writer, value->expr, slot);
	case SOURCE_TIME:
		return filter_bpf_refuse(writer, "timestamps", "");
	case SOURCE_ELEMENT:
		return filter_bpf_refuse(writer, "elements of arrays", "");
	default:
		return filter_bpf_refuse(writer, "durations", "");
	}
}

static uint16_t filter_bpf_if_true(const struct filter_test *test)
{
	return test->negated ? test->on_false : test->on_true;
}

static uint16_t filter_bpf_if_false(const struct filter_test *test)
{
	return test->negated ? test->on_true : test->on_false;
}

/* Each of these ends with a jump to on_true or on_false of the test on every path. */

static int filter_bpf_range(struct filter_bpf_writer *writer, const struct filter_test *test)
{
	struct bpf_code *code = writer->code;
	int r = filter_bpf_value(writer, &test->value, 0);

	if (r < 0)
		return r;
	if (test->op) {
		bpf_emit_number(code, BPF_REG_1, 0, SIGN);
		bpf_emit(code, CODE_MATH_REG(BPF_XOR, BPF_REG_0, BPF_REG_1));
	}
	bpf_emit_number(code, BPF_REG_1, 0, test->lo);
	bpf_emit(code, CODE_MATH_REG(BPF_SUB, BPF_REG_0, BPF_REG_1));
	bpf_emit_number(code, BPF_REG_1, 0, test->span);
	r = filter_bpf_jump(writer, CODE_JUMP_IF_REG(BPF_JLE, BPF_REG_0, BPF_REG_1, 0),
			    filter_bpf_if_true(test));
	return r < 0 ? r : filter_bpf_jump(writer, CODE_JUMP, filter_bpf_if_false(test));
}

static int filter_bpf_list(struct filter_bpf_writer *writer, const struct filter_test *test)
{
	const uint64_t *list = test->list;
	struct bpf_code *code = writer->code;
	int r;

	if (test->n > LIST_MAX)
		return filter_bpf_refuse(writer, "long lists", "");
	r = filter_bpf_value(writer, &test->value, 0);
	for (size_t i = 0; r == 0 && i < test->n; i++) {
		bpf_emit_number(code, BPF_REG_1, 0, list[i]);
		r = filter_bpf_jump(writer, CODE_JUMP_IF_REG(BPF_JEQ, BPF_REG_0, BPF_REG_1, 0),
				    filter_bpf_if_true(test));
	}
	return r < 0 ? r : filter_bpf_jump(writer, CODE_JUMP, filter_bpf_if_false(test));
}

static int filter_bpf_ranges(struct filter_bpf_writer *writer, const struct filter_test *test)
{
	const struct filter_range *ranges = test->list;
	struct bpf_code *code = writer->code;
	int r;

	if (test->n > LIST_MAX)
		return filter_bpf_refuse(writer, "functions with so many places", "");
	r = filter_bpf_value(writer, &test->value, 0);
	for (size_t i = 0; r == 0 && i < test->n; i++) {
		bpf_emit(code, CODE_MOVE(BPF_REG_2, BPF_REG_0));
		bpf_emit_number(code, BPF_REG_1, 0, ranges[i].start);
		bpf_emit(code, CODE_MATH_REG(BPF_SUB, BPF_REG_2, BPF_REG_1));
		bpf_emit_number(code, BPF_REG_1, 0, ranges[i].end - ranges[i].start);
		r = filter_bpf_jump(writer, CODE_JUMP_IF_REG(BPF_JLT, BPF_REG_2, BPF_REG_1, 0),
				    filter_bpf_if_true(test));
	}
	return r < 0 ? r : filter_bpf_jump(writer, CODE_JUMP, filter_bpf_if_false(test));
}

/* Compares numbers as C does after extension to more than 64 bits. */
static int filter_bpf_pair(struct filter_bpf_writer *writer, const struct filter_test *test)
{
	static const uint8_t signed_jumps[] = {
		[FILTER_EQ] = BPF_JEQ,	[FILTER_NE] = BPF_JNE,	[FILTER_LT] = BPF_JSLT,
		[FILTER_LE] = BPF_JSLE, [FILTER_GT] = BPF_JSGT, [FILTER_GE] = BPF_JSGE,
	};
	static const uint8_t unsigned_jumps[] = {
		[FILTER_EQ] = BPF_JEQ, [FILTER_NE] = BPF_JNE, [FILTER_LT] = BPF_JLT,
		[FILTER_LE] = BPF_JLE, [FILTER_GT] = BPF_JGT, [FILTER_GE] = BPF_JGE,
	};
	const bool wide = test->value.wide;
	struct bpf_code *code = writer->code;
	const int16_t at = (int16_t)filter_bpf_slot(writer, 0);
	uint8_t jump;
	int r;

	if (wide != test->other->wide)
		return filter_bpf_refuse(writer, "comparisons of signed with unsigned numbers", "");
	r = filter_bpf_value(writer, &test->value, 0);
	if (r < 0)
		return r;
	bpf_emit(code, CODE_STORE_REG(BPF_DW, at, BPF_REG_0));
	r = filter_bpf_value(writer, test->other, 1);
	if (r < 0)
		return r;
	bpf_emit(code, CODE_LOAD(BPF_DW, BPF_REG_1, BPF_REG_10, at));
	jump = wide ? unsigned_jumps[test->op] : signed_jumps[test->op];
	r = filter_bpf_jump(writer, CODE_JUMP_IF_REG(jump, BPF_REG_1, BPF_REG_0, 0),
			    filter_bpf_if_true(test));
	return r < 0 ? r : filter_bpf_jump(writer, CODE_JUMP, filter_bpf_if_false(test));
}

/* Reads a text of the record to the scratch space. What cannot be read is unknown. */
static int filter_bpf_read_text(struct filter_bpf_writer *writer, const struct filter_test *test)
{
	const struct event_field *field = test->field;
	struct bpf_code *code = writer->code;
	uint32_t size = TEXT_SIZE;

	if (field->offset < 8 && writer->bpf->is_event)
		return filter_bpf_refuse(writer, "common fields", "");
	bpf_emit(code, CODE_MOVE(BPF_REG_3, BPF_REG_6));
	if (field->place == EVENT_PLACE_FIXED) {
		bpf_emit(code, CODE_ADD(BPF_REG_3, (int32_t)field->offset));
		if (field->size && field->size < size)
			size = field->size;
	} else {
		bpf_emit(code, CODE_LOAD(BPF_W, BPF_REG_1, BPF_REG_6, (int16_t)field->offset));
		bpf_emit(code, CODE_MATH(BPF_AND, BPF_REG_1, 0xffff));
		bpf_emit(code, CODE_MATH_REG(BPF_ADD, BPF_REG_3, BPF_REG_1));
		if (field->place == EVENT_PLACE_REL_LOC)
			bpf_emit(code, CODE_ADD(BPF_REG_3, (int32_t)field->offset + 4));
	}
	bpf_emit_place(code, BPF_REG_1, writer->bpf->scratch);
	bpf_emit(code, CODE_SET(BPF_REG_2, (int32_t)size));
	bpf_emit(code, CODE_CALL(BPF_FUNC_probe_read_kernel_str));
	return filter_bpf_jump(writer, CODE_JUMP_IF(BPF_JSLT, BPF_REG_0, 0, 0), test->on_false);
}

/* Compares the scratch space with a text or its beginning, eight bytes at a time. */
static int filter_bpf_compare_text(struct filter_bpf_writer *writer, const struct filter_test *test,
				   const char *text, size_t len, bool is_open)
{
	struct bpf_code *code = writer->code;
	/* With the NUL, unless anything may follow. */
	const size_t size = is_open ? len : len + 1;

	for (size_t at = 0; at < size; at += 8) {
		const size_t part = size - at < 8 ? size - at : 8;
		const size_t have = len > at ? (len - at < part ? len - at : part) : 0;
		uint64_t expected = 0, mask = 0;
		int r;

		memcpy(&expected, text + at, have);
		memset(&mask, 0xff, part);
		bpf_emit(code, CODE_LOAD(BPF_DW, BPF_REG_0, BPF_REG_10,
					 (int16_t)(writer->bpf->scratch + (int)at)));
		if (mask != UINT64_MAX) {
			bpf_emit_number(code, BPF_REG_1, 0, mask);
			bpf_emit(code, CODE_MATH_REG(BPF_AND, BPF_REG_0, BPF_REG_1));
		}
		bpf_emit_number(code, BPF_REG_1, 0, expected);
		r = filter_bpf_jump(writer, CODE_JUMP_IF_REG(BPF_JNE, BPF_REG_0, BPF_REG_1, 0),
				    filter_bpf_if_false(test));
		if (r < 0)
			return r;
	}
	return filter_bpf_jump(writer, CODE_JUMP, filter_bpf_if_true(test));
}

static int filter_bpf_text(struct filter_bpf_writer *writer, const struct filter_test *test)
{
	struct bpf_code *code = writer->code;
	const char *text;
	size_t len;
	bool is_open;
	int r = 0;

	if (!pattern_literal(test->pattern, &text, &len, &is_open))
		return filter_bpf_refuse(writer, "this pattern",
					 ": use ==, or ~ with a single * at the end");
	if (len >= TEXT_SIZE - 1)
		return filter_bpf_refuse(writer, "long texts", "");
	for (int at = 0; at < TEXT_SIZE; at += 8)
		bpf_emit(code, CODE_STORE(BPF_DW, (int16_t)(writer->bpf->scratch + at), 0));
	if (test->text == TEXT_COMM) {
		bpf_emit_place(code, BPF_REG_1, writer->bpf->scratch);
		bpf_emit(code, CODE_SET(BPF_REG_2, 16));
		bpf_emit(code, CODE_CALL(BPF_FUNC_get_current_comm));
	} else if (test->text == TEXT_FIELD) {
		r = filter_bpf_read_text(writer, test);
	} else {
		r = filter_bpf_refuse(writer, "names of buffers", "");
	}
	return r < 0 ? r : filter_bpf_compare_text(writer, test, text, len, is_open);
}

static int filter_bpf_test(struct filter_bpf_writer *writer, const struct filter_test *test)
{
	writer->test = test;
	switch (test->code) {
	case TEST_RANGE:
		return filter_bpf_range(writer, test);
	case TEST_LIST:
		return filter_bpf_list(writer, test);
	case TEST_ADDRESS:
		return filter_bpf_ranges(writer, test);
	case TEST_PAIR:
		return filter_bpf_pair(writer, test);
	case TEST_TEXT:
		return filter_bpf_text(writer, test);
	case TEST_SAME_TEXT:
		return filter_bpf_refuse(writer, "comparisons of two texts", "");
	default:
		return filter_bpf_refuse(writer, "patterns of function names", "");
	}
}

/* Makes the next instruction the target of all jumps to @to. */
static void filter_bpf_land(struct filter_bpf_writer *writer, uint16_t to)
{
	for (size_t i = 0; i < writer->n_jumps; i++)
		if (writer->jumps[i].to == to)
			bpf_land(writer->code, writer->jumps[i].from);
}

static int filter_bpf_write(struct filter_bpf_writer *writer)
{
	const uint16_t entry = writer->program->entry;

	if (entry == FILTER_ACCEPT)
		return 0;
	if (entry == FILTER_REJECT) {
		bpf_emit_jump(writer->code, writer->bpf->reject, CODE_JUMP);
		return 0;
	}
	writer->reached[entry] = true;
	for (size_t i = (size_t)entry + 1; i-- > 0;) {
		int r;

		if (!writer->reached[i])
			continue;
		filter_bpf_land(writer, (uint16_t)i);
		r = filter_bpf_test(writer, &writer->program->tests[i]);
		if (r < 0)
			return r;
	}
	filter_bpf_land(writer, FILTER_ACCEPT);
	return 0;
}

int filter_bpf_emit(const struct filter *filter, const struct event_format *format,
		    const struct filter_bpf *bpf, struct fathom_err *err)
{
	const struct filter_program *program = filter_program_find(filter, format);
	struct filter_bpf_writer writer = {
		.bpf = bpf, .code = bpf->code, .program = program, .err = err
	};
	int r;

	writer.reached = mem_zalloc(program->n + 1U, sizeof(*writer.reached));
	if (!writer.reached)
		return err_nomem(err);
	r = filter_bpf_write(&writer);
	free(writer.reached);
	free(writer.jumps);
	return r;
}
