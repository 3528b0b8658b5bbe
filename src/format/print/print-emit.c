/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Emits the operations of a program being compiled. Constants are folded: an operator whose
 * operands are the last constants emitted replaces them by its result.
 */
#include <errno.h>

#include "base/err.h"
#include "base/mem.h"
#include "format/print/print-compile.h"

int compile_emit(struct compiler *c, struct print_op op)
{
	if (c->n >= PRINT_OPS_MAX)
		return err_set(c->err, -E2BIG, "print expression of '%s' is too large",
			       c->format->name);
	if (mem_reserve(&c->ops, &c->cap, c->n + 1, sizeof(*c->ops)) < 0)
		return err_nomem(c->err);
	c->ops[c->n++] = op;
	return 0;
}

int compile_push(struct compiler *c, struct print_op op)
{
	if (++c->depth > PRINT_STACK_MAX)
		return err_set(c->err, -E2BIG, "print expression of '%s' is nested too deeply",
			       c->format->name);
	return compile_emit(c, op);
}

int compile_const(struct compiler *c, uint64_t value)
{
	return compile_push(c, (struct print_op){ .code = PRINT_CONST, .imm = value });
}

bool compile_is_const(const struct compiler *c, size_t start, uint64_t *ret_value)
{
	if (c->n != start + 1 || start < c->barrier || c->ops[start].code != PRINT_CONST)
		return false;
	*ret_value = c->ops[start].imm;
	return true;
}

void compile_rewind(struct compiler *c, size_t start)
{
	c->n = start;
	if (c->barrier > start)
		c->barrier = start;
}

int compile_unknown(struct compiler *c, struct expr *ret_expr)
{
	*ret_expr = (struct expr){ .kind = EXPR_UNKNOWN, .type = c_type_int(8, true) };
	return compile_push(c, (struct print_op){ .code = PRINT_UNKNOWN_VALUE });
}

bool compile_const_at(const struct compiler *c, size_t back)
{
	return c->n >= back && c->n - back >= c->barrier && c->ops[c->n - back].code == PRINT_CONST;
}

int compile_narrow(struct compiler *c, unsigned deep, struct c_type type)
{
	if (type.size >= 8)
		return 0;
	if (compile_const_at(c, 1) && (deep == 0 || compile_const_at(c, 2))) {
		struct print_op *op = &c->ops[c->n - 1 - deep];

		op->imm = c_type_narrow(op->imm, type.size, type.is_signed);
		return 0;
	}
	return compile_emit(c, (struct print_op){ .code = PRINT_NARROW,
						  .size = type.size,
						  .sign = type.is_signed,
						  .a = deep });
}

int compile_binary_operator(struct compiler *c, unsigned code, struct c_type type)
{
	const struct print_op op = { .code = (uint8_t)code,
				     .size = type.size,
				     .sign = type.is_signed };
	uint64_t value;

	c->depth--;
	if (compile_const_at(c, 1) && compile_const_at(c, 2) &&
	    print_arithmetic(&op, c->ops[c->n - 2].imm, c->ops[c->n - 1].imm, &value)) {
		c->n--;
		c->ops[c->n - 1].imm = value;
		return 0;
	}
	return compile_emit(c, op);
}

int compile_unary_operator(struct compiler *c, unsigned code)
{
	if (compile_const_at(c, 1)) {
		uint64_t *value = &c->ops[c->n - 1].imm;

		*value = code == PRINT_NEG    ? 0 - *value :
			 code == PRINT_INVERT ? ~*value :
						*value == 0;
		return 0;
	}
	return compile_emit(c, (struct print_op){ .code = (uint8_t)code });
}
