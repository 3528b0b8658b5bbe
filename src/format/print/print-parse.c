/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recursive descent parser for expressions. Depth is limited and each token is read once (a type in
 * parentheses at most twice), so parsing time is linear in the length of the text.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "format/print/print-ast.h"

static int parse_expression(struct print_parser *parser, struct ast **ret_ast);
static int parse_cond(struct print_parser *parser, struct ast **ret_ast);
static int print_parse_unary(struct print_parser *parser, struct ast **ret_ast);

struct ast *print_ast_new(struct print_parser *parser, enum ast_kind kind)
{
	struct ast *ast = arena_zalloc(parser->arena, 1, sizeof(*ast));

	if (ast)
		ast->kind = kind;
	else
		err_nomem(parser->err);
	return ast;
}

bool ast_is_name(const struct ast *ast, const char *name)
{
	return ast->len == strlen(name) && memcmp(ast->s, name, ast->len) == 0;
}

void print_parser_init(struct print_parser *parser, const struct event_format *format,
		       struct arena *scratch, struct fathom_err *err)
{
	*parser = (struct print_parser){
		.format = format,
		.arena = scratch,
		.err = err,
		.p = format->print,
		.end = format->print + format->print_len,
	};
	print_next_token(parser);
}

static int print_parse_enter(struct print_parser *parser)
{
	if (++parser->depth > PRINT_DEPTH_MAX)
		return print_syntax_error(parser, "nested too deeply");
	return 0;
}

static int expect_op(struct print_parser *parser, int op)
{
	char what[] = "expected '?'";

	if (print_at_op(parser, op)) {
		print_next_token(parser);
		return 0;
	}
	what[sizeof(what) - 3] = (char)op;
	return print_syntax_error(parser, what);
}

static char print_parse_unescape(const char **p, const char *end)
{
	char c = *(*p)++;

	if (c != '\\' || *p >= end)
		return c;
	c = *(*p)++;
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	default:
		return c;
	}
}

/* One or more adjacent string literals. */
static int parse_string(struct print_parser *parser, struct ast **ret_ast)
{
	struct ast *ast = print_ast_new(parser, AST_STRING);
	struct print_parser ahead = *parser;
	size_t size = 0;
	char *out;

	for (; ahead.token.kind == TOKEN_STRING; print_next_token(&ahead))
		size += ahead.token.len;
	out = arena_alloc(parser->arena, size + 1);
	if (!ast || !out)
		return err_nomem(parser->err);
	ast->s = out;
	for (; parser->token.kind == TOKEN_STRING; print_next_token(parser)) {
		const char *p = parser->token.s;
		const char *end = p + parser->token.len;

		while (p < end)
			*out++ = print_parse_unescape(&p, end);
	}
	*out = '\0';
	ast->len = (size_t)(out - ast->s);
	*ret_ast = ast;
	return 0;
}

/*
 * Returns whether a quote at @p ends the string or is a part of it. An argument follows a string.
 */
static bool quote_ends(const char *p, const char *end)
{
	for (p++; p < end; p++)
		if (*p != ' ' && *p != '\t' && *p != '\n')
			return *p == ',' || *p == '"';
	return true;
}

/*
 * The kernel stringifies some formats without escaping inner quotes: "name "%s"", REC->name. Inner
 * quotes come in pairs.
 */
static int parse_bare_quotes(struct print_parser *parser, struct ast **ret_ast)
{
	struct ast *ast = print_ast_new(parser, AST_STRING);
	const char *p = parser->token.s;
	char *out = arena_alloc(parser->arena, (size_t)(parser->end - p) + 1);
	bool inner = false;

	if (!ast || !out)
		return err_nomem(parser->err);
	ast->s = out;
	while (p < parser->end) {
		if (*p == '"' && !inner && quote_ends(p, parser->end))
			break;
		if (*p == '"')
			inner = !inner;
		*out++ = print_parse_unescape(&p, parser->end);
	}
	if (p >= parser->end)
		return print_syntax_error(parser, "a string without an end");
	*out = '\0';
	ast->len = (size_t)(out - ast->s);
	*ret_ast = ast;
	parser->p = p + 1;
	print_next_token(parser);
	return 0;
}

int print_parse_printf(struct print_parser *parser, struct ast **ret_ast)
{
	struct print_parser start = *parser;
	int r;

	if (parser->token.kind != TOKEN_STRING)
		return print_syntax_error(parser, "expected a printf string");
	r = parse_string(parser, ret_ast);
	if (r < 0 || parser->token.kind == TOKEN_END || print_at_op(parser, ','))
		return r;
	*parser = start;
	return parse_bare_quotes(parser, ret_ast);
}

/* first, next, ... up to @close. */
static int parse_list(struct print_parser *parser, int close, struct ast **ret_first)
{
	struct ast **link = ret_first;
	int r;

	*link = NULL;
	while (!print_at_op(parser, close)) {
		struct ast *ast = NULL;

		r = print_parse_argument(parser, &ast);
		if (r < 0 || !ast)
			return r;
		*link = ast;
		link = &ast->next;
		*link = NULL;
		if (!print_at_op(parser, ','))
			break;
		print_next_token(parser);
	}
	return expect_op(parser, close);
}

static const struct ast *find_local(const struct print_parser *parser, const char *s, size_t len)
{
	for (const struct print_local *l = parser->locals; l; l = l->next)
		if (l->len == len && memcmp(l->s, s, len) == 0)
			return l->value;
	return NULL;
}

static int parse_sizeof(struct print_parser *parser, struct ast **ret_ast)
{
	struct ast *ast = print_ast_new(parser, AST_SIZEOF);
	int r;

	if (!ast)
		return -ENOMEM;
	*ret_ast = ast;
	if (print_at_op(parser, '(')) {
		print_next_token(parser);
		r = print_parse_type(parser, true, &ast->type);
		if (r != 0)
			return r < 0 ? r : 0;
		r = parse_expression(parser, &ast->a);
		return r < 0 ? r : expect_op(parser, ')');
	}
	return print_parse_unary(parser, &ast->a);
}

static int parse_name(struct print_parser *parser, struct ast **ret_ast)
{
	struct token name = parser->token;
	struct ast *ast;

	print_next_token(parser);
	if (name.len == 6 && memcmp(name.s, "sizeof", 6) == 0)
		return parse_sizeof(parser, ret_ast);
	ast = print_ast_new(parser, AST_NAME);
	if (!ast)
		return -ENOMEM;
	ast->s = name.s;
	ast->len = name.len;
	*ret_ast = ast;
	if (print_at_op(parser, '(')) {
		print_next_token(parser);
		ast->kind = AST_CALL;
		return parse_list(parser, ')', &ast->first);
	}
	if (ast_is_name(ast, "REC")) {
		ast->kind = AST_REC;
	} else {
		const struct ast *value = find_local(parser, name.s, name.len);

		/* A copy, because each use of the local has its own siblings. */
		if (value)
			*ast = *value;
	}
	return 0;
}

/* int x = (value); */
static int parse_declaration(struct print_parser *parser)
{
	struct print_local *local = arena_zalloc(parser->arena, 1, sizeof(*local));
	const char *type = parser->token.s;
	struct token name = { 0 };
	struct ast *cast = print_ast_new(parser, AST_CAST);
	int r;

	if (!local || !cast)
		return err_nomem(parser->err);
	while (parser->token.kind == TOKEN_NAME || print_at_op(parser, '*')) {
		bool is_typeof = print_at_name(parser, "typeof") ||
				 print_at_name(parser, "__typeof__") ||
				 print_at_name(parser, "__auto_type");

		name = parser->token;
		print_next_token(parser);
		if (is_typeof && print_at_op(parser, '(')) {
			struct ast *ignored;

			print_next_token(parser);
			r = parse_list(parser, ')', &ignored);
			if (r < 0)
				return r;
			type = parser->token.s;
		}
	}
	if (name.kind != TOKEN_NAME)
		return print_syntax_error(parser, "expected a declaration");
	r = expect_op(parser, '=');
	if (r < 0)
		return r;
	cast->type = c_type_read(type, name.s > type ? (size_t)(name.s - type) : 0,
				 parser->format->abi.long_size);
	r = print_parse_argument(parser, &cast->a);
	if (r < 0)
		return r;
	*local = (struct print_local){ name.s, name.len, cast, parser->locals };
	parser->locals = local;
	return expect_op(parser, ';');
}

static bool at_declaration(const struct print_parser *parser)
{
	struct print_parser ahead = *parser;

	if (parser->token.kind != TOKEN_NAME)
		return false;
	if (c_type_is_word(parser->token.s, parser->token.len) || print_at_name(parser, "typeof") ||
	    print_at_name(parser, "__typeof__") || print_at_name(parser, "__auto_type"))
		return true;
	print_next_token(&ahead);
	return ahead.token.kind == TOKEN_NAME;
}

/* declarations; value; up to the "}", which is not consumed. */
static int parse_statements(struct print_parser *parser, struct ast **ret_ast)
{
	int r;

	*ret_ast = NULL;
	print_next_token(parser);
	while (!print_at_op(parser, '}')) {
		if (at_declaration(parser)) {
			r = parse_declaration(parser);
		} else {
			r = parse_expression(parser, ret_ast);
			if (r == 0)
				r = expect_op(parser, ';');
		}
		if (r < 0)
			return r;
	}
	if (!*ret_ast)
		return print_syntax_error(parser, "a block without a value");
	return 0;
}

/*
 * ({ ... }): unknown if the block contains more than declarations and expressions, such as loops or
 * assignments.
 */
static int parse_block(struct print_parser *parser, struct ast **ret_ast)
{
	struct print_parser inside = *parser;
	int r;

	inside.err = NULL;
	r = parse_statements(&inside, ret_ast);
	if (r == 0) {
		parser->p = inside.p;
		parser->token = inside.token;
		print_next_token(parser);
	} else if (r == -ENOMEM) {
		return err_nomem(parser->err);
	} else {
		*ret_ast = print_ast_new(parser, AST_UNKNOWN);
		if (!*ret_ast)
			return -ENOMEM;
		r = print_skip_pair(parser, '{', '}');
	}
	return r < 0 ? r : expect_op(parser, ')');
}

static int print_parse_cast(struct print_parser *parser, struct c_type type, struct ast **ret_ast)
{
	struct ast *ast = print_ast_new(parser, AST_CAST);

	if (!ast)
		return -ENOMEM;
	ast->type = type;
	*ret_ast = ast;
	if (print_at_op(parser, '{'))
		return print_parse_argument(parser, &ast->a);
	return print_parse_unary(parser, &ast->a);
}

/* Parses the part after a "(". */
static int parse_parenthesis(struct print_parser *parser, bool *ret_is_cast, struct ast **ret_ast)
{
	struct c_type type;
	int r;

	*ret_is_cast = false;
	if (print_at_op(parser, '{'))
		return parse_block(parser, ret_ast);
	r = print_parse_type(parser, false, &type);
	if (r < 0)
		return r;
	if (r > 0) {
		*ret_is_cast = true;
		return print_parse_cast(parser, type, ret_ast);
	}
	r = parse_expression(parser, ret_ast);
	return r < 0 ? r : expect_op(parser, ')');
}

static int parse_constant(struct print_parser *parser, struct ast **ret_ast)
{
	struct ast *ast = print_ast_new(parser, AST_NUMBER);

	if (!ast)
		return -ENOMEM;
	ast->number = parser->token.number;
	ast->type = parser->token.type;
	*ret_ast = ast;
	print_next_token(parser);
	return 0;
}

static int print_parse_member(struct print_parser *parser, struct ast **ast)
{
	struct ast *member = print_ast_new(parser, AST_MEMBER);

	print_next_token(parser);
	if (!member)
		return -ENOMEM;
	if (parser->token.kind != TOKEN_NAME)
		return print_syntax_error(parser, "expected a member's name");
	member->a = *ast;
	member->s = parser->token.s;
	member->len = parser->token.len;
	*ast = member;
	print_next_token(parser);
	return 0;
}

static int print_parse_index(struct print_parser *parser, struct ast **ast)
{
	struct ast *index = print_ast_new(parser, AST_INDEX);
	int r;

	print_next_token(parser);
	if (!index)
		return -ENOMEM;
	index->a = *ast;
	r = parse_expression(parser, &index->b);
	*ast = index;
	return r < 0 ? r : expect_op(parser, ']');
}

/* A chain a.b->c[d] yields a tree as deep as it is long, so it counts as depth. */
static int print_parse_postfix(struct print_parser *parser, struct ast **ast)
{
	int r = 0;

	while (r == 0) {
		if (print_at_op(parser, '.') || print_at_op(parser, OP_ARROW))
			r = print_parse_member(parser, ast);
		else if (print_at_op(parser, '['))
			r = print_parse_index(parser, ast);
		else
			break;
		if (r == 0)
			r = print_parse_enter(parser);
	}
	return r;
}

static int print_parse_primary(struct print_parser *parser, struct ast **ret_ast)
{
	unsigned depth = parser->depth;
	bool is_cast = false;
	int r;

	switch (parser->token.kind) {
	case TOKEN_NUMBER:
	case TOKEN_CHAR:
		return parse_constant(parser, ret_ast);
	case TOKEN_STRING:
		r = parse_string(parser, ret_ast);
		break;
	case TOKEN_NAME:
		r = parse_name(parser, ret_ast);
		break;
	default:
		if (!print_at_op(parser, '('))
			return print_syntax_error(parser, "expected a value");
		print_next_token(parser);
		r = parse_parenthesis(parser, &is_cast, ret_ast);
	}
	if (r == 0 && !is_cast)
		r = print_parse_postfix(parser, ret_ast);
	parser->depth = depth;
	return r;
}

static int print_parse_unary(struct print_parser *parser, struct ast **ret_ast)
{
	struct ast *ast;
	int r = print_parse_enter(parser);

	if (r < 0)
		return r;
	/* "&&label" does not occur in the kernel, nor does "& &x". */
	if (parser->token.kind == TOKEN_OP && parser->token.op < OP_ARROW &&
	    strchr("-+~!*&", parser->token.op)) {
		ast = print_ast_new(parser, AST_UNARY);
		if (!ast)
			return -ENOMEM;
		ast->op = parser->token.op;
		*ret_ast = ast;
		print_next_token(parser);
		r = print_parse_unary(parser, &ast->a);
	} else {
		r = print_parse_primary(parser, ret_ast);
	}
	parser->depth--;
	return r;
}

/* Returns the precedence of a binary operator; 0: not a binary operator. */
static int precedence(const struct token *token)
{
	static const struct {
		int op;
		int binds;
	} table[] = {
		{ '*', 10 },   { '/', 10 },    { '%', 10 },   { '+', 9 }, { '-', 9 },
		{ OP_SHL, 8 }, { OP_SHR, 8 },  { '<', 7 },    { '>', 7 }, { OP_LE, 7 },
		{ OP_GE, 7 },  { OP_EQ, 6 },   { OP_NE, 6 },  { '&', 5 }, { '^', 4 },
		{ '|', 3 },    { OP_LAND, 2 }, { OP_LOR, 1 },
	};

	if (token->kind == TOKEN_OP)
		for (size_t i = 0; i < ARRAY_SIZE(table); i++)
			if (table[i].op == token->op)
				return table[i].binds;
	return 0;
}

/* A long chain of operators is left-deep, so it counts as depth. */
static int parse_binary(struct print_parser *parser, int least, struct ast **ret_ast)
{
	unsigned depth = parser->depth;
	int r = print_parse_unary(parser, ret_ast);

	while (r == 0) {
		int binds = precedence(&parser->token);
		struct ast *ast;

		if (binds < least || !binds)
			break;
		ast = print_ast_new(parser, AST_BINARY);
		if (!ast)
			return -ENOMEM;
		ast->op = parser->token.op;
		ast->a = *ret_ast;
		*ret_ast = ast;
		print_next_token(parser);
		r = print_parse_enter(parser);
		if (r == 0)
			r = parse_binary(parser, binds + 1, &ast->b);
	}
	parser->depth = depth;
	return r;
}

static int parse_cond(struct print_parser *parser, struct ast **ret_ast)
{
	struct ast *ast;
	int r = print_parse_enter(parser);

	if (r == 0)
		r = parse_binary(parser, 1, ret_ast);
	if (r < 0)
		return r;
	if (print_at_op(parser, '?')) {
		ast = print_ast_new(parser, AST_COND);
		if (!ast)
			return -ENOMEM;
		ast->a = *ret_ast;
		*ret_ast = ast;
		print_next_token(parser);
		if (!print_at_op(parser, ':'))
			r = parse_expression(parser, &ast->b);
		if (r == 0)
			r = expect_op(parser, ':');
		if (r == 0)
			r = parse_cond(parser, &ast->c);
	}
	parser->depth--;
	return r;
}

/* With the comma operator: the value is that of the last expression. */
static int parse_expression(struct print_parser *parser, struct ast **ret_ast)
{
	int r = parse_cond(parser, ret_ast);

	while (r == 0 && print_at_op(parser, ',')) {
		print_next_token(parser);
		r = parse_cond(parser, ret_ast);
	}
	return r;
}

int print_parse_argument(struct print_parser *parser, struct ast **ret_ast)
{
	struct ast *ast;
	int r;

	if (!print_at_op(parser, '{'))
		return parse_cond(parser, ret_ast);
	ast = print_ast_new(parser, AST_BRACES);
	r = print_parse_enter(parser);
	if (!ast)
		return -ENOMEM;
	if (r < 0)
		return r;
	*ret_ast = ast;
	print_next_token(parser);
	r = parse_list(parser, '}', &ast->first);
	parser->depth--;
	return r;
}
