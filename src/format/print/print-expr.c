/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compiles expressions with C's types and conversions. The arguments of function calls are also
 * expressions, so calls are compiled above this file, through the compiler's @call.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "format/print/print-compile.h"

static const struct c_type type_int = { .size = 4, .is_signed = true };

/* Converts between number types; most conversions need no operation. */
static int print_expr_convert(struct compiler *c, unsigned deep, struct c_type from,
			      struct c_type to)
{
	if (to.size > from.size && (!from.is_signed || to.size == 8 || to.is_signed))
		return 0;
	if (to.size == from.size && (to.is_signed == from.is_signed || to.size == 8))
		return 0;
	return compile_narrow(c, deep, to);
}

/* Marks the top value, which stays on the stack, as unknown. */
static int spoil(struct compiler *c, struct expr *ret_expr)
{
	int r = compile_emit(c, (struct print_op){ .code = PRINT_POP });

	c->depth--;
	return r < 0 ? r : compile_unknown(c, ret_expr);
}

int compile_number(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	int r = compile_expr(c, ast, ret_expr);

	if (r == 0 && ret_expr->kind == EXPR_MEMORY)
		return spoil(c, ret_expr);
	return r;
}

int compile_memory(struct compiler *c, const struct ast *ast)
{
	struct expr e = { 0 };
	int r = compile_expr(c, ast, &e);

	if (r == 0 && e.kind != EXPR_MEMORY)
		return spoil(c, &e);
	return r;
}

int compile_condition(struct compiler *c, const struct ast *ast)
{
	struct expr e = { 0 };
	int r = compile_expr(c, ast, &e);

	if (r < 0 || e.kind != EXPR_MEMORY)
		return r;
	/* The address of something in the record is never NULL. */
	r = compile_emit(c, (struct print_op){ .code = PRINT_POP });
	c->depth--;
	return r < 0 ? r : compile_const(c, 1);
}

/* Emits a jump whose target is set by land(). */
static int print_expr_jump(struct compiler *c, unsigned code, size_t *ret_at)
{
	*ret_at = c->n;
	if (code == PRINT_JUMP_IF_ZERO)
		c->depth--;
	return compile_emit(c, (struct print_op){ .code = (uint8_t)code });
}

static void land(struct compiler *c, size_t at)
{
	c->ops[at].a = (uint32_t)c->n;
	c->barrier = c->n;
}

static int compile_logical(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	const bool is_or = ast->op == OP_LOR;
	const size_t start = c->n;
	size_t to_short = 0, to_end = 0;
	uint64_t value;
	int r = compile_condition(c, ast->a);

	*ret_expr = (struct expr){ .type = type_int };
	if (r == 0 && compile_is_const(c, start, &value)) {
		compile_rewind(c, start);
		c->depth--;
		/* "1 && b" and "0 || b" are b. */
		if (!value == is_or)
			r = compile_condition(c, ast->b);
		else
			return compile_const(c, is_or);
		if (r == 0)
			r = compile_unary_operator(c, PRINT_NOT);
		return r < 0 ? r : compile_unary_operator(c, PRINT_NOT);
	}
	if (r == 0 && is_or)
		r = compile_unary_operator(c, PRINT_NOT);
	if (r == 0)
		r = print_expr_jump(c, PRINT_JUMP_IF_ZERO, &to_short);
	if (r == 0)
		r = compile_condition(c, ast->b);
	if (r == 0)
		r = compile_unary_operator(c, PRINT_NOT);
	if (r == 0)
		r = compile_unary_operator(c, PRINT_NOT);
	if (r == 0)
		r = print_expr_jump(c, PRINT_JUMP, &to_end);
	if (r < 0)
		return r;
	land(c, to_short);
	c->depth--;
	r = compile_const(c, is_or);
	if (r < 0)
		return r;
	land(c, to_end);
	return 0;
}

/* The type of "a ? b : c" if both are numbers; otherwise unknown. */
static void print_expr_join(struct expr *ret, const struct expr *b, const struct expr *c)
{
	*ret = *b;
	if (b->kind == EXPR_UNKNOWN) {
		*ret = *c;
	} else if (b->kind == EXPR_NUMBER && c->kind == EXPR_NUMBER) {
		ret->type = c_type_common(b->type, c->type);
		ret->is_pointer = b->is_pointer || c->is_pointer;
	} else if (b->kind != c->kind && c->kind != EXPR_UNKNOWN) {
		ret->kind = EXPR_UNKNOWN;
	}
}

/* a ? b : c; if a is constant, only one of them is compiled. */
static int compile_cond(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	const size_t start = c->n;
	const struct ast *then = ast->b ? ast->b : ast->a;
	struct expr yes = { 0 }, no = { 0 };
	size_t to_else = 0, to_end = 0, convert_at;
	uint64_t value;
	int r = compile_condition(c, ast->a);

	if (r == 0 && compile_is_const(c, start, &value)) {
		compile_rewind(c, start);
		c->depth--;
		return compile_expr(c, value ? then : ast->c, ret_expr);
	}
	if (r == 0)
		r = print_expr_jump(c, PRINT_JUMP_IF_ZERO, &to_else);
	if (r == 0)
		r = compile_expr(c, then, &yes);
	if (r < 0)
		return r;
	/* Replaced by the conversion to the common type, once the other type is known. */
	convert_at = c->n;
	r = compile_emit(c, (struct print_op){ .code = PRINT_NOP });
	if (r == 0)
		r = print_expr_jump(c, PRINT_JUMP, &to_end);
	if (r < 0)
		return r;
	land(c, to_else);
	c->depth--;
	r = compile_expr(c, ast->c, &no);
	if (r < 0)
		return r;
	print_expr_join(ret_expr, &yes, &no);
	if (ret_expr->kind == EXPR_NUMBER && yes.kind == EXPR_NUMBER && no.kind == EXPR_NUMBER) {
		c->ops[convert_at] = (struct print_op){ .code = PRINT_NARROW,
							.size = ret_expr->type.size,
							.sign = ret_expr->type.is_signed };
		r = print_expr_convert(c, 0, no.type, ret_expr->type);
		if (r < 0)
			return r;
	}
	land(c, to_end);
	return ret_expr->kind == EXPR_UNKNOWN && yes.kind != EXPR_UNKNOWN ? spoil(c, ret_expr) : 0;
}

/* pointer + n; n is the top value. */
static int compile_advance(struct compiler *c, const struct expr *pointer, bool minus,
			   struct expr *ret_expr)
{
	int r = 0;

	*ret_expr = *pointer;
	if (minus)
		r = compile_unary_operator(c, PRINT_NEG);
	if (r < 0)
		return r;
	if (!pointer->elem_size) {
		r = compile_emit(c, (struct print_op){ .code = PRINT_POP });
		c->depth--;
		return r < 0 ? r : spoil(c, ret_expr);
	}
	if (pointer->kind == EXPR_MEMORY) {
		c->depth--;
		return compile_emit(c, (struct print_op){ .code = PRINT_ADVANCE,
							  .size = pointer->elem_size });
	}
	r = compile_const(c, pointer->elem_size);
	if (r == 0)
		r = compile_binary_operator(c, PRINT_MUL, c_type_int(8, false));
	if (r == 0)
		r = compile_binary_operator(c, PRINT_ADD, c_type_int(8, false));
	return r < 0 ? r : compile_narrow(c, 0, pointer->type);
}

/* Discards both operands: their combination is meaningless here. */
static int spoil_both(struct compiler *c, struct expr *ret_expr)
{
	int r = compile_emit(c, (struct print_op){ .code = PRINT_POP });

	c->depth--;
	return r < 0 ? r : spoil(c, ret_expr);
}

struct binary {
	int op;
	uint8_t code;
	bool compares;
	bool swapped; /* a > b is b < a, computed as !(a <= b) */
};

static const struct binary *find_binary(int op)
{
	static const struct binary table[] = {
		{ '+', PRINT_ADD },
		{ '-', PRINT_SUB },
		{ '*', PRINT_MUL },
		{ '/', PRINT_DIV },
		{ '%', PRINT_MOD },
		{ OP_SHL, PRINT_SHL },
		{ OP_SHR, PRINT_SHR },
		{ '&', PRINT_AND },
		{ '|', PRINT_OR },
		{ '^', PRINT_XOR },
		{ OP_EQ, PRINT_EQ, true },
		{ OP_NE, PRINT_NE, true },
		{ '<', PRINT_LT, true },
		{ OP_LE, PRINT_LE, true },
		{ '>', PRINT_LE, true, true },
		{ OP_GE, PRINT_LT, true, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].op == op)
			return &table[i];
	return NULL;
}

static int compile_arithmetic(struct compiler *c, const struct binary *binary, const struct expr *a,
			      const struct expr *b, struct expr *ret_expr)
{
	const bool is_shift = binary->code == PRINT_SHL || binary->code == PRINT_SHR;
	struct c_type type = is_shift ? c_type_promote(a->type) : c_type_common(a->type, b->type);
	int r = print_expr_convert(c, 1, a->type, type);

	if (r == 0 && !is_shift)
		r = print_expr_convert(c, 0, b->type, type);
	if (r == 0)
		r = compile_binary_operator(c, binary->code, type);
	if (r < 0)
		return r;
	*ret_expr = (struct expr){ .type = binary->compares ? type_int : type };
	if (a->kind == EXPR_UNKNOWN || b->kind == EXPR_UNKNOWN)
		ret_expr->kind = EXPR_UNKNOWN;
	if (binary->swapped)
		return compile_unary_operator(c, PRINT_NOT);
	return binary->compares ? 0 : compile_narrow(c, 0, type);
}

static int compile_binary(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	const struct binary *binary = find_binary(ast->op);
	struct expr a = { 0 }, b = { 0 };
	int r;

	if (ast->op == OP_LAND || ast->op == OP_LOR)
		return compile_logical(c, ast, ret_expr);
	if (!binary)
		return compile_unknown(c, ret_expr);
	r = compile_expr(c, ast->a, &a);
	if (r == 0)
		r = compile_expr(c, ast->b, &b);
	if (r < 0)
		return r;
	if (a.kind == EXPR_UNKNOWN || b.kind == EXPR_UNKNOWN)
		return compile_arithmetic(c, binary, &a, &b, ret_expr);
	if (binary->code == PRINT_ADD || binary->code == PRINT_SUB) {
		bool a_points = a.kind == EXPR_MEMORY || a.is_pointer;
		bool b_points = b.kind == EXPR_MEMORY || b.is_pointer;

		if (a_points && !b_points)
			return compile_advance(c, &a, binary->code == PRINT_SUB, ret_expr);
		if (b_points && (!a_points || b.kind == EXPR_MEMORY))
			return spoil_both(c, ret_expr);
	}
	if (a.kind == EXPR_MEMORY || b.kind == EXPR_MEMORY)
		return spoil_both(c, ret_expr);
	return compile_arithmetic(c, binary, &a, &b, ret_expr);
}

/* A constant element of a fixed array is a plain number in the record. */
static bool fold_element(struct compiler *c, unsigned size, bool is_signed)
{
	struct print_op *array;
	uint64_t i;

	if (!compile_const_at(c, 1) || c->n < 2 || c->n - 2 < c->barrier)
		return false;
	array = &c->ops[c->n - 2];
	i = c->ops[c->n - 1].imm;
	if (array->code != PRINT_MEMORY || i >= array->b / size)
		return false;
	*array = (struct print_op){ .code = PRINT_LOAD,
				    .size = (uint8_t)size,
				    .sign = is_signed,
				    .a = array->a + (uint32_t)i * size };
	c->n--;
	return true;
}

/* Indexes the memory below the top of the stack by the top value. */
static int compile_element(struct compiler *c, const struct expr *memory, struct expr *ret_expr)
{
	unsigned size = memory->elem_size;

	if (memory->kind != EXPR_MEMORY || (size != 1 && size != 2 && size != 4 && size != 8))
		return spoil_both(c, ret_expr);
	*ret_expr = (struct expr){ .type = c_type_int(size, memory->elem_signed) };
	c->depth--;
	if (fold_element(c, size, memory->elem_signed))
		return 0;
	return compile_emit(c, (struct print_op){ .code = PRINT_INDEX,
						  .size = (uint8_t)size,
						  .sign = memory->elem_signed });
}

static int compile_index(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	struct expr memory = { 0 }, i = { 0 };
	int r = compile_expr(c, ast->a, &memory);

	if (r == 0)
		r = compile_number(c, ast->b, &i);
	return r < 0 ? r : compile_element(c, &memory, ret_expr);
}

static int compile_deref(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	struct expr memory = { 0 };
	int r = compile_expr(c, ast, &memory);

	if (r == 0)
		r = compile_const(c, 0);
	return r < 0 ? r : compile_element(c, &memory, ret_expr);
}

/* &REC->field, &REC->field[i] */
static int compile_address(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	const struct event_field *field;
	struct expr memory = { 0 }, i = { 0 };
	int r;

	if (ast->kind == AST_INDEX) {
		r = compile_expr(c, ast->a, &memory);
		if (r == 0)
			r = compile_number(c, ast->b, &i);
		if (r < 0)
			return r;
		if (memory.kind != EXPR_MEMORY)
			return spoil_both(c, ret_expr);
		return compile_advance(c, &memory, false, ret_expr);
	}
	if (ast->kind == AST_UNARY && ast->op == '*')
		return compile_expr(c, ast->a, ret_expr);
	if (ast->kind != AST_MEMBER || ast_strip(ast->a)->kind != AST_REC)
		return compile_unknown(c, ret_expr);
	field = event_field_find_len(c->format, ast->s, ast->len);
	return field ? compile_field_memory(c, field, ret_expr) : compile_unknown(c, ret_expr);
}

static int compile_unary(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	struct c_type type;
	int r;

	if (ast->op == '&')
		return compile_address(c, ast->a, ret_expr);
	if (ast->op == '*')
		return compile_deref(c, ast->a, ret_expr);
	if (ast->op == '!') {
		*ret_expr = (struct expr){ .type = type_int };
		r = compile_condition(c, ast->a);
		return r < 0 ? r : compile_unary_operator(c, PRINT_NOT);
	}
	r = compile_number(c, ast->a, ret_expr);
	if (r < 0)
		return r;
	type = c_type_promote(ret_expr->type);
	*ret_expr = (struct expr){ .kind = ret_expr->kind, .type = type };
	if (ast->op == '+')
		return 0;
	r = compile_unary_operator(c, ast->op == '-' ? PRINT_NEG : PRINT_INVERT);
	return r < 0 ? r : compile_narrow(c, 0, type);
}

static int compile_cast(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	const unsigned long_size = c->format->abi.long_size;
	const struct c_type *to = &ast->type;
	int r;

	/* A block of memory given as a literal. */
	if (ast->a->kind == AST_BRACES)
		return compile_unknown(c, ret_expr);
	r = compile_expr(c, ast->a, ret_expr);
	if (r < 0 || ret_expr->kind == EXPR_UNKNOWN)
		return r;
	if (to->pointers) {
		ret_expr->elem_size = to->pointers > 1 ? (uint8_t)long_size :
				      to->is_void      ? 1 :
							 to->size;
		ret_expr->elem_signed = to->pointers == 1 && to->is_signed;
		if (ret_expr->kind == EXPR_MEMORY)
			return 0;
		ret_expr->is_pointer = true;
		r = print_expr_convert(c, 0, ret_expr->type, c_type_int(long_size, false));
		ret_expr->type = c_type_int(long_size, false);
		return r;
	}
	/* An unknown type leaves the value unchanged. */
	if (!to->size && !to->is_record)
		return 0;
	if (ret_expr->kind == EXPR_MEMORY || to->is_record)
		return spoil(c, ret_expr);
	if (to->is_bool) {
		*ret_expr = (struct expr){ .type = c_type_int(1, false) };
		r = compile_unary_operator(c, PRINT_NOT);
		return r < 0 ? r : compile_unary_operator(c, PRINT_NOT);
	}
	r = print_expr_convert(c, 0, ret_expr->type, c_type_int(to->size, to->is_signed));
	*ret_expr = (struct expr){ .type = c_type_int(to->size, to->is_signed) };
	return r;
}

int compile_expr(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	if (++c->work > PRINT_WORK_MAX)
		return err_set(c->err, -E2BIG, "print expression of '%s' is too large",
			       c->format->name);
	switch (ast->kind) {
	case AST_NUMBER:
		*ret_expr = (struct expr){ .type = ast->type };
		return compile_const(c, ast->number);
	case AST_NAME:
		return compile_name(c, ast, ret_expr);
	case AST_REC:
		*ret_expr = (struct expr){ .kind = EXPR_MEMORY, .type = c_type_int(8, false) };
		return compile_push(c, (struct print_op){ .code = PRINT_MEMORY });
	case AST_MEMBER:
		return compile_member(c, ast, ret_expr);
	case AST_INDEX:
		return compile_index(c, ast, ret_expr);
	case AST_UNARY:
		return compile_unary(c, ast, ret_expr);
	case AST_BINARY:
		return compile_binary(c, ast, ret_expr);
	case AST_COND:
		return compile_cond(c, ast, ret_expr);
	case AST_CAST:
		return compile_cast(c, ast, ret_expr);
	case AST_CALL:
		return c->call(c, ast, ret_expr);
	case AST_SIZEOF:
		return compile_sizeof(c, ast, ret_expr);
	case AST_STRING:
	case AST_BRACES:
	case AST_UNKNOWN:
		break;
	}
	return compile_unknown(c, ret_expr);
}
