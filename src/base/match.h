/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns as people type them to pick names: a plain word is looked for anywhere
 * in the name, a word with * ? or [ is a glob for the whole name, and /RE/ is an
 * extended regular expression. Compiled once; testing a name allocates nothing of ours.
 */
#ifndef FATHOM_BASE_MATCH_H
#define FATHOM_BASE_MATCH_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum match_flags {
	MATCH_REGEX = 1, /* the pattern is a regular expression even without slashes */
	MATCH_ICASE = 2, /* small and capital letters (ASCII) are the same */
	MATCH_WHOLE = 4, /* a plain word has to be the whole name */
};

/* How a compiled pattern is tested; the cheap kinds stand for most globs. */
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
	char *text; /* what is compared, without the stars of the simple kinds */
	size_t len;
	regex_t regex; /* only of MATCH_KIND_REGEX */
};

/*
 * Compiles @pattern. 0, -EINVAL with the reason in @err for a regular expression
 * that is wrong, or -ENOMEM. @match is untouched on failure.
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

/* Does @name fit the glob @glob as a whole? A '[' that is never closed stands for itself. */
bool match_glob(const char *glob, const char *name, bool icase);

#endif
