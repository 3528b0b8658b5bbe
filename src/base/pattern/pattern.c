/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Globs, and the entry points for regular expressions (pattern-regex.c). The code of a glob has no
 * jumps; only its last star can need another attempt, so backtracking needs no stack.
 */
#include "base/pattern/pattern.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/pattern/pattern-code.h"
#include "base/pattern/pattern-regex.h"

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
		return err_set_at(err, -EINVAL, 0,
				  "pattern too long: expected at most %d characters",
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

bool pattern_literal(const struct pattern *pattern, const char **ret_text, size_t *ret_len,
		     bool *ret_open)
{
	size_t len = pattern->len;

	if (pattern->icase)
		return false;
	if (pattern->kind == PATTERN_GLOB && len && pattern->text[len - 1] == '*' &&
	    !pattern_is_glob(pattern->text, len - 1)) {
		*ret_text = pattern->text;
		*ret_len = len - 1;
		*ret_open = true;
		return true;
	}
	if (pattern->kind != PATTERN_EXACT)
		return false;
	*ret_text = pattern->text;
	*ret_len = len;
	*ret_open = false;
	return true;
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
