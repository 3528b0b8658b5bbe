/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiles the operands of expressions: fields of the record, sizeof and names. */
#include <string.h>

#include "base/cleanup.h"
#include "format/print/print-compile.h"

static int push_fixed(struct compiler *c, const struct event_field *field)
{
	return compile_push(
		c, (struct print_op){ .code = PRINT_MEMORY, .a = field->offset, .b = field->size });
}

int compile_field_memory(struct compiler *c, const struct event_field *field, struct expr *ret_expr)
{
	*ret_expr = (struct expr){ .kind = EXPR_MEMORY,
				   .type = c_type_int(8, false),
				   .elem_size = field->elem_size,
				   .elem_signed = field->is_signed };
	if (field->place == EVENT_PLACE_FIXED)
		return push_fixed(c, field);
	return compile_push(c, (struct print_op){ .code = PRINT_DYNAMIC,
						  .size = (uint8_t)field->size,
						  .flag = field->place,
						  .a = field->offset });
}

const struct event_field *compile_field_argument(const struct compiler *c, const struct ast *call)
{
	const struct ast *arg = call->first;

	if (!arg || arg->kind != AST_NAME)
		return NULL;
	return event_field_find_len(c->format, arg->s, arg->len);
}

const struct ast *ast_strip(const struct ast *ast)
{
	while (ast->kind == AST_CAST || (ast->kind == AST_UNARY && (ast->op == '*')))
		ast = ast->a;
	return ast;
}

static int compile_load(struct compiler *c, uint32_t offset, unsigned size, bool is_signed,
			struct expr *ret_expr)
{
	*ret_expr = (struct expr){ .type = c_type_int(size, is_signed) };
	return compile_push(c, (struct print_op){ .code = PRINT_LOAD,
						  .size = (uint8_t)size,
						  .sign = is_signed,
						  .a = offset });
}

static int compile_field(struct compiler *c, const struct event_field *field, struct expr *ret_expr)
{
	int r;

	switch (field->kind) {
	case EVENT_FIELD_INT:
	case EVENT_FIELD_BOOL:
	case EVENT_FIELD_POINTER:
		r = compile_load(c, field->offset, field->size, field->is_signed, ret_expr);
		if (field->kind == EVENT_FIELD_POINTER) {
			struct c_type type = c_type_read(field->type, strlen(field->type),
							 c->format->abi.long_size);

			ret_expr->is_pointer = true;
			ret_expr->elem_size = type.pointers > 1 ? c->format->abi.long_size :
					      type.is_void	? 1 :
								  type.size;
			ret_expr->elem_signed = type.is_signed;
		}
		return r;
	default:
		return compile_field_memory(c, field, ret_expr);
	}
}

/* A struct with a single member has its value; events contain these ones. */
static bool is_only_member(const struct ast *ast)
{
	static const char *const names[] = { "val", "s_addr", "s6_addr", "counter", "b", "pte" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (ast_is_name(ast, names[i]))
			return true;
	return false;
}

/* REC->__data_loc_name is the location itself. */
static const struct event_field *find_location(const struct compiler *c, const struct ast *ast)
{
	static const char prefix[] = "__data_loc_";
	const size_t len = sizeof(prefix) - 1;
	const struct event_field *field = NULL;

	if (ast->len > len && memcmp(ast->s, prefix, len) == 0)
		field = event_field_find_len(c->format, ast->s + len, ast->len - len);
	return field && field->place == EVENT_PLACE_DATA_LOC && field->size == 4 ? field : NULL;
}

int compile_member(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	const struct ast *base = ast_strip(ast->a);
	const struct event_field *field = NULL;
	char common[64] = "common_";
	size_t len = strlen(common);

	if (base->kind == AST_REC) {
		field = find_location(c, ast);
		if (field)
			return compile_load(c, field->offset, 4, false, ret_expr);
		field = event_field_find_len(c->format, ast->s, ast->len);
	} else if (base->kind == AST_MEMBER && ast_strip(base->a)->kind == AST_REC) {
		/*
		 * REC->ent is the header of the record; the format has its members as common
		 * fields.
		 */
		if (ast_is_name(base, "ent") && ast->len < sizeof(common) - len &&
		    !event_field_find(c->format, "ent")) {
			memcpy(common + len, ast->s, ast->len);
			field = event_field_find_len(c->format, common, len + ast->len);
		} else if (is_only_member(ast)) {
			field = event_field_find_len(c->format, base->s, base->len);
		}
	}
	return field ? compile_field(c, field, ret_expr) : compile_unknown(c, ret_expr);
}

int compile_sizeof(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	const unsigned long_size = c->format->abi.long_size;
	const struct event_field *field = NULL;
	size_t size = 0;

	if (!ast->a) {
		size = ast->type.pointers ? long_size : ast->type.size;
	} else if (ast->a->kind == AST_MEMBER && ast_strip(ast->a->a)->kind == AST_REC) {
		field = event_field_find_len(c->format, ast->a->s, ast->a->len);
		size = field ? field->size : 0;
	} else if (ast->a->kind == AST_INDEX && ast->a->a->kind == AST_MEMBER) {
		field = event_field_find_len(c->format, ast->a->a->s, ast->a->a->len);
		size = field ? field->elem_size : 0;
	}
	if (!size)
		return compile_unknown(c, ret_expr);
	*ret_expr = (struct expr){ .type = c_type_int(long_size, false) };
	return compile_const(c, size);
}

/* Names that kernels leave in their formats and whose values never changed. */
static bool find_constant(const struct compiler *c, const struct ast *ast, int64_t *ret_value)
{
	static const struct {
		const char *name;
		int64_t value;
	} known[] = {
		{ "NULL", 0 },
		{ "true", 1 },
		{ "false", 0 },
		{ "HI_SOFTIRQ", 0 },
		{ "TIMER_SOFTIRQ", 1 },
		{ "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 },
		{ "BLOCK_SOFTIRQ", 4 },
		{ "IRQ_POLL_SOFTIRQ", 5 },
		{ "TASKLET_SOFTIRQ", 6 },
		{ "SCHED_SOFTIRQ", 7 },
		{ "HRTIMER_SOFTIRQ", 8 },
		{ "RCU_SOFTIRQ", 9 },
		{ "HRTIMER_NORESTART", 0 },
		{ "HRTIMER_RESTART", 1 },
		{ "NFS4_VERIFIER_SIZE", 8 },
		{ "IPPROTO_TCP", 6 },
		{ "IPPROTO_UDP", 17 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (ast_is_name(ast, known[i].name)) {
			*ret_value = known[i].value;
			return true;
		}
	return c->names && c->names->constant &&
	       c->names->constant(c->names->data, ast->s, ast->len, ret_value);
}

int compile_name(struct compiler *c, const struct ast *ast, struct expr *ret_expr)
{
	int64_t value;

	if (!find_constant(c, ast, &value))
		return compile_unknown(c, ret_expr);
	*ret_expr = (struct expr){ .type = value >= INT32_MIN && value <= INT32_MAX ?
						   c_type_int(4, true) :
						   c_type_int(8, true) };
	return compile_const(c, (uint64_t)value);
}
