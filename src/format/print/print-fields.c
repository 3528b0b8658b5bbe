/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compiles an event's fields as "name=value". A field is printed by its type, or, if the print
 * expression has it as an argument, as it is printed there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "format/print/print-compile.h"

/* A conversion of the printf string with a mere field as its argument. */
struct use {
	struct print_spec spec;
	const struct ast *arg;
	bool has_0x; /* preceded by "0x" */
	bool is_last; /* nothing follows it */
	struct use *next; /* of the same field */
	unsigned order;
};

/* Returns the argument printed by the conversion at @arg; NULL if there are too few. */
static const struct ast *print_fields_value_of(const struct print_spec *spec, const struct ast *arg)
{
	for (unsigned i = spec->width_arg + spec->precision_arg; arg && i; i--)
		arg = arg->next;
	return arg;
}

/* Returns the index of the numeric field that @ast refers to, ignoring casts; n_fields: none. */
static uint32_t used_field(const struct compiler *c, const struct ast *ast)
{
	const struct event_field *field = NULL;

	while (ast && ast->kind == AST_CAST)
		ast = ast->a;
	if (ast && ast->kind == AST_MEMBER && ast->a->kind == AST_REC)
		field = event_field_find_len(c->format, ast->s, ast->len);
	return field && print_field_is_number(field) ? (uint32_t)(field - c->format->fields) :
						       c->format->n_fields;
}

static int add_use(struct compiler *c, const struct use *use, struct use **uses)
{
	const struct ast *value = print_fields_value_of(&use->spec, use->arg);
	uint32_t field = used_field(c, value);
	struct use *copy;

	if (field == c->format->n_fields)
		return 0;
	copy = arena_alloc(c->scratch, sizeof(*copy));
	if (!copy)
		return err_nomem(c->err);
	*copy = *use;
	/* Lists are in reverse order. */
	copy->next = uses[field];
	uses[field] = copy;
	return 0;
}

/* Fills @uses, one list per field. */
static int find_uses(struct compiler *c, const struct ast *string, const struct ast *arg,
		     struct use **uses)
{
	const char *p = string->s;
	const char *end = p + string->len;
	const char *text = p;
	unsigned order = 0;

	while (p < end) {
		struct use use;
		int r;

		if (*p++ != '%')
			continue;
		if (p < end && *p == '%') {
			p++;
			continue;
		}
		use = (struct use){ .has_0x = p - 1 - text >= 2 && memcmp(p - 3, "0x", 2) == 0,
				    .arg = arg,
				    .order = order++ };
		p = print_spec_read(p, end, c->format->abi.long_size, &use.spec);
		text = p;
		use.is_last = p == end;
		r = add_use(c, &use, uses);
		if (r < 0)
			return r;
		arg = print_fields_value_of(&use.spec, arg);
		arg = arg ? arg->next : NULL;
	}
	return 0;
}

/* The arguments of a bprint event are elsewhere. */
static bool has_arguments(const struct event_format *format)
{
	return format->print_len &&
	       !(str_eq(format->system, "ftrace") && str_eq(format->name, "bprint"));
}

/* Returns the first use at @from or later, or else the first of all. */
static const struct use *choose_use(const struct use *uses, unsigned from)
{
	const struct use *first = NULL, *behind = NULL;

	for (; uses; uses = uses->next) {
		first = uses;
		if (uses->order >= from)
			behind = uses;
	}
	return behind ? behind : first;
}

static int compile_field_text(struct compiler *c, const struct event_field *field,
			      const struct use *use)
{
	const size_t size = strlen(field->name) + sizeof(" =0x");
	char *head = arena_alloc(c->scratch, size);
	const struct ast *arg;
	int r;

	if (!head)
		return err_nomem(c->err);
	r = compile_text(c, head,
			 (size_t)snprintf(head, size, " %s=%s", field->name,
					  use && use->has_0x ? "0x" : ""));
	if (r < 0)
		return r;
	if (!use)
		return compile_emit(c, (struct print_op){ .code = PRINT_FIELD, .ptr = field });
	arg = use->arg;
	return compile_conversion(c, &use->spec, &arg);
}

/* In trace-cmd's order: search from the previous use on, wrap around, and stop at the end. */
static int compile_fields(struct compiler *c, struct use **uses)
{
	unsigned from = 0;
	bool at_end = false;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < c->format->n_fields; i++) {
		const struct use *use = at_end ? NULL : choose_use(uses[i], from);

		if (c->format->fields[i].is_common)
			continue;
		if (use) {
			from = use->order + 1;
			at_end = use->is_last;
		}
		r = compile_field_text(c, &c->format->fields[i], use);
	}
	return r;
}

int event_print_compile_fields(const struct event_format *format, bool with_addresses,
			       struct arena *arena, const struct print_program **ret_program,
			       struct fathom_err *err)
{
	_cleanup_(arena_done) struct arena scratch = { 0 };
	struct compiler c = { .format = format,
			      .arena = arena,
			      .scratch = &scratch,
			      .with_addresses = with_addresses,
			      .err = err,
			      .call = compile_call };
	struct use **uses = arena_zalloc(&scratch, format->n_fields + (size_t)1, sizeof(void *));
	struct print_program *program;
	struct ast *string, *args;
	int r = uses ? 0 : err_nomem(err);

	if (r == 0 && has_arguments(format)) {
		r = compile_parse(&c, &string, &args);
		if (r == 0)
			r = find_uses(&c, string, args, uses);
	}
	if (r == 0)
		r = compile_fields(&c, uses);
	if (r == 0)
		r = compile_finish(&c, &program);
	free(c.ops);
	if (r == 0)
		*ret_program = program;
	return r;
}
