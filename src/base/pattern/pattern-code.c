/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Emits the code of patterns, and parses what globs and regular expressions have in common: sets of
 * characters in brackets.
 */
#include "base/pattern/pattern-code.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"

int pattern_emit(struct pattern_compiler *compiler, struct pattern_code code)
{
	if (compiler->n_code == PATTERN_CODE_MAX)
		return err_set_at(compiler->err, -EINVAL, compiler->at,
				  "pattern too large: use fewer or smaller repeat counts");
	compiler->code[compiler->n_code++] = code;
	return 0;
}

int pattern_add_set(struct pattern_compiler *compiler, const struct pattern_set *set)
{
	if (compiler->n_sets == PATTERN_SETS_MAX)
		return err_set_at(compiler->err, -EINVAL, compiler->at,
				  "too many character sets in the pattern");
	compiler->sets[compiler->n_sets] = *set;
	return (int)compiler->n_sets++;
}

static void add_char(struct pattern_set *set, unsigned char c, bool icase)
{
	set->bits[c / 64] |= 1ULL << (c % 64);
	if (icase && pattern_fold(c) != c)
		set->bits[pattern_fold(c) / 64] |= 1ULL << (pattern_fold(c) % 64);
	if (icase && c >= 'a' && c <= 'z')
		add_char(set, (unsigned char)(c - 'a' + 'A'), false);
}

static bool in_class(const char *name, size_t len, unsigned c)
{
	const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
	const bool digit = c >= '0' && c <= '9', graph = c > ' ' && c < 127;
	const struct {
		const char *name;
		bool in;
	} classes[] = {
		{ "alpha", lower || upper },
		{ "digit", digit },
		{ "alnum", lower || upper || digit },
		{ "lower", lower },
		{ "upper", upper },
		{ "space", c == ' ' || (c >= '\t' && c <= '\r') },
		{ "blank", c == ' ' || c == '\t' },
		{ "punct", graph && !lower && !upper && !digit },
		{ "print", graph || c == ' ' },
		{ "graph", graph },
		{ "cntrl", c < ' ' || c == 127 },
		{ "xdigit", digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].name) == len && memcmp(classes[i].name, name, len) == 0)
			return classes[i].in;
	return false;
}

/* Reads a class such as "[:alpha:]" at the compiler's position. Returns 1 if there is one. */
static int read_class(struct pattern_compiler *compiler, struct pattern_set *set)
{
	const char *name = compiler->text + compiler->at + 2;
	size_t left = compiler->len - compiler->at;
	const char *end;
	bool any = false;

	if (left < 4 || name[-2] != '[' || (name[-1] != ':' && name[-1] != '.' && name[-1] != '='))
		return 0;
	end = memchr(name, name[-1], left - 3);
	if (!end || end[1] != ']')
		return 0;
	for (unsigned c = 0; c < 128; c++) {
		if (name[-1] != ':' || !in_class(name, (size_t)(end - name), c))
			continue;
		add_char(set, (unsigned char)c, compiler->icase);
		any = true;
	}
	if (!any)
		return err_set_at(compiler->err, -EINVAL, compiler->at,
				  "unknown character class '%.*s'", (int)(end + 2 - name + 2),
				  name - 2);
	compiler->at = (size_t)(end + 2 - compiler->text);
	return 1;
}

/* Parses one character or range. */
static int pattern_code_read_range(struct pattern_compiler *compiler, struct pattern_set *set)
{
	const unsigned char *p = (const unsigned char *)compiler->text + compiler->at;
	size_t left = compiler->len - compiler->at;
	unsigned lo = p[0], hi = lo;

	if (left > 2 && p[1] == '-' && p[2] != ']')
		hi = p[2];
	if (hi < lo)
		return err_set_at(compiler->err, -EINVAL, compiler->at,
				  "invalid range '%.3s': its end is before its start",
				  (const char *)p);
	for (unsigned c = lo; c <= hi; c++)
		add_char(set, (unsigned char)c, compiler->icase);
	compiler->at += hi == lo && !(left > 2 && p[1] == '-' && p[2] == p[0]) ? 1 : 3;
	return 0;
}

int pattern_read_set(struct pattern_compiler *compiler, bool bang_negates)
{
	const char *text = compiler->text;
	struct pattern_set set = { { 0 } };
	bool negated;
	size_t first;
	int r;

	negated = compiler->at < compiler->len &&
		  (text[compiler->at] == '^' || (bang_negates && text[compiler->at] == '!'));
	compiler->at += negated;
	/* A ']' in first place is a member. */
	for (first = compiler->at; compiler->at < compiler->len &&
				   (text[compiler->at] != ']' || compiler->at == first);) {
		r = read_class(compiler, &set);
		if (r == 0)
			r = pattern_code_read_range(compiler, &set);
		if (r < 0)
			return r;
	}
	if (compiler->at >= compiler->len)
		return -ENOENT;
	compiler->at++;
	for (int i = 0; negated && i < 4; i++)
		set.bits[i] = ~set.bits[i];
	return pattern_add_set(compiler, &set);
}
