/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compiles a print expression. The printf string is split into text and conversions; a conversion
 * is compiled to the operations of its argument and one that prints the value. Common conversions
 * of a plain field are compiled to a single operation.
 */
#include "format/print.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "format/print/print-compile.h"

int compile_text(struct compiler *c, const char *s, size_t len)
{
	char *copy;

	if (!len)
		return 0;
	copy = arena_zalloc(c->arena, 1, len + TEXT_PAD);
	if (!copy)
		return err_nomem(c->err);
	memcpy(copy, s, len);
	return compile_emit(
		c, (struct print_op){ .code = PRINT_TEXT, .a = (uint32_t)len, .ptr = copy });
}

static const struct print_spec *keep_spec(struct compiler *c, const struct print_spec *spec)
{
	struct print_spec *copy = arena_alloc(c->arena, sizeof(*copy));

	if (copy)
		*copy = *spec;
	else
		err_nomem(c->err);
	return copy;
}

/* Returns the field if @ast is REC->field, or a cast of it without effect. */
static const struct event_field *plain_field(const struct compiler *c, const struct ast *ast)
{
	if (ast->kind != AST_MEMBER || ast->a->kind != AST_REC)
		return NULL;
	return event_field_find_len(c->format, ast->s, ast->len);
}

static bool try_plain_string(struct compiler *c, const struct print_spec *spec,
			     const struct ast *arg, int *ret)
{
	const struct event_field *field = plain_field(c, arg);

	if (!print_spec_is_plain(spec))
		return false;
	if (field && field->place == EVENT_PLACE_FIXED && field->kind == EVENT_FIELD_STRING) {
		*ret = compile_emit(c, (struct print_op){ .code = PRINT_FIELD_STRING,
							  .a = field->offset,
							  .b = field->size });
		return true;
	}
	if (arg->kind != AST_CALL ||
	    !(ast_is_name(arg, "__get_str") || ast_is_name(arg, "__get_rel_str")))
		return false;
	field = compile_field_argument(c, arg);
	if (!field || field->place == EVENT_PLACE_FIXED)
		return false;
	*ret = compile_emit(c, (struct print_op){ .code = PRINT_DYNAMIC_STRING,
						  .size = (uint8_t)field->size,
						  .flag = field->place,
						  .a = field->offset });
	return true;
}

static int convert_string(struct compiler *c, const struct print_spec *spec, const struct ast *arg)
{
	const struct print_spec *kept = NULL;
	int r;

	if (!print_spec_is_plain(spec)) {
		kept = keep_spec(c, spec);
		if (!kept)
			return -ENOMEM;
	}
	r = compile_string(c, arg);
	return r < 0 ? r : compile_emit(c, (struct print_op){ .code = PRINT_END, .ptr = kept });
}

/* %p with letters that print the object pointed to. */
static bool wants_memory(const struct print_spec *spec)
{
	return spec->pointer[0] && strchr("MmIiUhbaE4", spec->pointer[0]) &&
	       !(spec->pointer[0] == 'b' && spec->prefix);
}

/* %p with letters that print the address itself. */
static bool wants_symbol(const struct print_spec *spec)
{
	return spec->pointer[0] && strchr("FfSsB", spec->pointer[0]);
}

static int convert_pointer(struct compiler *c, const struct print_spec *spec, const struct ast *arg)
{
	const struct print_spec *kept = keep_spec(c, spec);
	struct print_op op = { .ptr = kept };
	struct expr e = { 0 };
	int r;

	if (!kept)
		return -ENOMEM;
	if (wants_memory(spec)) {
		r = compile_memory(c, arg);
		op.code = PRINT_OUT_MEMORY;
	} else if (wants_symbol(spec)) {
		r = compile_number(c, arg, &e);
		op.code = PRINT_OUT_SYMBOL;
		op.flag = strchr("FSB", spec->pointer[0]) != NULL;
		op.sign = c->with_addresses;
	} else {
		r = compile_number(c, arg, &e);
		op.code = PRINT_OUT_POINTER;
	}
	c->depth--;
	return r < 0 ? r : compile_emit(c, op);
}

static int convert_number(struct compiler *c, const struct print_spec *spec, const struct ast *arg)
{
	const size_t start = c->n;
	const struct print_spec *kept;
	struct expr e = { 0 };
	int r = compile_number(c, arg, &e);

	c->depth--;
	if (r < 0)
		return r;
	/* A number that is printed exactly as it is in the record. */
	if (c->n == start + 1 && c->ops[start].code == PRINT_LOAD && print_spec_is_plain(spec) &&
	    strchr("dux", spec->conv)) {
		c->ops[start].code = PRINT_FIELD_NUMBER;
		c->ops[start].flag = (uint8_t)spec->conv;
		c->ops[start].b = spec->size;
		return 0;
	}
	kept = keep_spec(c, spec);
	if (!kept)
		return -ENOMEM;
	return compile_emit(c, (struct print_op){ .code = PRINT_OUT_NUMBER, .ptr = kept });
}

/* Takes width or precision from an argument. */
static int print_compile_take_count(struct compiler *c, unsigned code, const struct ast **arg)
{
	struct expr e = { 0 };
	int r;

	if (!*arg)
		return 0;
	r = compile_number(c, *arg, &e);
	*arg = (*arg)->next;
	c->depth--;
	return r < 0 ? r : compile_emit(c, (struct print_op){ .code = (uint8_t)code });
}

int compile_conversion(struct compiler *c, const struct print_spec *spec, const struct ast **arg)
{
	const struct ast *value;
	int r = 0;

	if (*arg && spec->conv == 's' && try_plain_string(c, spec, *arg, &r)) {
		*arg = (*arg)->next;
		return r;
	}
	if (spec->conv == 's')
		r = compile_emit(c, (struct print_op){ .code = PRINT_BEGIN,
						       .a = (uint32_t)(spec->precision + 1) });
	if (r == 0 && spec->width_arg)
		r = print_compile_take_count(c, PRINT_WIDTH, arg);
	if (r == 0 && spec->precision_arg)
		r = print_compile_take_count(c, PRINT_PRECISION, arg);
	if (r < 0)
		return r;
	value = *arg;
	/* No argument, or an unsupported conversion of the kernel. */
	if (!value || !spec->conv) {
		static const struct ast none = { .kind = AST_UNKNOWN };

		r = compile_emit(c, (struct print_op){ .code = PRINT_BEGIN });
		if (r < 0)
			return r;

		if (value)
			*arg = value->next;
		return convert_string(c, spec, &none);
	}
	*arg = value->next;
	if (spec->conv == 's')
		return convert_string(c, spec, value);
	if (spec->conv == 'p')
		return convert_pointer(c, spec, value);
	return convert_number(c, spec, value);
}

static int compile_printf(struct compiler *c, const struct ast *string, const struct ast *arg)
{
	const char *p = string->s;
	const char *end = p + string->len;
	const char *text = p;

	while (p < end) {
		struct print_spec spec;
		int r;

		if (*p != '%') {
			p++;
			continue;
		}
		r = compile_text(c, text, (size_t)(p - text));
		if (r < 0)
			return r;
		p++;
		if (p < end && *p == '%') {
			text = p++;
			continue;
		}
		p = print_spec_read(p, end, c->format->abi.long_size, &spec);
		text = p;
		r = compile_conversion(c, &spec, &arg);
		if (r < 0)
			return r;
	}
	return compile_text(c, text, (size_t)(end - text));
}

int compile_parse(struct compiler *c, struct ast **ret_string, struct ast **ret_args)
{
	struct ast **link = ret_args;
	struct print_parser parser;
	int r;

	print_parser_init(&parser, c->format, c->scratch, c->err);
	r = print_parse_printf(&parser, ret_string);
	*link = NULL;
	if (r < 0)
		return r;
	while (print_at_op(&parser, ',')) {
		print_next_token(&parser);
		r = print_parse_argument(&parser, link);
		if (r < 0)
			return r;
		link = &(*link)->next;
		*link = NULL;
	}
	if (parser.token.kind != TOKEN_END)
		return print_syntax_error(&parser, "expected the end");
	return 0;
}

/* Detects events that contain the address of a printk format, and the arguments in binary. */
static void find_bprint(struct print_program *program)
{
	const struct event_format *format = program->format;

	if (!str_eq(format->system, "ftrace") || !str_eq(format->name, "bprint"))
		return;
	program->ip = event_field_find(format, "ip");
	program->fmt = event_field_find(format, "fmt");
	program->buf = event_field_find(format, "buf");
	program->is_bprint = program->ip && program->fmt && program->buf;
}

int compile_finish(struct compiler *c, struct print_program **ret_program)
{
	struct print_program *program = arena_zalloc(c->arena, 1, sizeof(*program));
	struct print_op *ops = arena_zalloc(c->arena, c->n ? c->n : 1, sizeof(*ops));

	if (!program || !ops)
		return err_nomem(c->err);
	if (c->n)
		memcpy(ops, c->ops, c->n * sizeof(*ops));
	*program = (struct print_program){
		.format = c->format,
		.ops = ops,
		.n = (uint32_t)c->n,
		.swap = c->format->abi.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
	};
	*ret_program = program;
	return 0;
}

int event_print_compile(const struct event_format *format, const struct print_names *names,
			struct arena *arena, const struct print_program **ret_program,
			struct fathom_err *err)
{
	_cleanup_(arena_done) struct arena scratch = { 0 };
	struct compiler c = {
		.format = format,
		.names = names,
		.arena = arena,
		.scratch = &scratch,
		.err = err,
		.call = compile_call,
	};
	struct print_program *program = NULL;
	struct ast *string, *args;
	int r = 0;

	if (!format->print)
		return err_set(err, -ENOENT, "event '%s' has no print expression", format->name);
	/* Some events have an empty expression; show their fields. */
	if (format->print_len) {
		r = compile_parse(&c, &string, &args);
		if (r == 0)
			r = compile_printf(&c, string, args);
	}
	if (r == 0)
		r = compile_finish(&c, &program);
	free(c.ops);
	if (!program)
		return r;
	program->is_empty = !format->print_len;
	find_bprint(program);
	*ret_program = program;
	return 0;
}
