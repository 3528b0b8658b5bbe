/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns that users type to select names: a plain word matches names that contain it, a word with
 * *, ? or [ is a glob for the whole name, and /RE/ is an extended regular expression. A compiled
 * pattern owns its memory; matching allocates nothing.
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
	MATCH_WHOLE = 4, /* a plain word must be the whole name */
};

/* How names are compared. All kinds but the last two are cheap, and cover most globs. */
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
	const char *text; /* for cheap kinds: the text to compare, without the stars */
	size_t len;
	const struct pattern *pattern; /* for globs and regular expressions */
	struct arena arena; /* owns the text or the pattern */
};

/*
 * Compiles @pattern. Returns 0, -EINVAL with a message for an invalid glob or regular expression,
 * or -ENOMEM. @match is unchanged on failure; otherwise release it with match_done().
 */
int match_init(struct match *match, const char *pattern, unsigned flags, struct fathom_err *err);
bool match_test(const struct match *match, const char *name);
void match_done(struct match *match);

/* A list of patterns. A name matches if any of them does, or if the list is empty. */
struct matches {
	struct match *list;
	bool *used; /* per pattern: whether it has matched anything */
	size_t n;
};

/* Compiles @n patterns, as match_init() does. */
int matches_init(struct matches *matches, char *const *patterns, size_t n, unsigned flags,
		 struct fathom_err *err);
/* Tries all patterns, to keep @used complete. */
bool matches_test(struct matches *matches, const char *name);
void matches_done(struct matches *matches);

#endif
