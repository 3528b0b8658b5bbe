/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

static unsigned char fold(unsigned char c, bool icase)
{
	return icase && c >= 'A' && c <= 'Z' ? (unsigned char)(c + 'a' - 'A') : c;
}

/*
 * The set at @p, which points behind the '['. Returns what follows the ']', or NULL
 * when there is none; *@ret_in says whether @c is in the set.
 */
static const char *match_set(const char *p, unsigned char c, bool icase, bool *ret_in)
{
	bool negated = *p == '!' || *p == '^';
	bool in = false;

	p += negated;
	/* A ']' that comes first is a member. */
	for (const char *first = p; *p && (*p != ']' || p == first); p++) {
		unsigned char lo = fold((unsigned char)*p, icase), hi = lo;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			hi = fold((unsigned char)p[2], icase);
			p += 2;
		}
		if (c >= lo && c <= hi)
			in = true;
	}
	if (*p != ']')
		return NULL;
	*ret_in = in != negated;
	return p + 1;
}

/* Does the one element of the glob at *@glob take @c? Moves *@glob behind it if so. */
static bool take_one(const char **glob, unsigned char c, bool icase)
{
	const char *p = *glob;
	const char *end;
	bool in;

	if (*p == '?') {
		*glob = p + 1;
		return true;
	}
	if (*p == '[') {
		end = match_set(p + 1, c, icase, &in);
		if (end) {
			*glob = end;
			return in;
		}
	}
	if (*p == '\\' && p[1])
		p++;
	*glob = p + 1;
	return fold((unsigned char)*p, icase) == c;
}

bool match_glob(const char *glob, const char *name, bool icase)
{
	/* Only the last star can need another try, so the time is at most length times length. */
	const char *star = NULL, *retry = NULL;

	while (*name) {
		const char *next = glob;

		if (*glob == '*') {
			star = ++glob;
			retry = name;
		} else if (*glob && take_one(&next, fold((unsigned char)*name, icase), icase)) {
			glob = next;
			name++;
		} else if (star) {
			glob = star;
			name = ++retry;
		} else {
			return false;
		}
	}
	glob += strspn(glob, "*");
	return !*glob;
}

/* The kind that the glob @p can be tested as, and which part of it is plain text. */
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

static int init_regex(struct match *match, const char *text, unsigned flags, struct fathom_err *err)
{
	struct match m = { .kind = MATCH_KIND_REGEX, .icase = flags & MATCH_ICASE };
	int r = regcomp(&m.regex, text, REG_EXTENDED | REG_NOSUB | (m.icase ? REG_ICASE : 0));
	char why[128];

	if (r == REG_ESPACE)
		return err_nomem(err);
	if (r) {
		regerror(r, &m.regex, why, sizeof(why));
		return err_set(err, -EINVAL, "bad regular expression '%s': %s", text, why);
	}
	*match = m;
	return 0;
}

int match_init(struct match *match, const char *pattern, unsigned flags, struct fathom_err *err)
{
	struct match m = { .icase = flags & MATCH_ICASE };
	size_t len = strlen(pattern);
	size_t start = 0, plain = len;
	bool slashes = len >= 2 && pattern[0] == '/' && pattern[len - 1] == '/';

	if (flags & MATCH_REGEX)
		return init_regex(match, pattern, flags, err);
	if (slashes) {
		_cleanup_free_ char *inside = mem_strndup(pattern + 1, len - 2);

		return inside ? init_regex(match, inside, flags, err) : err_nomem(err);
	}
	if (pattern[strcspn(pattern, "*?[")])
		m.kind = classify_glob(pattern, len, &start, &plain);
	else if (flags & MATCH_WHOLE)
		m.kind = MATCH_KIND_EXACT;
	else
		m.kind = len ? MATCH_KIND_SUBSTRING : MATCH_KIND_ANY;
	m.text = mem_strndup(pattern + start, plain);
	if (!m.text)
		return err_nomem(err);
	m.len = plain;
	*match = m;
	return 0;
}

static bool same(const struct match *match, const char *name)
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
		return len >= match->len && same(match, name + len - match->len);
	case MATCH_KIND_SUBSTRING:
		return (match->icase ? strcasestr(name, match->text) : strstr(name, match->text)) !=
		       NULL;
	case MATCH_KIND_GLOB:
		return match_glob(match->text, name, match->icase);
	case MATCH_KIND_REGEX:
		return regexec(&match->regex, name, 0, NULL, 0) == 0;
	}
	return false;
}

void match_done(struct match *match)
{
	if (match->kind == MATCH_KIND_REGEX)
		regfree(&match->regex);
	free(match->text);
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
	*matches = m;
	m = (struct matches){ 0 };
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
