/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decides whether "(" begins a type, which in C requires knowing all type names. We know the common
 * ones and those of the event's fields; another name is treated as a type if the following text
 * cannot continue an expression.
 */
#include <string.h>

#include "format/print/print-ast.h"

/* Returns the field with this one-word type, so that the size is known from the record. */
static const struct event_field *field_of_type(const struct print_parser *parser, const char *s,
					       size_t len)
{
	for (uint32_t i = 0; i < parser->format->n_fields; i++) {
		const struct event_field *field = &parser->format->fields[i];

		if (field->kind == EVENT_FIELD_INT && strncmp(field->type, s, len) == 0 &&
		    field->type[len] == '\0')
			return field;
	}
	return NULL;
}

/* Returns whether this token can begin the operand of a cast. */
static bool begins_operand(const struct token *token)
{
	switch (token->kind) {
	case TOKEN_NAME:
	case TOKEN_NUMBER:
	case TOKEN_STRING:
	case TOKEN_CHAR:
		return true;
	case TOKEN_OP:
		return token->op == '(' || token->op == '~' || token->op == '!' || token->op == '{';
	default:
		return false;
	}
}

int print_skip_pair(struct print_parser *parser, int open, int close)
{
	unsigned depth = 0;

	do {
		if (print_at_op(parser, open))
			depth++;
		else if (print_at_op(parser, close))
			depth--;
		else if (parser->token.kind == TOKEN_END || parser->token.kind == TOKEN_BAD)
			return print_syntax_error(parser, "unbalanced");
		print_next_token(parser);
	} while (depth);
	return 0;
}

static bool at_typeof(const struct print_parser *parser)
{
	return print_at_name(parser, "typeof") || print_at_name(parser, "__typeof__") ||
	       print_at_name(parser, "__typeof") || print_at_name(parser, "typeof_unqual") ||
	       print_at_name(parser, "__typeof_unqual__");
}

/* A type as far as it was read. */
struct type_text {
	unsigned known; /* words that certainly belong to a type */
	unsigned unknown; /* other words */
	unsigned stars;
	bool is_typeof;
	struct token word; /* the last unknown word */
};

static int print_type_read_words(struct print_parser *parser, struct type_text *text)
{
	int r = 0;

	for (;;) {
		if (at_typeof(parser)) {
			text->is_typeof = true;
			text->known++;
			print_next_token(parser);
			r = print_at_op(parser, '(') ? print_skip_pair(parser, '(', ')') : 0;
		} else if (parser->token.kind == TOKEN_NAME) {
			bool is_record = print_at_name(parser, "struct") ||
					 print_at_name(parser, "union") ||
					 print_at_name(parser, "enum");

			if (c_type_is_word(parser->token.s, parser->token.len)) {
				text->known++;
			} else {
				text->unknown++;
				text->word = parser->token;
			}
			print_next_token(parser);
			if (is_record && parser->token.kind == TOKEN_NAME)
				print_next_token(parser);
			if (is_record && print_at_op(parser, '{'))
				r = print_skip_pair(parser, '{', '}');
		} else if (print_at_op(parser, '*')) {
			text->stars++;
			print_next_token(parser);
		} else if (print_at_op(parser, '[') && text->known) {
			text->stars++;
			r = print_skip_pair(parser, '[', ']');
		} else {
			return 0;
		}
		if (r < 0)
			return r;
	}
}

static bool is_type(const struct print_parser *behind, const struct type_text *text,
		    bool for_sizeof)
{
	if (text->known)
		return true;
	if (text->unknown != 1 || (text->word.len == 3 && memcmp(text->word.s, "REC", 3) == 0))
		return false;
	if (field_of_type(behind, text->word.s, text->word.len))
		return true;
	if (text->stars || for_sizeof)
		return true;
	return begins_operand(&behind->token);
}

int print_parse_type(struct print_parser *parser, bool for_sizeof, struct c_type *ret_type)
{
	struct print_parser ahead = *parser;
	struct type_text text = { 0 };
	const char *start = parser->token.s;
	const struct event_field *field;
	const char *end;

	/* A name outside a type only ends this attempt, so drop the error. */
	ahead.err = NULL;
	if (print_type_read_words(&ahead, &text) < 0 || !print_at_op(&ahead, ')'))
		return 0;
	end = ahead.token.s;
	print_next_token(&ahead);
	if (!is_type(&ahead, &text, for_sizeof))
		return 0;
	ahead.err = parser->err;
	*parser = ahead;
	if (text.is_typeof) {
		*ret_type = (struct c_type){ 0 };
		return 1;
	}
	*ret_type = c_type_read(start, (size_t)(end - start), parser->format->abi.long_size);
	field = text.unknown && !text.known ? field_of_type(parser, text.word.s, text.word.len) :
					      NULL;
	if (field && !ret_type->size) {
		ret_type->size = field->elem_size;
		ret_type->is_signed = field->is_signed;
	}
	return 1;
}
