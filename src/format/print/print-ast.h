/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The print expression as a syntax tree: built by print-parse.c, compiled by print-compile.c. A
 * tree lives in a scratch arena while its expression is compiled, and refers to the text of the
 * format. Functions that return int return 0 or a negative errno unless they say otherwise.
 */
#ifndef FATHOM_FORMAT_PRINT_PRINT_AST_H
#define FATHOM_FORMAT_PRINT_PRINT_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "format/event/c-type.h"
#include "format/event/event-format.h"

/* Nesting of parentheses, operators and braces; the deepest in the kernel is 24. */
#define PRINT_DEPTH_MAX 200

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_STRING, /* without its quotes, escapes unresolved */
	TOKEN_CHAR, /* 'c'; the value is in number */
	TOKEN_OP, /* @op is the operator */
	TOKEN_BAD,
};

/* Operators and punctuation: a single character is its own code. */
enum token_op {
	OP_ARROW = 256, /* -> */
	OP_SHL,
	OP_SHR,
	OP_LE,
	OP_GE,
	OP_EQ,
	OP_NE,
	OP_LAND,
	OP_LOR,
};

struct token {
	enum token_kind kind;
	int op;
	const char *s;
	size_t len;
	uint64_t number;
	struct c_type type; /* of the number */
};

enum ast_kind {
	AST_NUMBER, /* number, type */
	AST_STRING, /* s, len: escapes resolved */
	AST_NAME, /* s, len: a constant or variable that the text does not define */
	AST_REC, /* the record */
	AST_MEMBER, /* a . s */
	AST_INDEX, /* a [ b ] */
	AST_UNARY, /* op a; one of - + ~ ! * & */
	AST_BINARY, /* a op b */
	AST_COND, /* a ? b : c; b is NULL for a ?: c */
	AST_CAST, /* (type) a */
	AST_CALL, /* s ( first, ... ) */
	AST_BRACES, /* { first, ... } */
	AST_SIZEOF, /* sizeof a */
	AST_UNKNOWN, /* valid C, but its value cannot be determined */
};

struct ast {
	enum ast_kind kind;
	int op;
	struct c_type type;
	struct ast *a, *b, *c;
	struct ast *first; /* arguments */
	struct ast *next; /* the next argument */
	const char *s;
	size_t len;
	uint64_t number;
};

/* A variable of a statement expression; represents the value assigned to it. */
struct print_local {
	const char *s;
	size_t len;
	struct ast *value;
	struct print_local *next;
};

struct print_parser {
	const struct event_format *format;
	struct arena *arena;
	struct fathom_err *err;
	const char *p; /* after the current token */
	const char *end;
	struct token token; /* the current token */
	struct print_local *locals;
	unsigned depth;
};

/* Positions the parser at the first token of the format's print text. */
void print_parser_init(struct print_parser *parser, const struct event_format *format,
		       struct arena *scratch, struct fathom_err *err);
/* Advances to the next token. */
void print_next_token(struct print_parser *parser);
bool print_at_op(const struct print_parser *parser, int op);
bool print_at_name(const struct print_parser *parser, const char *name);
/* Reports a syntax error at the current token. Returns a negative errno. */
int print_syntax_error(struct print_parser *parser, const char *what);

/* Skips a balanced pair of brackets that begins at the current token. */
int print_skip_pair(struct print_parser *parser, int open, int close);

/* Parses the printf string. Some formats contain unescaped quotes. */
int print_parse_printf(struct print_parser *parser, struct ast **ret_ast);

/* Parses one argument: an expression without a comma operator, or braces. */
int print_parse_argument(struct print_parser *parser, struct ast **ret_ast);

/*
 * If the "(" just skipped begins a cast, or the type of sizeof, parses the type and the ")" and
 * returns 1; otherwise consumes nothing and returns 0. Returns a negative errno on error.
 */
int print_parse_type(struct print_parser *parser, bool for_sizeof, struct c_type *ret_type);

struct ast *print_ast_new(struct print_parser *parser, enum ast_kind kind);
bool ast_is_name(const struct ast *ast, const char *name);

#endif
