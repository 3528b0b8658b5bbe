/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tokenizes the subset of C used by print expressions. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "format/print/print-ast.h"

static bool print_lex_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static bool print_lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/* Returns the smallest type that C gives a constant of this value, base and suffix. */
static struct c_type print_lex_number_type(uint64_t value, bool decimal, bool is_unsigned,
					   unsigned longs, unsigned long_size)
{
	unsigned size = longs > 1 ? 8 : longs ? long_size : 4;

	if (size == 4 && value > UINT32_MAX)
		size = 8;
	if (size == 4 && value > INT32_MAX && !is_unsigned) {
		if (decimal)
			size = 8;
		else
			is_unsigned = true;
	}
	if (size == 8 && value > INT64_MAX)
		is_unsigned = true;
	return c_type_int(size, !is_unsigned);
}

static const char *print_lex_number(struct print_parser *parser, const char *p)
{
	struct token *token = &parser->token;
	int base = 10;
	uint64_t value = 0;
	bool is_unsigned = false;
	unsigned longs = 0;

	if (*p == '0' && p + 1 < parser->end && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	} else if (*p == '0') {
		base = 8;
	}
	for (int digit; p < parser->end; p++) {
		digit = str_hex_digit(*p);
		if (digit < 0 || digit >= base)
			break;
		value = value * (uint64_t)base + (uint64_t)digit;
	}
	for (; p < parser->end; p++) {
		if (*p == 'u' || *p == 'U')
			is_unsigned = true;
		else if (*p == 'l' || *p == 'L')
			longs++;
		else
			break;
	}
	token->kind = TOKEN_NUMBER;
	if (p < parser->end && (is_name_start(*p) || print_lex_is_digit(*p)))
		token->kind = TOKEN_BAD;
	token->number = value;
	token->type = print_lex_number_type(value, base == 10, is_unsigned, longs,
					    parser->format->abi.long_size);
	return p;
}

static const char *lex_quoted(struct print_parser *parser, const char *p)
{
	const char quote = *p++;
	struct token *token = &parser->token;

	token->s = p;
	while (p < parser->end && *p != quote)
		p += *p == '\\' && p + 1 < parser->end ? 2 : 1;
	if (p >= parser->end) {
		token->kind = TOKEN_BAD;
		return parser->end;
	}
	token->len = (size_t)(p - token->s);
	token->kind = quote == '"' ? TOKEN_STRING : TOKEN_CHAR;
	return p + 1;
}

static int escaped_char(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case '0':
		return '\0';
	default:
		return c;
	}
}

static void finish_char(struct token *token)
{
	bool escaped = token->len == 2 && token->s[0] == '\\';

	if (token->len != 1 && !escaped) {
		token->kind = TOKEN_BAD;
		return;
	}
	token->number = (unsigned char)(escaped ? escaped_char(token->s[1]) : token->s[0]);
	token->type = c_type_int(4, true);
}

static const char *lex_op(struct print_parser *parser, const char *p)
{
	static const struct {
		const char text[3];
		int op;
	} ops[] = {
		{ "->", OP_ARROW }, { "<<", OP_SHL },  { ">>", OP_SHR },
		{ "<=", OP_LE },    { ">=", OP_GE },   { "==", OP_EQ },
		{ "!=", OP_NE },    { "&&", OP_LAND }, { "||", OP_LOR },
	};

	parser->token.kind = TOKEN_OP;
	if (p + 1 < parser->end)
		for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
			if (p[0] == ops[i].text[0] && p[1] == ops[i].text[1]) {
				parser->token.op = ops[i].op;
				return p + 2;
			}
	if (!strchr("()[]{},;?:.+-*/%&|^~!<>=", *p))
		parser->token.kind = TOKEN_BAD;
	parser->token.op = (unsigned char)*p;
	return p + 1;
}

void print_next_token(struct print_parser *parser)
{
	struct token *token = &parser->token;
	const char *p = parser->p;

	while (p < parser->end && print_lex_is_space(*p))
		p++;
	*token = (struct token){ .kind = TOKEN_END, .s = p };
	if (p >= parser->end) {
		parser->p = p;
		return;
	}
	if (is_name_start(*p)) {
		token->kind = TOKEN_NAME;
		while (p < parser->end && (is_name_start(*p) || print_lex_is_digit(*p)))
			p++;
		token->len = (size_t)(p - token->s);
	} else if (print_lex_is_digit(*p)) {
		p = print_lex_number(parser, p);
	} else if (*p == '"' || *p == '\'') {
		p = lex_quoted(parser, p);
		if (token->kind == TOKEN_CHAR)
			finish_char(token);
	} else {
		p = lex_op(parser, p);
	}
	parser->p = p;
}

bool print_at_op(const struct print_parser *parser, int op)
{
	return parser->token.kind == TOKEN_OP && parser->token.op == op;
}

bool print_at_name(const struct print_parser *parser, const char *name)
{
	return parser->token.kind == TOKEN_NAME && parser->token.len == strlen(name) &&
	       memcmp(parser->token.s, name, parser->token.len) == 0;
}

int print_syntax_error(struct print_parser *parser, const char *what)
{
	const char *s = parser->token.s ? parser->token.s : parser->format->print;
	int len = parser->end - s > 24 ? 24 : (int)(parser->end - s);

	return err_set_at(parser->err, -EINVAL, (uint64_t)(s - parser->format->print),
			  "invalid print expression of '%s': %s at '%.*s'", parser->format->name,
			  what, len, s);
}
