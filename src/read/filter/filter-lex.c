/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tokenizes a filter. Characters of globs are part of an adjacent word, so that "vfs_*" and
 * "sched/sched_switch" need no quotes; "a * b" is arithmetic.
 */
#include "read/filter/filter-lex.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "read/filter/filter-ast.h"

static const struct {
	const char *text;
	uint8_t kind;
	uint8_t op;
} operators[] = {
	/* Longer operators precede their own prefixes. */
	{ "&&", TOKEN_AND, 0 },
	{ "||", TOKEN_OR, 0 },
	{ "==", TOKEN_COMPARE, FILTER_EQ },
	{ "=~", TOKEN_COMPARE, FILTER_REGEX },
	{ "!=", TOKEN_COMPARE, FILTER_NE },
	{ "!~", TOKEN_COMPARE, FILTER_NOT_REGEX },
	{ "<<", TOKEN_ARITH, FILTER_SHL },
	{ "<=", TOKEN_COMPARE, FILTER_LE },
	{ ">>", TOKEN_ARITH, FILTER_SHR },
	{ ">=", TOKEN_COMPARE, FILTER_GE },
	{ "<", TOKEN_COMPARE, FILTER_LT },
	{ ">", TOKEN_COMPARE, FILTER_GT },
	{ "~", TOKEN_COMPARE, FILTER_GLOB },
	{ "!", TOKEN_NOT, 0 },
	{ "(", TOKEN_OPEN, 0 },
	{ ")", TOKEN_CLOSE, 0 },
	{ ",", TOKEN_COMMA, 0 },
	{ ":", TOKEN_COLON, 0 },
	{ "+", TOKEN_ARITH, FILTER_ADD },
	{ "-", TOKEN_ARITH, FILTER_SUB },
	{ "*", TOKEN_ARITH, FILTER_MUL },
	{ "/", TOKEN_ARITH, FILTER_DIV },
	{ "%", TOKEN_ARITH, FILTER_MOD },
	{ "&", TOKEN_ARITH, FILTER_BITAND },
	{ "|", TOKEN_ARITH, FILTER_BITOR },
	{ "^", TOKEN_ARITH, FILTER_XOR },
};

static const struct {
	const char *text;
	uint8_t kind;
} keywords[] = {
	{ "and", TOKEN_AND },
	{ "or", TOKEN_OR },
	{ "not", TOKEN_NOT },
	{ "in", TOKEN_IN },
};

static const struct {
	const char *text;
	uint8_t unit;
	uint64_t factor;
} units[] = {
	{ "ns", FILTER_UNIT_TIME, 1 },		 { "us", FILTER_UNIT_TIME, 1000 },
	{ "\xc2\xb5s", FILTER_UNIT_TIME, 1000 }, /* the micro sign */
	{ "\xce\xbcs", FILTER_UNIT_TIME, 1000 }, /* the Greek letter */
	{ "ms", FILTER_UNIT_TIME, 1000000 },	 { "s", FILTER_UNIT_TIME, 1000000000 },
	{ "K", FILTER_UNIT_SIZE, 1ULL << 10 },	 { "M", FILTER_UNIT_SIZE, 1ULL << 20 },
	{ "G", FILTER_UNIT_SIZE, 1ULL << 30 },	 { "T", FILTER_UNIT_SIZE, 1ULL << 40 },
};

static bool filter_lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

/* Returns whether a word can begin with this character. */
static bool begins_word(char c)
{
	return is_letter(c) || c == '*' || c == '?' || c == '[' || c == '.';
}

/* Returns the number of bytes at @p that belong to the word; 0 at its end. */
static size_t word_part(const char *p)
{
	const char *end;

	if (*p == '[') {
		end = strpbrk(p + 1, "] \t\n");
		return end && *end == ']' ? (size_t)(end + 1 - p) : 1;
	}
	if (begins_word(*p) || filter_lex_is_digit(*p))
		return 1;
	/* "trace-cmd", "sched/sched_switch"; but "prio-1" is arithmetic. */
	if ((*p == '-' || *p == '/') && begins_word(p[1]))
		return 1;
	return 0;
}

static int filter_lex_keep_text(struct filter_lexer *lexer, struct filter_token *token,
				struct fathom_err *err)
{
	token->text = arena_strndup(lexer->arena, lexer->text + token->offset, token->len);
	return token->text ? 0 : err_nomem(err);
}

static int lex_word(struct filter_lexer *lexer, struct filter_token *token, struct fathom_err *err)
{
	const char *start = lexer->text + lexer->at, *p = start;
	size_t part;

	while ((part = word_part(p)) > 0)
		p += part;
	token->len = (uint32_t)(p - start);
	token->kind = TOKEN_WORD;
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (strlen(keywords[i].text) == token->len &&
		    memcmp(keywords[i].text, start, token->len) == 0)
			token->kind = keywords[i].kind;
	return filter_lex_keep_text(lexer, token, err);
}

static int lex_string(struct filter_lexer *lexer, struct filter_token *token,
		      struct fathom_err *err)
{
	const char *start = lexer->text + lexer->at, *p = start + 1;
	char *out = arena_alloc(lexer->arena, strlen(start));
	char quote = *start;

	if (!out)
		return err_nomem(err);
	token->text = out;
	token->kind = quote == '"' ? TOKEN_STRING : TOKEN_CHAR;
	while (*p && *p != quote) {
		/* Keep other backslashes, which belong to a pattern. */
		if (p[0] == '\\' && p[1] == quote)
			p++;
		else if (p[0] == '\\' && p[1])
			*out++ = *p++;
		*out++ = *p++;
	}
	*out = '\0';
	if (!*p)
		return err_set_at(err, -EINVAL, token->offset, "missing closing %c", quote);
	token->len = (uint32_t)(p + 1 - start);
	return 0;
}

/* A decimal number: all digits before the point, and up to 18 after it. */
struct decimal {
	uint64_t whole;
	uint64_t fraction;
	uint64_t scale; /* denominator of the fraction: 1, 10, 100, ... */
};

/* Returns false on overflow. */
static bool decimal_times(const struct decimal *d, uint64_t factor, uint64_t *ret)
{
	unsigned __int128 n = (unsigned __int128)d->whole * factor +
			      (unsigned __int128)d->fraction * factor / d->scale;

	*ret = (uint64_t)n;
	return n <= UINT64_MAX;
}

static bool add_digit(uint64_t *n, unsigned base, unsigned digit)
{
	return digit < base && !__builtin_mul_overflow(*n, (uint64_t)base, n) &&
	       !__builtin_add_overflow(*n, (uint64_t)digit, n);
}

/* Parses digits in @base. Returns NULL on overflow. */
static const char *read_digits(const char *p, unsigned base, uint64_t *ret)
{
	uint64_t n = 0;

	for (;; p++) {
		int digit = str_hex_digit(*p);

		if (digit < 0 || (unsigned)digit >= base)
			break;
		if (!add_digit(&n, base, (unsigned)digit))
			return NULL;
	}
	*ret = n;
	return p;
}

/* Finds the unit from @p to @end; "" means none. */
static int filter_lex_find_unit(struct filter_token *token, const char *p, size_t len,
				uint64_t *ret_factor, struct fathom_err *err)
{
	*ret_factor = 1;
	if (len == 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i].text) != len || memcmp(units[i].text, p, len) != 0)
			continue;
		token->unit = units[i].unit;
		*ret_factor = units[i].factor;
		return 0;
	}
	return err_set_at(err, -EINVAL, token->offset + token->len,
			  "unknown unit '%.*s': expected ns, us, ms, s, K, M, G or T (put text "
			  "in quotes)",
			  (int)(len < 40 ? len : 40), p);
}

static const char *read_decimal(const char *p, struct filter_token *token, struct decimal *d)
{
	*d = (struct decimal){ .scale = 1 };
	p = read_digits(p, 10, &d->whole);
	if (!p || *p != '.' || !filter_lex_is_digit(p[1]))
		return p;
	token->unit = FILTER_UNIT_DECIMAL;
	for (p++; filter_lex_is_digit(*p); p++) {
		/* Smaller than the resolution of any unit. */
		if (d->scale >= 1000000000000000000ULL)
			continue;
		d->fraction = d->fraction * 10 + (uint64_t)(*p - '0');
		d->scale *= 10;
	}
	return p;
}

static int filter_lex_number(struct filter_lexer *lexer, struct filter_token *token,
			     struct fathom_err *err)
{
	const char *start = lexer->text + lexer->at, *p, *end;
	struct decimal d;
	uint64_t factor;
	int r;

	token->kind = TOKEN_NUMBER;
	if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X')) {
		d = (struct decimal){ .scale = 1 };
		p = read_digits(start + 2, 16, &d.whole);
	} else {
		p = read_decimal(start, token, &d);
	}
	if (!p)
		return err_set_at(err, -EINVAL, token->offset, "number too large");
	for (end = p; is_letter(*end) || filter_lex_is_digit(*end); end++)
		;
	/* As in C and trace-cmd, a leading 0 means octal. */
	if (start[0] == '0' && filter_lex_is_digit(start[1]) && p == end &&
	    token->unit == FILTER_UNIT_NONE && read_digits(start, 8, &d.whole) != p)
		return err_set_at(err, -EINVAL, token->offset,
				  "invalid octal number: a leading 0 allows only the digits 0 to "
				  "7");
	token->len = (uint32_t)(p - start);
	r = filter_lex_find_unit(token, p, (size_t)(end - p), &factor, err);
	if (r < 0)
		return r;
	token->len = (uint32_t)(end - start);
	if (!decimal_times(&d, factor, &token->number))
		return err_set_at(err, -EINVAL, token->offset, "number too large");
	if (!decimal_times(&d, 1000000000, &token->as_seconds))
		token->as_seconds = UINT64_MAX;
	return filter_lex_keep_text(lexer, token, err);
}

static int lex_operator(struct filter_lexer *lexer, struct filter_token *token,
			struct fathom_err *err)
{
	const char *p = lexer->text + lexer->at;

	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t len = strlen(operators[i].text);

		if (strncmp(p, operators[i].text, len) != 0)
			continue;
		token->kind = operators[i].kind;
		token->op = operators[i].op;
		token->len = (uint32_t)len;
		return 0;
	}
	if (*p == '=')
		return err_set_at(err, -EINVAL, token->offset,
				  "unexpected '=': use '==' to compare");
	return err_set_at(err, -EINVAL, token->offset, "unexpected character '%c'",
			  *p > ' ' && *p < 127 ? *p : '?');
}

int filter_lex(struct filter_lexer *lexer, struct filter_token *ret_token, struct fathom_err *err)
{
	struct filter_token token = { 0 };
	const char *p;
	int r = 0;

	lexer->at += strspn(lexer->text + lexer->at, " \t\r\n");
	p = lexer->text + lexer->at;
	token.offset = (uint32_t)lexer->at;
	if (!*p)
		token.kind = TOKEN_END;
	else if (begins_word(*p) && !(*p == '*' && lexer->after_value))
		r = lex_word(lexer, &token, err);
	else if (filter_lex_is_digit(*p))
		r = filter_lex_number(lexer, &token, err);
	else if (*p == '"' || *p == '\'')
		r = lex_string(lexer, &token, err);
	else
		r = lex_operator(lexer, &token, err);
	if (r < 0)
		return r;
	lexer->at += token.len;
	lexer->after_value = (token.kind >= TOKEN_WORD && token.kind <= TOKEN_CHAR) ||
			     token.kind == TOKEN_CLOSE;
	*ret_token = token;
	return 0;
}
