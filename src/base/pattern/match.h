/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns as people type them to pick names: a plain word is looked for anywhere
 * in the name, a word with * ? or [ is a glob for the whole name, and /RE/ is an
 * extended regular expression. Compiled once; testing a name allocates nothing.
 */
#ifndef FATHOM_BASE_PATTERN_MATCH_H
#define FATHOM_BASE_PATTERN_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/pattern/pattern.h"

enum match_flags {
	MATCH_REGEX = 1, /* the pattern is a regular expression even without slashes */
	MATCH_ICASE = 2, /* small and capital letters (ASCII) are the same */
	MATCH_WHOLE = 4, /* a plain word has to be the whole name */
};

/* How a pattern is tested; all but the last two are cheap, and stand for most globs. */
enum match_kind {
	MATCH_KIND_ANY,
	MATCH_KIND_EXACT,
	MATCH_KIND_PREFIX,
	MATCH_KIND_SUFFIX,
	MATCH_KIND_SUBSTRING,
	MATCH_KIND_GLOB,
	MATCH_KIND_REGEX,
};

struct match {
	enum match_kind kind;
	bool icase;
	const char *text; /* of the cheap kinds: what is compared, without the stars */
	size_t len;
	const struct pattern *pattern; /* of globs and regular expressions */
	struct arena arena; /* owns the text or the pattern */
};

/*
 * Compiles @pattern. 0, -EINVAL with the reason in @err for a glob or a regular
 * expression that is wrong, or -ENOMEM. @match is untouched on failure.
 */
int match_init(struct match *match, const char *pattern, unsigned flags, struct fathom_err *err);
bool match_test(const struct match *match, const char *name);
void match_done(struct match *match);

/* Several patterns, any of which will do; without one, everything will. */
struct matches {
	struct match *list;
	bool *used; /* per pattern: did it fit anything so far? */
	size_t n;
};

/* Compiles @n patterns; as match_init() otherwise. */
int matches_init(struct matches *matches, char *const *patterns, size_t n, unsigned flags,
		 struct fathom_err *err);
/* Every pattern is tried, so that @used is right for all of them. */
bool matches_test(struct matches *matches, const char *name);
void matches_done(struct matches *matches);

#endif
