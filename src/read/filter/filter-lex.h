/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tokenizes the filter language. Text of tokens is copied to the arena. */
#ifndef FATHOM_READ_FILTER_FILTER_LEX_H
#define FATHOM_READ_FILTER_FILTER_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"

enum filter_token_kind {
	TOKEN_END,
	TOKEN_WORD,
	TOKEN_NUMBER,
	TOKEN_STRING, /* in double quotes */
	TOKEN_CHAR, /* in single quotes */
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_COMMA,
	TOKEN_COLON,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_IN,
	TOKEN_COMPARE, /* @op is the operator */
	TOKEN_ARITH,
};

struct filter_token {
	uint8_t kind; /* enum filter_token_kind */
	uint8_t op; /* enum filter_op */
	uint8_t unit; /* enum filter_unit */
	uint32_t offset;
	uint32_t len;
	const char *text; /* of words, strings and numbers; in the arena */
	uint64_t number;
	uint64_t as_seconds;
};

struct filter_lexer {
	const char *text;
	size_t at;
	struct arena *arena;
	bool after_value; /* the previous token can be the left operand of '*' */
};

int filter_lex(struct filter_lexer *lexer, struct filter_token *ret_token, struct fathom_err *err);

#endif
