/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that return a value: the kernel's __get_*() helpers, compiler builtins, and small
 * kernel functions that depend only on their argument. Other functions are unknown.
 */

#include "base/cleanup.h"
#include "format/print/print-compile.h"

/* A supported function. @number is passed to @compile, so that related functions share the code. */
struct call {
	const char *name;
	int (*compile)(struct compiler *c, const struct ast *call, unsigned number,
		       struct expr *ret_expr);
	unsigned number;
};

static int call_get(struct compiler *c, const struct ast *call, unsigned elem_size,
		    struct expr *ret_expr)
{
	const struct event_field *field = compile_field_argument(c, call);
	int r;

	if (!field)
		return compile_unknown(c, ret_expr);
	r = compile_field_memory(c, field, ret_expr);
	/* The helper returns void *, which formats cast before they use it. */
	if (elem_size)
		ret_expr->elem_size = (uint8_t)elem_size;
	return r;
}

static int call_get_len(struct compiler *c, const struct ast *call, unsigned number,
			struct expr *ret_expr)
{
	const struct event_field *field = compile_field_argument(c, call);
	int r;

	if (!field)
		return compile_unknown(c, ret_expr);
	r = compile_field_memory(c, field, ret_expr);
	*ret_expr = (struct expr){ .type = c_type_int(4, true) };
	return r < 0 ? r : compile_emit(c, (struct print_op){ .code = PRINT_DYNAMIC_LEN });
}

/* Returns argument @number. */
static int call_pass(struct compiler *c, const struct ast *call, unsigned number,
		     struct expr *ret_expr)
{
	const struct ast *arg = call_arg(call, number);

	return arg ? compile_expr(c, arg, ret_expr) : compile_unknown(c, ret_expr);
}

/* The same, converted to an unsigned int of @number bytes. */
static int call_cast(struct compiler *c, const struct ast *call, unsigned number,
		     struct expr *ret_expr)
{
	struct c_type type = c_type_int(number, false);
	int r;

	if (!call->first)
		return compile_unknown(c, ret_expr);
	r = compile_number(c, call->first, ret_expr);
	if (r < 0)
		return r;
	*ret_expr = (struct expr){ .kind = ret_expr->kind, .type = type };
	return compile_narrow(c, 0, type);
}

static int call_constant(struct compiler *c, const struct ast *call, unsigned number,
			 struct expr *ret_expr)
{
	*ret_expr = (struct expr){ .type = c_type_int(4, true) };
	return compile_const(c, number);
}

static int call_choose(struct compiler *c, const struct ast *call, unsigned number,
		       struct expr *ret_expr)
{
	struct ast cond = { .kind = AST_COND,
			    .a = (struct ast *)call_arg(call, 0),
			    .b = (struct ast *)call_arg(call, 1),
			    .c = (struct ast *)call_arg(call, 2) };

	return cond.c ? compile_expr(c, &cond, ret_expr) : compile_unknown(c, ret_expr);
}

/* Swaps the bytes of a number of @number bytes. */
static int call_swap(struct compiler *c, const struct ast *call, unsigned number,
		     struct expr *ret_expr)
{
	int r = call_cast(c, call, number, ret_expr);

	return r < 0 ? r :
		       compile_emit(c, (struct print_op){ .code = PRINT_SWAP,
							  .size = (uint8_t)number });
}

#define BIG 16 /* added to the size: big-endian data */

/* A number in fixed byte order, in a variable. */
static int call_ordered(struct compiler *c, const struct ast *call, unsigned number,
			struct expr *ret_expr)
{
	bool is_big = number & BIG;

	if (is_big == c->format->abi.big_endian)
		return call_cast(c, call, number & ~BIG, ret_expr);
	return call_swap(c, call, number & ~BIG, ret_expr);
}

/* The same, in memory: the first number that a pointer points to. */
static int call_ordered_at(struct compiler *c, const struct ast *call, unsigned number,
			   struct expr *ret_expr)
{
	struct ast type = { .kind = AST_CAST,
			    .type = { .size = (uint8_t)(number & ~BIG), .pointers = 1 },
			    .a = call->first };
	struct ast deref = { .kind = AST_UNARY, .op = '*', .a = &type };
	struct ast ordered = { .kind = AST_CALL, .first = &deref };

	if (!call->first)
		return compile_unknown(c, ret_expr);
	return call_ordered(c, &ordered, number, ret_expr);
}

/* a OP b, where b is a constant chosen here. */
static int call_with(struct compiler *c, const struct ast *arg, int op, uint64_t value,
		     struct c_type type, struct expr *ret_expr)
{
	struct ast right = { .kind = AST_NUMBER, .number = value, .type = type };
	struct ast left = { .kind = AST_CAST, .type = type, .a = (struct ast *)arg };
	struct ast binary = { .kind = AST_BINARY, .op = op, .a = &left, .b = &right };

	return arg ? compile_expr(c, &binary, ret_expr) : compile_unknown(c, ret_expr);
}

static int call_major(struct compiler *c, const struct ast *call, unsigned number,
		      struct expr *ret_expr)
{
	return call_with(c, call->first, OP_SHR, 20, c_type_int(4, false), ret_expr);
}

static int call_minor(struct compiler *c, const struct ast *call, unsigned number,
		      struct expr *ret_expr)
{
	return call_with(c, call->first, '&', 0xfffff, c_type_int(4, false), ret_expr);
}

static int call_is_err(struct compiler *c, const struct ast *call, unsigned number,
		       struct expr *ret_expr)
{
	const unsigned size = c->format->abi.long_size;

	return call_with(c, call->first, OP_GE, c_type_narrow((uint64_t)-4095, size, false),
			 c_type_int(size, false), ret_expr);
}

static int call_ptr_err(struct compiler *c, const struct ast *call, unsigned number,
			struct expr *ret_expr)
{
	struct ast cast = { .kind = AST_CAST,
			    .type = c_type_int(c->format->abi.long_size, true),
			    .a = call->first };

	return call->first ? compile_expr(c, &cast, ret_expr) : compile_unknown(c, ret_expr);
}

static int call_divide(struct compiler *c, const struct ast *call, unsigned number,
		       struct expr *ret_expr)
{
	return call_with(c, call->first, '/', number, c_type_int(8, true), ret_expr);
}

#define NSEC_PER_SEC 1000000000

static int call_seconds(struct compiler *c, const struct ast *call, unsigned number,
			struct expr *ret_expr)
{
	return call_with(c, call->first, '/', NSEC_PER_SEC, c_type_int(8, false), ret_expr);
}

static int call_nanoseconds(struct compiler *c, const struct ast *call, unsigned number,
			    struct expr *ret_expr)
{
	int r = call_with(c, call->first, '%', NSEC_PER_SEC, c_type_int(8, false), ret_expr);

	ret_expr->type = c_type_int(4, false);
	return r;
}

static int call_jiffies(struct compiler *c, const struct ast *call, unsigned number,
			struct expr *ret_expr)
{
	int r;

	if (!call->first)
		return compile_unknown(c, ret_expr);
	r = compile_number(c, call->first, ret_expr);
	*ret_expr = (struct expr){ .kind = ret_expr->kind, .type = c_type_int(4, false) };
	return r < 0 ? r :
		       compile_emit(c, (struct print_op){ .code = PRINT_JIFFIES, .imm = number });
}

static const struct call calls[] = {
	{ "__get_str", call_get, 1 },
	{ "__get_rel_str", call_get, 1 },
	{ "__get_dynamic_array", call_get, 0 },
	{ "__get_rel_dynamic_array", call_get, 0 },
	{ "__get_bitmask", call_get, 0 },
	{ "__get_rel_bitmask", call_get, 0 },
	{ "__get_cpumask", call_get, 0 },
	{ "__get_rel_cpumask", call_get, 0 },
	{ "__get_sockaddr", call_get, 1 },
	{ "__get_rel_sockaddr", call_get, 1 },
	{ "__get_sockaddr_rel", call_get, 1 },
	{ "__get_dynamic_array_len", call_get_len },
	{ "__get_rel_dynamic_array_len", call_get_len },
	{ "__builtin_expect", call_pass, 0 },
	{ "likely", call_pass, 0 },
	{ "unlikely", call_pass, 0 },
	{ "__force_cast", call_pass, 0 },
	{ "ktime_to_ns", call_pass, 0 },
	{ "native_make_pte", call_pass, 0 },
	{ "native_make_pmd", call_pass, 0 },
	{ "native_make_pud", call_pass, 0 },
	{ "native_make_pgd", call_pass, 0 },
	{ "ERR_PTR", call_pass, 0 },
	{ "__builtin_constant_p", call_constant, 0 },
	{ "__builtin_choose_expr", call_choose },
	{ "__builtin_bswap16", call_swap, 2 },
	{ "__builtin_bswap32", call_swap, 4 },
	{ "__builtin_bswap64", call_swap, 8 },
	{ "__fswab16", call_swap, 2 },
	{ "__fswab32", call_swap, 4 },
	{ "__fswab64", call_swap, 8 },
	{ "__swab16", call_swap, 2 },
	{ "__swab32", call_swap, 4 },
	{ "__swab64", call_swap, 8 },
	{ "le16_to_cpu", call_ordered, 2 },
	{ "le32_to_cpu", call_ordered, 4 },
	{ "le64_to_cpu", call_ordered, 8 },
	{ "be16_to_cpu", call_ordered, 2 | BIG },
	{ "be32_to_cpu", call_ordered, 4 | BIG },
	{ "be64_to_cpu", call_ordered, 8 | BIG },
	{ "__le16_to_cpu", call_ordered, 2 },
	{ "__le32_to_cpu", call_ordered, 4 },
	{ "__le64_to_cpu", call_ordered, 8 },
	{ "__be16_to_cpu", call_ordered, 2 | BIG },
	{ "__be32_to_cpu", call_ordered, 4 | BIG },
	{ "__be64_to_cpu", call_ordered, 8 | BIG },
	{ "ntohs", call_ordered, 2 | BIG },
	{ "ntohl", call_ordered, 4 | BIG },
	{ "htons", call_ordered, 2 | BIG },
	{ "htonl", call_ordered, 4 | BIG },
	{ "le16_to_cpup", call_ordered_at, 2 },
	{ "le32_to_cpup", call_ordered_at, 4 },
	{ "le64_to_cpup", call_ordered_at, 8 },
	{ "be16_to_cpup", call_ordered_at, 2 | BIG },
	{ "be32_to_cpup", call_ordered_at, 4 | BIG },
	{ "be64_to_cpup", call_ordered_at, 8 | BIG },
	{ "__le16_to_cpup", call_ordered_at, 2 },
	{ "__le32_to_cpup", call_ordered_at, 4 },
	{ "__le64_to_cpup", call_ordered_at, 8 },
	{ "get_unaligned_le16", call_ordered_at, 2 },
	{ "get_unaligned_le32", call_ordered_at, 4 },
	{ "get_unaligned_le64", call_ordered_at, 8 },
	{ "get_unaligned_be16", call_ordered_at, 2 | BIG },
	{ "get_unaligned_be32", call_ordered_at, 4 | BIG },
	{ "get_unaligned_be64", call_ordered_at, 8 | BIG },
	{ "MAJOR", call_major },
	{ "MINOR", call_minor },
	{ "IS_ERR_VALUE", call_is_err },
	{ "IS_ERR", call_is_err },
	{ "PTR_ERR", call_ptr_err },
	{ "ktime_to_us", call_divide, 1000 },
	{ "ktime_to_ms", call_divide, 1000000 },
	{ "__print_ns_to_secs", call_seconds },
	{ "__print_ns_without_secs", call_nanoseconds },
	{ "jiffies_to_msecs", call_jiffies, 1000 },
	{ "jiffies_to_usecs", call_jiffies, 1000000 },
};

int compile_call(struct compiler *c, const struct ast *call, struct expr *ret_expr)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (ast_is_name(call, calls[i].name))
			return calls[i].compile(c, call, calls[i].number, ret_expr);
	return compile_unknown(c, ret_expr);
}
