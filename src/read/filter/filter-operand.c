/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The operands of a comparison: names, constants and arithmetic. Function names are looked up once
 * and kept in the filter's tree, rather than once per format.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "read/filter/filter-compile.h"

struct builder {
	struct filter_compiler *compiler;
	struct filter_item *items;
	size_t n;
	size_t cap;
	unsigned stack; /* current number of values */
	bool constant; /* no name so far */
	enum filter_operand_kind status; /* OPERAND_NUMBER unless something failed */
};

static void builder_done(struct builder *builder)
{
	free(builder->items);
}

static void add_item(struct builder *builder, const struct filter_item *item)
{
	struct filter_compiler *compiler = builder->compiler;

	if (mem_reserve(&builder->items, &builder->cap, builder->n + 1, sizeof(*item)) < 0) {
		compiler->error = err_nomem(compiler->err);
		return;
	}
	builder->items[builder->n++] = *item;
}

static void filter_operand_fail(struct builder *builder, struct filter_node *node, const char *why)
{
	if (why && !node->misfit)
		node->misfit = why;
	builder->status = why ? OPERAND_MISFIT : OPERAND_ABSENT;
}

static void add_value(struct builder *builder, struct filter_node *node,
		      const struct filter_value *value)
{
	struct filter_item item;

	if (++builder->stack > FILTER_STACK_MAX) {
		filter_operand_fail(builder, node, "is nested too deeply");
		return;
	}
	memset(&item, 0, sizeof(item));
	item.value = *value;
	add_item(builder, &item);
}

static void add_op(struct builder *builder, enum filter_op op, bool wide)
{
	struct filter_item item;

	memset(&item, 0, sizeof(item));
	item.is_op = true;
	item.op = (uint8_t)op;
	item.wide = wide;
	builder->stack--;
	add_item(builder, &item);
}

static struct filter_value filter_operand_number_value(uint64_t number)
{
	return (struct filter_value){ .source = SOURCE_NUMBER,
				      .wide = number > INT64_MAX,
				      .number = number };
}

static bool build_name(struct builder *builder, struct filter_node *node)
{
	struct filter_operand operand = filter_name_resolve(builder->compiler, node);

	builder->constant = false;
	if (operand.kind == OPERAND_NUMBER)
		add_value(builder, node, &operand.value);
	else if (operand.kind == OPERAND_ABSENT)
		filter_operand_fail(builder, node, NULL);
	else
		filter_operand_fail(builder, node,
				    operand.misfit ? operand.misfit : "is text, not a number");
	return operand.value.wide;
}

/* Adds the items of @node. Returns whether its result is an unsigned 64-bit number. */
static bool filter_operand_build(struct builder *builder, struct filter_node *node)
{
	struct filter_value value;
	bool left, right;

	if (builder->status != OPERAND_NUMBER || builder->compiler->error)
		return false;
	switch (node->kind) {
	case FILTER_NAME:
		return build_name(builder, node);
	case FILTER_NUMBER:
		if (node->unit == FILTER_UNIT_DECIMAL)
			filter_operand_fail(builder, node, "needs a unit, such as ms");
		value = filter_operand_number_value(node->number);
		add_value(builder, node, &value);
		return value.wide;
	case FILTER_MINUS:
		value = filter_operand_number_value(0);
		add_value(builder, node, &value);
		filter_operand_build(builder, node->first);
		add_op(builder, FILTER_SUB, false);
		return false;
	case FILTER_ARITH:
		left = filter_operand_build(builder, node->first);
		right = filter_operand_build(builder, node->last);
		add_op(builder, node->op, left || (right && node->op != FILTER_SHR));
		return node->op != FILTER_SUB &&
		       (left || (right && node->op != FILTER_SHR && node->op != FILTER_SHL));
	default:
		filter_operand_fail(builder, node, "is text, not a number");
		return false;
	}
}

/* Folds an expression without names into a number. */
static struct filter_operand filter_operand_fold(struct builder *builder, struct filter_node *node,
						 struct filter_value *value)
{
	static const struct filter_event none;
	struct filter_operand operand = { .kind = OPERAND_NUMBER };
	uint64_t number;

	if (!filter_value_get(&builder->compiler->filter->env, value, &none, &number)) {
		filter_operand_fail(builder, node, "divides by zero or shifts too far");
		return (struct filter_operand){ .kind = OPERAND_MISFIT, .misfit = node->misfit };
	}
	operand.value = filter_operand_number_value(number);
	operand.value.wide = value->wide;
	return operand;
}

static struct filter_operand read_expr(struct filter_compiler *compiler, struct filter_node *node)
{
	_cleanup_(builder_done) struct builder builder = { .compiler = compiler,
							   .constant = true,
							   .status = OPERAND_NUMBER };
	struct filter_operand operand = { .kind = OPERAND_ABSENT };
	struct filter_expr *expr;
	bool wide = filter_operand_build(&builder, node);

	if (compiler->error || builder.status != OPERAND_NUMBER) {
		operand.kind = (uint8_t)builder.status;
		return operand;
	}
	expr = arena_alloc(compiler->filter->arena,
			   sizeof(*expr) + builder.n * sizeof(expr->items[0]));
	if (!expr) {
		compiler->error = err_nomem(compiler->err);
		return operand;
	}
	expr->n = builder.n;
	memcpy(expr->items, builder.items, builder.n * sizeof(expr->items[0]));
	operand.kind = OPERAND_NUMBER;
	operand.value = (struct filter_value){ .source = SOURCE_EXPR, .wide = wide, .expr = expr };
	return builder.constant ? filter_operand_fold(&builder, node, &operand.value) : operand;
}

struct filter_operand filter_operand_read(struct filter_compiler *compiler,
					  struct filter_node *node)
{
	struct filter_operand operand = { .kind = OPERAND_NUMBER };

	switch (node->kind) {
	case FILTER_NAME:
		operand = filter_name_resolve(compiler, node);
		if (operand.kind == OPERAND_MISFIT && !node->misfit)
			node->misfit = operand.misfit;
		return operand;
	case FILTER_NUMBER:
		operand.value = filter_operand_number_value(node->number);
		return operand;
	case FILTER_STRING:
	case FILTER_CHAR:
		operand.kind = OPERAND_WORD;
		operand.word = node->text;
		return operand;
	default:
		return read_expr(compiler, node);
	}
}

static int filter_operand_compare_ranges(const void *a, const void *b)
{
	const struct filter_range *left = a, *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

int filter_function_find(struct filter *filter, struct filter_functions **functions,
			 const char *name)
{
	const struct filter_env *env = &filter->env;
	struct filter_functions *found;
	size_t n = 0, again;

	if (*functions)
		return 0;
	if (env->function_ranges)
		n = env->function_ranges(env->arg, name, NULL, 0);
	found = arena_zalloc(filter->arena, 1, sizeof(*found) + n * sizeof(found->ranges[0]));
	if (!found)
		return -ENOMEM;
	if (n > 0) {
		again = env->function_ranges(env->arg, name, found->ranges, n);
		found->n = again < n ? again : n;
		qsort(found->ranges, found->n, sizeof(found->ranges[0]),
		      filter_operand_compare_ranges);
	}
	*functions = found;
	return 0;
}

int filter_cache_new(struct filter *filter, const struct pattern *pattern,
		     struct filter_name_cache **cache)
{
	if (*cache)
		return 0;
	*cache = arena_zalloc(filter->arena, 1, sizeof(**cache));
	if (!*cache)
		return -ENOMEM;
	(*cache)->pattern = pattern;
	return 0;
}
