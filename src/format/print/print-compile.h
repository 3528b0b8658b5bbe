/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the parts of the compiler share. They stand in the order of this file, the lowest first, and call only
 * what is lower; but expressions reach the calls of functions in them through the compiler's @call.
 */
#ifndef FATHOM_FORMAT_PRINT_PRINT_COMPILE_H
#define FATHOM_FORMAT_PRINT_PRINT_COMPILE_H

#include "format/print/print-ast.h"
#include "format/print/print-program.h"

enum expr_kind {
	EXPR_NUMBER,
	EXPR_MEMORY, /* a pointer into the record */
	EXPR_UNKNOWN, /* can't be known, whatever the record holds */
};

/* The one value that a compiled expression leaves on the stack. */
struct expr {
	enum expr_kind kind;
	struct c_type type; /* of a number; the size is never 0 */
	bool is_pointer; /* the number is an address */
	uint8_t elem_size; /* of what a pointer or memory points at; 0: not known */
	bool elem_signed;
};

struct compiler {
	const struct event_format *format;
	const struct print_names *names;
	struct arena *arena; /* of the program */
	struct arena *scratch;
	struct fathom_err *err;
	/* compile_call(): it compiles expressions, which may have calls in them. */
	int (*call)(struct compiler *c, const struct ast *call, struct expr *ret_expr);
	struct print_op *ops;
	size_t n, cap;
	bool with_addresses; /* shown beside the symbols they are in */
	size_t barrier; /* a jump lands here: what is before may not be folded with what follows */
	unsigned depth, work;
};

/* print-emit.c */
int compile_emit(struct compiler *c, struct print_op op);
/* The same for an operation that leaves a value more on the stack. */
int compile_push(struct compiler *c, struct print_op op);
int compile_const(struct compiler *c, uint64_t value);
/* An operator on the two values on top, as numbers of type @type; and one on the top value alone. */
int compile_binary_operator(struct compiler *c, unsigned code, struct c_type type);
int compile_unary_operator(struct compiler *c, unsigned code);
/* Makes the value @deep under the top one of type @type. */
int compile_narrow(struct compiler *c, unsigned deep, struct c_type type);
/* Is what was emitted since @start one constant? */
bool compile_is_const(const struct compiler *c, size_t start, uint64_t *ret_value);
/* Is the operation @back (1: the last) a constant that may be changed? */
bool compile_const_at(const struct compiler *c, size_t back);
/* Forgets what was emitted since @start. */
void compile_rewind(struct compiler *c, size_t start);
/* Emits a value that is not known. */
int compile_unknown(struct compiler *c, struct expr *ret_expr);

/* print-operand.c */
int compile_member(struct compiler *c, const struct ast *ast, struct expr *ret_expr);
int compile_sizeof(struct compiler *c, const struct ast *ast, struct expr *ret_expr);
int compile_name(struct compiler *c, const struct ast *ast, struct expr *ret_expr);
/* What is cast or dereferenced. */
const struct ast *ast_strip(const struct ast *ast);
/* The field that a helper like __get_str(name) names, NULL if there is none. */
const struct event_field *compile_field_argument(const struct compiler *c, const struct ast *call);
/* Pushes where the field's bytes are. */
int compile_field_memory(struct compiler *c, const struct event_field *field,
			 struct expr *ret_expr);

/* print-expr.c */
/* Leaves one value on the stack. */
int compile_expr(struct compiler *c, const struct ast *ast, struct expr *ret_expr);
/* The same, but a number: a pointer into the record is not known as one. */
int compile_number(struct compiler *c, const struct ast *ast, struct expr *ret_expr);
/* The same, of 8 bytes and known to be memory; else the conversion is unknown. */
int compile_memory(struct compiler *c, const struct ast *ast);
/* A condition: a number that is zero or not. */
int compile_condition(struct compiler *c, const struct ast *ast);

/* print-call.c: leaves the value of a function call on the stack. */
int compile_call(struct compiler *c, const struct ast *call, struct expr *ret_expr);

/* print-output-call.c: prints the string that @ast is, inside a conversion. */
int compile_string(struct compiler *c, const struct ast *ast);

/* print-compile.c */
/* The format's print expression: "printf string", argument, ... */
int compile_parse(struct compiler *c, struct ast **ret_string, struct ast **ret_args);
/* Prints @s as it is, between conversions. */
int compile_text(struct compiler *c, const char *s, size_t len);
/* Prints the arguments at @arg as @spec says, and moves @arg behind them. */
int compile_conversion(struct compiler *c, const struct print_spec *spec, const struct ast **arg);
/* Makes a program of what was emitted. */
int compile_finish(struct compiler *c, struct print_program **ret_program);

static inline const struct ast *call_arg(const struct ast *call, unsigned i)
{
	const struct ast *arg = call->first;

	while (arg && i--)
		arg = arg->next;
	return arg;
}

#endif
