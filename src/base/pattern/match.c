/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/pattern/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* Returns the kind of comparison for the glob @p, and the part of it that is plain text. */
static enum match_kind classify_glob(const char *p, size_t len, size_t *ret_start, size_t *ret_len)
{
	size_t start = strspn(p, "*");
	size_t plain = strcspn(p + start, "*?[\\");
	size_t stars = strspn(p + start + plain, "*");

	if (start + plain + stars != len)
		return MATCH_KIND_GLOB;
	*ret_start = start;
	*ret_len = plain;
	if (!plain)
		return MATCH_KIND_ANY;
	if (start)
		return stars ? MATCH_KIND_SUBSTRING : MATCH_KIND_SUFFIX;
	return stars ? MATCH_KIND_PREFIX : MATCH_KIND_EXACT;
}

/* Compiles @text into the arena of @match; @what names it in messages. */
static int match_compile(struct match *match, const char *what, enum pattern_kind kind,
			 const char *text, size_t len, struct fathom_err *err)
{
	int r = pattern_compile(&match->arena, kind, match->icase ? PATTERN_ICASE : 0, text, len,
				&match->pattern, err);

	if (r == -EINVAL)
		return err_prefix(err, "invalid %s '%.*s'", what, (int)len, text), r;
	return r;
}

static int init_word(struct match *match, const char *pattern, size_t len, unsigned flags,
		     struct fathom_err *err)
{
	size_t start = 0;

	match->len = len;
	if (pattern[strcspn(pattern, "*?[")])
		match->kind = classify_glob(pattern, len, &start, &match->len);
	else if (flags & MATCH_WHOLE)
		match->kind = MATCH_KIND_EXACT;
	else
		match->kind = len ? MATCH_KIND_SUBSTRING : MATCH_KIND_ANY;
	if (match->kind == MATCH_KIND_GLOB)
		return match_compile(match, "pattern", PATTERN_GLOB, pattern, len, err);
	match->text = arena_strndup(&match->arena, pattern + start, match->len);
	return match->text ? 0 : err_nomem(err);
}

int match_init(struct match *match, const char *pattern, unsigned flags, struct fathom_err *err)
{
	_cleanup_(match_done) struct match m = { .icase = flags & MATCH_ICASE };
	size_t len = strlen(pattern);
	bool slashes = len >= 2 && pattern[0] == '/' && pattern[len - 1] == '/';
	int r;

	if (flags & MATCH_REGEX || slashes) {
		size_t skip = flags & MATCH_REGEX ? 0 : 1;

		m.kind = MATCH_KIND_REGEX;
		r = match_compile(&m, "regular expression", PATTERN_EXTENDED, pattern + skip,
				  len - 2 * skip, err);
	} else {
		r = init_word(&m, pattern, len, flags, err);
	}
	if (r < 0)
		return r;
	*match = TAKE_STRUCT(m, { 0 });
	return 0;
}

static bool match_same(const struct match *match, const char *name)
{
	return (match->icase ? strncasecmp(name, match->text, match->len) :
			       memcmp(name, match->text, match->len)) == 0;
}

bool match_test(const struct match *match, const char *name)
{
	size_t len;

	switch (match->kind) {
	case MATCH_KIND_ANY:
		return true;
	case MATCH_KIND_EXACT:
		return (match->icase ? strcasecmp(name, match->text) : strcmp(name, match->text)) ==
		       0;
	case MATCH_KIND_PREFIX:
		return (match->icase ? strncasecmp(name, match->text, match->len) :
				       strncmp(name, match->text, match->len)) == 0;
	case MATCH_KIND_SUFFIX:
		len = strlen(name);
		return len >= match->len && match_same(match, name + len - match->len);
	case MATCH_KIND_SUBSTRING:
		return (match->icase ? strcasestr(name, match->text) : strstr(name, match->text)) !=
		       NULL;
	case MATCH_KIND_GLOB:
	case MATCH_KIND_REGEX:
		return pattern_match(match->pattern, name, strlen(name));
	}
	return false;
}

void match_done(struct match *match)
{
	arena_done(&match->arena);
	*match = (struct match){ 0 };
}

int matches_init(struct matches *matches, char *const *patterns, size_t n, unsigned flags,
		 struct fathom_err *err)
{
	_cleanup_(matches_done) struct matches m = {
		.list = mem_zalloc(n, sizeof(*m.list)),
		.used = mem_zalloc(n, sizeof(*m.used)),
	};

	if (!m.list || !m.used)
		return err_nomem(err);
	for (; m.n < n; m.n++) {
		int r = match_init(&m.list[m.n], patterns[m.n], flags, err);

		if (r < 0)
			return r;
	}
	*matches = TAKE_STRUCT(m, { 0 });
	return 0;
}

bool matches_test(struct matches *matches, const char *name)
{
	bool any = matches->n == 0;

	for (size_t i = 0; i < matches->n; i++) {
		if (match_test(&matches->list[i], name)) {
			matches->used[i] = true;
			any = true;
		}
	}
	return any;
}

void matches_done(struct matches *matches)
{
	for (size_t i = 0; i < matches->n; i++)
		match_done(&matches->list[i]);
	free(matches->list);
	free(matches->used);
	*matches = (struct matches){ 0 };
}
