/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Globs, character sets, and the door to regular expressions (pattern-regex.c).
 * A glob is a row of codes without jumps; only its last star can need another try,
 * so that matching goes back without a stack.
 */
#include "base/pattern/pattern.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/pattern/pattern-code.h"

int pattern_emit(struct pattern_compiler *compiler, struct pattern_code code)
{
	if (compiler->n_code == PATTERN_CODE_MAX)
		return err_set_at(compiler->err, -EINVAL, compiler->at, "the pattern is too large");
	compiler->code[compiler->n_code++] = code;
	return 0;
}

int pattern_add_set(struct pattern_compiler *compiler, const struct pattern_set *set)
{
	if (compiler->n_sets == PATTERN_SETS_MAX)
		return err_set_at(compiler->err, -EINVAL, compiler->at,
				  "the pattern has too many character sets");
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

/* A class such as "[:alpha:]", at which the compiler stands. 1 when there was one. */
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

/* One character or range. */
static int pattern_read_range(struct pattern_compiler *compiler, struct pattern_set *set)
{
	const unsigned char *p = (const unsigned char *)compiler->text + compiler->at;
	size_t left = compiler->len - compiler->at;
	unsigned lo = p[0], hi = lo;

	if (left > 2 && p[1] == '-' && p[2] != ']')
		hi = p[2];
	if (hi < lo)
		return err_set_at(compiler->err, -EINVAL, compiler->at,
				  "the range '%.3s' goes backwards", (const char *)p);
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
	/* A ']' that comes first is a member. */
	for (first = compiler->at; compiler->at < compiler->len &&
				   (text[compiler->at] != ']' || compiler->at == first);) {
		r = read_class(compiler, &set);
		if (r == 0)
			r = pattern_read_range(compiler, &set);
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

static int glob_set(struct pattern_compiler *compiler)
{
	size_t start = compiler->at;
	int r = pattern_read_set(compiler, true);

	if (r == -ENOENT) {
		compiler->at = start;
		return pattern_emit(compiler,
				    (struct pattern_code){ .op = PATTERN_OP_CHAR, .c = '[' });
	}
	if (r < 0)
		return r;
	return pattern_emit(compiler,
			    (struct pattern_code){ .op = PATTERN_OP_SET, .x = (int16_t)r });
}

static int glob_element(struct pattern_compiler *compiler)
{
	struct pattern_code code = { .op = PATTERN_OP_CHAR };
	char c = compiler->text[compiler->at++];

	if (c == '[')
		return glob_set(compiler);
	if (c == '*') {
		/* A second star in a row adds nothing. */
		if (compiler->n_code && compiler->code[compiler->n_code - 1].op == PATTERN_OP_STAR)
			return 0;
		code.op = PATTERN_OP_STAR;
	} else if (c == '?') {
		code.op = PATTERN_OP_ANY;
	} else if (c == '\\' && compiler->at < compiler->len) {
		c = compiler->text[compiler->at++];
	}
	code.c = compiler->icase ? pattern_fold((unsigned char)c) : (unsigned char)c;
	return pattern_emit(compiler, code);
}

static int compile_glob(struct pattern_compiler *compiler)
{
	int r = 0;

	while (r == 0 && compiler->at < compiler->len)
		r = glob_element(compiler);
	return r;
}

static int pattern_finish(struct pattern_compiler *compiler, struct arena *arena,
			  struct pattern *pattern)
{
	struct pattern_code *code = arena_zalloc(arena, compiler->n_code + 1, sizeof(*code));
	struct pattern_set *sets = arena_zalloc(arena, compiler->n_sets + 1, sizeof(*sets));

	if (!code || !sets)
		return err_nomem(compiler->err);
	memcpy(code, compiler->code, compiler->n_code * sizeof(*code));
	memcpy(sets, compiler->sets, compiler->n_sets * sizeof(*sets));
	pattern->code = code;
	pattern->sets = sets;
	pattern->n_code = (uint16_t)compiler->n_code;
	if (pattern->kind != PATTERN_GLOB)
		pattern_find_first(pattern);
	return 0;
}

int pattern_compile(struct arena *arena, enum pattern_kind kind, unsigned flags, const char *text,
		    size_t len, const struct pattern **ret_pattern, struct fathom_err *err)
{
	struct pattern_compiler compiler;
	struct pattern *pattern;
	int r;

	if (len > PATTERN_TEXT_MAX)
		return err_set_at(err, -EINVAL, 0, "the pattern is longer than %d characters",
				  PATTERN_TEXT_MAX);
	pattern = arena_zalloc(arena, 1, sizeof(*pattern));
	if (!pattern)
		return err_nomem(err);
	if (kind == PATTERN_GLOB && !pattern_is_glob(text, len))
		kind = PATTERN_EXACT;
	pattern->kind = (uint8_t)kind;
	pattern->icase = flags & PATTERN_ICASE;
	pattern->text = arena_strndup(arena, text, len);
	if (!pattern->text)
		return err_nomem(err);
	pattern->len = strlen(pattern->text);
	if (kind != PATTERN_EXACT) {
		compiler.text = pattern->text;
		compiler.len = pattern->len;
		compiler.at = compiler.depth = compiler.n_code = compiler.n_sets = 0;
		compiler.icase = pattern->icase;
		compiler.extended = kind == PATTERN_EXTENDED;
		compiler.err = err;
		r = kind == PATTERN_GLOB ? compile_glob(&compiler) :
					   pattern_compile_regex(&compiler);
		if (r == 0)
			r = pattern_finish(&compiler, arena, pattern);
		if (r < 0)
			return r;
	}
	*ret_pattern = pattern;
	return 0;
}

bool pattern_is_glob(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '*' || text[i] == '?' || text[i] == '[' || text[i] == '\\')
			return true;
	return false;
}

static bool pattern_exact(const struct pattern *pattern, const char *text, size_t len)
{
	if (len != pattern->len)
		return false;
	if (!pattern->icase)
		return memcmp(text, pattern->text, len) == 0;
	for (size_t i = 0; i < len; i++)
		if (pattern_fold((unsigned char)text[i]) !=
		    pattern_fold((unsigned char)pattern->text[i]))
			return false;
	return true;
}

static bool pattern_glob(const struct pattern *pattern, const char *text, size_t len)
{
	size_t pc = 0, at = 0, star = SIZE_MAX, retry = 0;

	while (at < len) {
		const struct pattern_code *code = &pattern->code[pc];
		unsigned char c = (unsigned char)text[at];

		if (pc < pattern->n_code && code->op == PATTERN_OP_STAR) {
			star = pc++;
			retry = at;
			continue;
		}
		if (pc < pattern->n_code &&
		    (code->op == PATTERN_OP_ANY ||
		     (code->op == PATTERN_OP_SET && pattern_set_has(&pattern->sets[code->x], c)) ||
		     (code->op == PATTERN_OP_CHAR &&
		      (pattern->icase ? pattern_fold(c) : c) == code->c))) {
			pc++;
			at++;
			continue;
		}
		if (star == SIZE_MAX)
			return false;
		pc = star + 1;
		at = ++retry;
	}
	while (pc < pattern->n_code && pattern->code[pc].op == PATTERN_OP_STAR)
		pc++;
	return pc == pattern->n_code;
}

bool pattern_match(const struct pattern *pattern, const char *text, size_t len)
{
	switch (pattern->kind) {
	case PATTERN_EXACT:
		return pattern_exact(pattern, text, len);
	case PATTERN_GLOB:
		return pattern_glob(pattern, text, len);
	default:
		return pattern_run(pattern, text, len);
	}
}
