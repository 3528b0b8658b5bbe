/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the parts of the compiler. The functions are grouped by file in ascending order: a file
 * calls only those above it here. Expressions call functions through the compiler's @call.
 *
 * Functions that return int return 0 or a negative errno, with the message in @err. A compiler
 * exists while one expression is compiled.
 */
#ifndef FATHOM_FORMAT_PRINT_PRINT_COMPILE_H
#define FATHOM_FORMAT_PRINT_PRINT_COMPILE_H

#include "format/print/print-ast.h"
#include "format/print/print-program.h"

enum expr_kind {
	EXPR_NUMBER,
	EXPR_MEMORY, /* a pointer into the record */
	EXPR_UNKNOWN, /* unknown, regardless of the record */
};

/* The value that a compiled expression leaves on the stack. */
struct expr {
	enum expr_kind kind;
	struct c_type type; /* of a number; its size is never 0 */
	bool is_pointer; /* the number is an address */
	uint8_t elem_size; /* of the target of a pointer or memory; 0: unknown */
	bool elem_signed;
};

struct compiler {
	const struct event_format *format;
	const struct print_names *names;
	struct arena *arena; /* of the program */
	struct arena *scratch;
	struct fathom_err *err;
	/* compile_call(): a callback, because the arguments of calls are expressions. */
	int (*call)(struct compiler *c, const struct ast *call, struct expr *ret_expr);
	struct print_op *ops;
	size_t n, cap;
	bool with_addresses; /* print the address with each symbol */
	/* the last jump target: operations before it must not be folded with later ones */
	size_t barrier;
	unsigned depth, work;
};

/* print-emit.c */
int compile_emit(struct compiler *c, struct print_op op);
/* The same for an operation that pushes a value. */
int compile_push(struct compiler *c, struct print_op op);
int compile_const(struct compiler *c, uint64_t value);
/* An operator on the top two values, as numbers of type @type, and one on the top value alone. */
int compile_binary_operator(struct compiler *c, unsigned code, struct c_type type);
int compile_unary_operator(struct compiler *c, unsigned code);
/* Truncates the value @deep below the top one to @type. */
int compile_narrow(struct compiler *c, unsigned deep, struct c_type type);
/* Returns whether the operations emitted since @start are a single constant. */
bool compile_is_const(const struct compiler *c, size_t start, uint64_t *ret_value);
/* Returns whether the operation @back (1: the last one) is a constant that may be modified. */
bool compile_const_at(const struct compiler *c, size_t back);
/* Discards the operations emitted since @start. */
void compile_rewind(struct compiler *c, size_t start);
/* Emits an unknown value. */
int compile_unknown(struct compiler *c, struct expr *ret_expr);

/* print-operand.c */
int compile_member(struct compiler *c, const struct ast *ast, struct expr *ret_expr);
int compile_sizeof(struct compiler *c, const struct ast *ast, struct expr *ret_expr);
int compile_name(struct compiler *c, const struct ast *ast, struct expr *ret_expr);
/* Returns the operand of casts and dereferences. */
const struct ast *ast_strip(const struct ast *ast);
/* Returns the field that a helper such as __get_str(name) refers to, or NULL. */
const struct event_field *compile_field_argument(const struct compiler *c, const struct ast *call);
/* Pushes the location of the field's bytes. */
int compile_field_memory(struct compiler *c, const struct event_field *field,
			 struct expr *ret_expr);

/* print-expr.c */
/* Leaves one value on the stack. */
int compile_expr(struct compiler *c, const struct ast *ast, struct expr *ret_expr);
/* The same for a number: a pointer into the record counts as unknown. */
int compile_number(struct compiler *c, const struct ast *ast, struct expr *ret_expr);
/* The same for memory, in 8 bytes; anything else makes the conversion unknown. */
int compile_memory(struct compiler *c, const struct ast *ast);
/* The same for a condition: zero or non-zero. */
int compile_condition(struct compiler *c, const struct ast *ast);

/* print-call.c: leaves the value of a function call on the stack. */
int compile_call(struct compiler *c, const struct ast *call, struct expr *ret_expr);

/* print-output-call.c: prints the string @ast, inside a conversion. */
int compile_string(struct compiler *c, const struct ast *ast);

/* print-compile.c */
/* Parses the format's print expression: "printf string", argument, ... */
int compile_parse(struct compiler *c, struct ast **ret_string, struct ast **ret_args);
/* Prints @s literally, between conversions. */
int compile_text(struct compiler *c, const char *s, size_t len);
/* Prints the arguments at @arg according to @spec, and advances @arg past them. */
int compile_conversion(struct compiler *c, const struct print_spec *spec, const struct ast **arg);
/* Turns the emitted operations into a program. */
int compile_finish(struct compiler *c, struct print_program **ret_program);

static inline const struct ast *call_arg(const struct ast *call, unsigned i)
{
	const struct ast *arg = call->first;

	while (arg && i--)
		arg = arg->next;
	return arg;
}

#endif
