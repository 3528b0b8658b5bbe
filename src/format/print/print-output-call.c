/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that return a string: their output is printed directly, inside the conversion that uses
 * it.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "format/print/print-compile.h"

/* Smaller values are looked up by index instead of by search. */
#define DIRECT_MAX 1024

struct call {
	const char *name;
	int (*compile)(struct compiler *c, const struct ast *call, unsigned number);
	unsigned number;
};

/* Makes the whole conversion unknown; nothing is printed. */
static int out_unknown(struct compiler *c)
{
	struct expr e = { 0 };
	int r = compile_unknown(c, &e);

	c->depth--;
	return r < 0 ? r : compile_emit(c, (struct print_op){ .code = PRINT_POP });
}

/* Emits an output operation that pops @values values. */
static int print_output_call_out(struct compiler *c, unsigned values, struct print_op op)
{
	c->depth -= values;
	return compile_emit(c, op);
}

static int find_pair(struct compiler *c, const struct ast *braces, unsigned size,
		     struct print_pair *ret_pair, bool *ret_skip)
{
	const struct ast *value = braces->first;
	const struct ast *name = value ? value->next : NULL;
	size_t start = c->n;
	unsigned depth = c->depth;
	struct expr e = { 0 };
	char *copy;
	int r;

	while (name && name->kind == AST_CAST)
		name = name->a;
	/* { -1, NULL } terminates the kernel's tables. */
	*ret_skip = !name || name->kind != AST_STRING;
	if (*ret_skip)
		return 0;
	c->barrier = start;
	r = compile_number(c, value, &e);
	if (r < 0)
		return r;
	*ret_pair = (struct print_pair){ .len = (uint32_t)name->len };
	ret_pair->is_known = compile_is_const(c, start, &ret_pair->value) && e.kind == EXPR_NUMBER;
	ret_pair->value = c_type_narrow(ret_pair->value, size, false);
	compile_rewind(c, start);
	c->depth = depth;
	copy = arena_alloc(c->arena, name->len + 1);
	if (!copy)
		return err_nomem(c->err);
	memcpy(copy, name->s, name->len + 1);
	ret_pair->name = copy;
	return 0;
}

static int make_direct(struct compiler *c, struct print_table *table)
{
	uint16_t *direct;
	uint64_t max = 0;

	for (uint32_t i = 0; i < table->n; i++) {
		if (table->pairs[i].is_known && table->pairs[i].value > max)
			max = table->pairs[i].value;
	}
	if (table->n < 4 || table->n >= UINT16_MAX || max >= DIRECT_MAX)
		return 0;
	direct = arena_zalloc(c->arena, max + 1, sizeof(*direct));
	if (!direct)
		return err_nomem(c->err);
	/* Last to first, because the first of equal values takes precedence. */
	for (uint32_t i = table->n; i--;)
		if (table->pairs[i].is_known)
			direct[table->pairs[i].value] = (uint16_t)(i + 1);
	table->direct = direct;
	table->n_direct = (uint32_t)max + 1;
	return 0;
}

/* Fills the table from { value, "name" }, ..., starting at argument @pair. */
static int print_output_call_fill_table(struct compiler *c, const struct ast *pair, unsigned size,
					struct print_table *table)
{
	struct print_pair *pairs;
	uint32_t n = 0;

	for (const struct ast *a = pair; a; a = a->next)
		n++;
	pairs = arena_zalloc(c->arena, n, sizeof(*pairs));
	if (!pairs)
		return err_nomem(c->err);
	table->pairs = pairs;
	for (const struct ast *a = pair; a; a = a->next) {
		bool skip;
		int r;

		if (a->kind != AST_BRACES)
			continue;
		r = find_pair(c, a, size, &pairs[table->n], &skip);
		if (r < 0)
			return r;
		if (!skip)
			table->n++;
	}
	return 0;
}

/* Compiles the value to look up; the kernel takes a long, or 64 bits. */
static int lookup_value(struct compiler *c, const struct ast *value, unsigned to_size,
			unsigned *ret_size)
{
	struct expr e = { 0 };
	int r = compile_number(c, value, &e);

	*ret_size = e.type.size < to_size ? e.type.size : to_size;
	return r < 0 ? r : compile_narrow(c, 0, c_type_int(to_size, false));
}

static int out_flags(struct compiler *c, const struct ast *call, unsigned number)
{
	const unsigned to_size = number ? number : c->format->abi.long_size;
	const struct ast *delimiter = call_arg(call, 1);
	struct print_table *table = arena_zalloc(c->arena, 1, sizeof(*table));
	unsigned size = 0;
	int r;

	if (!table)
		return err_nomem(c->err);
	if (!delimiter || delimiter->kind != AST_STRING)
		return out_unknown(c);
	r = lookup_value(c, call->first, to_size, &size);
	if (r == 0)
		r = print_output_call_fill_table(c, delimiter->next, to_size, table);
	if (r < 0)
		return r;
	table->delimiter = arena_strdup(c->arena, delimiter->s);
	if (!table->delimiter)
		return err_nomem(c->err);
	table->delimiter_len = (uint32_t)strlen(table->delimiter);
	return print_output_call_out(
		c, 1,
		(struct print_op){ .code = PRINT_OUT_FLAGS, .size = (uint8_t)size, .ptr = table });
}

static int out_symbolic(struct compiler *c, const struct ast *call, unsigned number)
{
	const unsigned to_size = number ? number : c->format->abi.long_size;
	struct print_table *table = arena_zalloc(c->arena, 1, sizeof(*table));
	unsigned size = 0;
	int r;

	if (!table)
		return err_nomem(c->err);
	if (!call->first)
		return out_unknown(c);
	r = lookup_value(c, call->first, to_size, &size);
	if (r == 0)
		r = print_output_call_fill_table(c, call->first->next, to_size, table);
	if (r == 0)
		r = make_direct(c, table);
	return r < 0 ? r :
		       print_output_call_out(c, 1,
					     (struct print_op){ .code = PRINT_OUT_SYMBOLIC,
								.size = (uint8_t)size,
								.ptr = table });
}

/* Pushes memory and a count. */
static int memory_and_count(struct compiler *c, const struct ast *call)
{
	struct expr e = { 0 };
	int r = compile_memory(c, call->first);

	return r < 0 ? r : compile_number(c, call->first->next, &e);
}

static int out_hex(struct compiler *c, const struct ast *call, unsigned separator)
{
	int r;

	if (!call_arg(call, 1))
		return out_unknown(c);
	r = memory_and_count(c, call);
	return r < 0 ? r :
		       print_output_call_out(c, 2,
					     (struct print_op){ .code = PRINT_OUT_HEX,
								.flag = (uint8_t)separator });
}

static int out_array(struct compiler *c, const struct ast *call, unsigned number)
{
	struct expr e = { 0 };
	int r;

	if (!call_arg(call, 2))
		return out_unknown(c);
	r = memory_and_count(c, call);
	if (r == 0)
		r = compile_number(c, call_arg(call, 2), &e);
	return r < 0 ? r :
		       print_output_call_out(c, 3, (struct print_op){ .code = PRINT_OUT_ARRAY });
}

/* __print_dynamic_array(field, element size): all elements. */
static int out_dynamic_array(struct compiler *c, const struct ast *call, unsigned number)
{
	const struct event_field *field = compile_field_argument(c, call);
	const struct ast *size = call_arg(call, 1);
	struct expr e = { 0 };
	int r;

	if (!field || !size)
		return out_unknown(c);
	r = compile_field_memory(c, field, &e);
	if (r == 0)
		r = compile_const(c, UINT64_MAX);
	if (r == 0)
		r = compile_number(c, size, &e);
	return r < 0 ? r :
		       print_output_call_out(c, 3, (struct print_op){ .code = PRINT_OUT_ARRAY });
}

static int out_hex_dump(struct compiler *c, const struct ast *call, unsigned number)
{
	const struct ast *prefix = call->first;
	struct expr e = { 0 };
	char *copy;
	int r = 0;

	if (!call_arg(call, 6) || prefix->kind != AST_STRING)
		return out_unknown(c);
	copy = arena_strdup(c->arena, prefix->s);
	if (!copy)
		return err_nomem(c->err);
	for (unsigned i = 1; i < 7 && r == 0; i++) {
		if (i == 4)
			r = compile_memory(c, call_arg(call, i));
		else if (i == 1 && call_arg(call, i)->kind == AST_NAME)
			r = compile_const(
				c, ast_is_name(call_arg(call, i), "DUMP_PREFIX_OFFSET") ? 2 : 0);
		else
			r = compile_number(c, call_arg(call, i), &e);
	}
	return r < 0 ? r :
		       print_output_call_out(
			       c, 6, (struct print_op){ .code = PRINT_OUT_HEX_DUMP, .ptr = copy });
}

/* Prints the bytes of a field with an output operation of its own. */
static int out_field(struct compiler *c, const struct ast *call, unsigned code)
{
	const struct event_field *field = compile_field_argument(c, call);
	struct expr e = { 0 };
	int r;

	if (!field)
		return out_unknown(c);
	r = compile_field_memory(c, field, &e);
	return r < 0 ? r : print_output_call_out(c, 1, (struct print_op){ .code = (uint8_t)code });
}

static int out_number(struct compiler *c, const struct ast *call, struct print_op op)
{
	struct expr e = { 0 };
	int r;

	if (!call->first)
		return out_unknown(c);
	r = compile_number(c, call->first, &e);
	return r < 0 ? r : print_output_call_out(c, 1, op);
}

static int out_device(struct compiler *c, const struct ast *call, unsigned number)
{
	return out_number(c, call, (struct print_op){ .code = PRINT_OUT_DEVICE });
}

static const char *const xen_hypercalls[] = {
	"set_trap_table",
	"mmu_update",
	"set_gdt",
	"stack_switch",
	"set_callbacks",
	"fpu_taskswitch",
	"sched_op_compat",
	"dom0_op",
	"set_debugreg",
	"get_debugreg",
	"update_descriptor",
	NULL,
	"memory_op",
	"multicall",
	"update_va_mapping",
	"set_timer_op",
	"event_channel_op_compat",
	"xen_version",
	"console_io",
	"physdev_op_compat",
	"grant_table_op",
	"vm_assist",
	"update_va_mapping_otherdomain",
	"iret",
	"vcpu_op",
	"set_segment_base",
	"mmuext_op",
	"acm_op",
	"nmi_op",
	"sched_op",
	"callback_op",
	"xenoprof_op",
	"event_channel_op",
	"physdev_op",
	"hvm_op",
};
static const char *const error_types[] = { "Corrected", "Uncorrected", "Deferred", "Fatal",
					   "Info" };
static const char *const severities[] = { "recoverable", "fatal", "corrected", "info" };
static const char *const yes_no[] = { "no", "yes" };
static const char *const on_off[] = { "off", "on" };
static const char *const true_false[] = { "false", "true" };
static const char *const enabled_disabled[] = { "disabled", "enabled" };
static const char *const enable_disable[] = { "disable", "enable" };
static const char *const high_low[] = { "low", "high" };
static const char *const read_write[] = { "write", "read" };

#define LIST(array, before, after, none)                      \
	{                                                     \
		ARRAY_SIZE(array), array, before, after, none \
	}
static const struct print_list lists[] = {
	LIST(xen_hypercalls, "(", ")", ""),
	LIST(error_types, "", "", "Unknown"),
	LIST(severities, "", "", "unknown"),
};

/* Booleans: any value other than 0 has the second name. */
static const struct {
	const char *name;
	struct print_list list;
} choices[] = {
	{ "str_yes_no", { 2, yes_no, "", "", "yes" } },
	{ "str_on_off", { 2, on_off, "", "", "on" } },
	{ "str_true_false", { 2, true_false, "", "", "true" } },
	{ "str_enabled_disabled", { 2, enabled_disabled, "", "", "enabled" } },
	{ "str_enable_disable", { 2, enable_disable, "", "", "enable" } },
	{ "str_high_low", { 2, high_low, "", "", "high" } },
	{ "str_read_write", { 2, read_write, "", "", "read" } },
	{ "yesno", { 2, yes_no, "", "", "yes" } },
	{ "onoff", { 2, on_off, "", "", "on" } },
};

static int out_list(struct compiler *c, const struct ast *call, unsigned number)
{
	return out_number(c, call,
			  (struct print_op){ .code = PRINT_OUT_NAMED, .ptr = &lists[number] });
}

static int out_scsi(struct compiler *c, const struct ast *call, unsigned number)
{
	struct expr e = { 0 };
	int r;

	if (!call_arg(call, 2))
		return out_unknown(c);
	r = compile_memory(c, call_arg(call, 1));
	if (r == 0)
		r = compile_number(c, call_arg(call, 2), &e);
	return r < 0 ? r : print_output_call_out(c, 2, (struct print_op){ .code = PRINT_OUT_SCSI });
}

static const struct call calls[] = {
	{ "__print_flags", out_flags, 0 },
	{ "__print_flags_u64", out_flags, 8 },
	{ "__print_symbolic", out_symbolic, 0 },
	{ "__print_symbolic_u64", out_symbolic, 8 },
	{ "__print_hex", out_hex, ' ' },
	{ "__print_hex_str", out_hex, 0 },
	{ "__print_array", out_array },
	{ "__print_dynamic_array", out_dynamic_array },
	{ "__print_hex_dump", out_hex_dump },
	{ "__get_bitmask", out_field, PRINT_OUT_BITMASK },
	{ "__get_rel_bitmask", out_field, PRINT_OUT_BITMASK },
	{ "__get_cpumask", out_field, PRINT_OUT_CPULIST },
	{ "__get_rel_cpumask", out_field, PRINT_OUT_CPULIST },
	{ "__get_stacktrace", out_field, PRINT_OUT_STACK },
	{ "jbd2_dev_to_name", out_device },
	{ "xen_hypercall_name", out_list, 0 },
	{ "mc_event_error_type", out_list, 1 },
	{ "cper_severity_str", out_list, 2 },
	{ "scsi_trace_parse_cdb", out_scsi },
};

static int out_value(struct compiler *c, const struct ast *ast)
{
	struct expr e = { 0 };
	int r = compile_expr(c, ast, &e);

	if (r < 0)
		return r;
	switch (e.kind) {
	case EXPR_MEMORY:
		return print_output_call_out(c, 1, (struct print_op){ .code = PRINT_OUT_STRING });
	case EXPR_NUMBER:
		if (e.type.size == c->format->abi.long_size)
			return print_output_call_out(c, 1,
						     (struct print_op){ .code = PRINT_OUT_PRINTK });
		break;
	case EXPR_UNKNOWN:
		break;
	}
	r = print_output_call_out(c, 1, (struct print_op){ .code = PRINT_POP });
	return r < 0 ? r : out_unknown(c);
}

static int compile_string_call(struct compiler *c, const struct ast *call)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (ast_is_name(call, calls[i].name))
			return calls[i].compile(c, call, calls[i].number);
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		if (ast_is_name(call, choices[i].name))
			return out_number(c, call,
					  (struct print_op){ .code = PRINT_OUT_NAMED,
							     .ptr = &choices[i].list });
	if (ast_is_name(call, "__builtin_expect") && call->first)
		return compile_string(c, call->first);
	if (ast_is_name(call, "__builtin_choose_expr") && call_arg(call, 2)) {
		struct ast cond = { .kind = AST_COND,
				    .a = (struct ast *)call_arg(call, 0),
				    .b = (struct ast *)call_arg(call, 1),
				    .c = (struct ast *)call_arg(call, 2) };

		return compile_string(c, &cond);
	}
	return out_value(c, call);
}

static int string_cond(struct compiler *c, const struct ast *ast)
{
	const struct ast *then = ast->b ? ast->b : ast->a;
	size_t start = c->n;
	size_t at, to_end;
	uint64_t value;
	int r = compile_condition(c, ast->a);

	if (r < 0)
		return r;
	c->depth--;
	if (compile_is_const(c, start, &value)) {
		compile_rewind(c, start);
		return compile_string(c, value ? then : ast->c);
	}
	at = c->n;
	r = compile_emit(c, (struct print_op){ .code = PRINT_JUMP_IF_ZERO });
	if (r == 0)
		r = compile_string(c, then);
	if (r < 0)
		return r;
	to_end = c->n;
	r = compile_emit(c, (struct print_op){ .code = PRINT_JUMP });
	if (r < 0)
		return r;
	c->ops[at].a = (uint32_t)c->n;
	c->barrier = c->n;
	r = compile_string(c, ast->c);
	if (r < 0)
		return r;
	c->ops[to_end].a = (uint32_t)c->n;
	c->barrier = c->n;
	return 0;
}

int compile_string(struct compiler *c, const struct ast *ast)
{
	char *copy;

	if (++c->work > PRINT_WORK_MAX)
		return err_set(c->err, -E2BIG, "print expression of '%s' is too large",
			       c->format->name);
	switch (ast->kind) {
	case AST_STRING:
		copy = arena_alloc(c->arena, ast->len + 1);
		if (!copy)
			return err_nomem(c->err);
		memcpy(copy, ast->s, ast->len + 1);
		return compile_emit(c, (struct print_op){ .code = PRINT_OUT_TEXT,
							  .a = (uint32_t)ast->len,
							  .ptr = copy });
	case AST_COND:
		return string_cond(c, ast);
	case AST_CALL:
		return compile_string_call(c, ast);
	case AST_CAST:
		if ((ast->type.pointers || !ast->type.size) && ast->a->kind != AST_BRACES &&
		    ast->a->kind != AST_NUMBER)
			return compile_string(c, ast->a);
		return out_value(c, ast);
	default:
		return out_value(c, ast);
	}
}
