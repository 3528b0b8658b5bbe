/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C's binary operators on 64-bit values, used by running programs and for constant folding. */
#include "format/print/print-program.h"

static bool print_arithmetic_divide(unsigned code, bool is_signed, uint64_t a, uint64_t b,
				    uint64_t *ret)
{
	if (b == 0)
		return false;
	if (is_signed && b == UINT64_MAX) /* INT64_MIN / -1 traps */
		*ret = code == PRINT_DIV ? 0 - a : 0;
	else if (is_signed)
		*ret = (uint64_t)(code == PRINT_DIV ? (int64_t)a / (int64_t)b :
						      (int64_t)a % (int64_t)b);
	else
		*ret = code == PRINT_DIV ? a / b : a % b;
	return true;
}

/* Shifts by the width of the type or more depend on the machine. */
static bool print_arithmetic_shift(const struct print_op *op, uint64_t a, uint64_t b, uint64_t *ret)
{
	if (b >= (uint64_t)op->size * 8)
		return false;
	if (op->code == PRINT_SHL)
		*ret = a << b;
	else
		*ret = op->sign ? (uint64_t)((int64_t)a >> b) : a >> b;
	return true;
}

bool print_arithmetic(const struct print_op *op, uint64_t a, uint64_t b, uint64_t *ret)
{
	const bool is_signed = op->sign;

	switch (op->code) {
	case PRINT_ADD:
		*ret = a + b;
		return true;
	case PRINT_SUB:
		*ret = a - b;
		return true;
	case PRINT_MUL:
		*ret = a * b;
		return true;
	case PRINT_DIV:
	case PRINT_MOD:
		return print_arithmetic_divide(op->code, is_signed, a, b, ret);
	case PRINT_SHL:
	case PRINT_SHR:
		return print_arithmetic_shift(op, a, b, ret);
	case PRINT_AND:
		*ret = a & b;
		return true;
	case PRINT_OR:
		*ret = a | b;
		return true;
	case PRINT_XOR:
		*ret = a ^ b;
		return true;
	case PRINT_EQ:
		*ret = a == b;
		return true;
	case PRINT_NE:
		*ret = a != b;
		return true;
	case PRINT_LT:
		*ret = is_signed ? (int64_t)a < (int64_t)b : a < b;
		return true;
	case PRINT_LE:
		*ret = is_signed ? (int64_t)a <= (int64_t)b : a <= b;
		return true;
	default:
		return false;
	}
}
