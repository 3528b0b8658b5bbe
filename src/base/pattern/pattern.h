/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns for text: globs, and POSIX regular expressions, basic and extended, with the
 * GNU additions. Compiled once into an arena; matching takes text that need not
 * be terminated, allocates nothing, and takes time in proportion to the length of
 * the text times that of the pattern, whatever they are. Text is bytes.
 */
#ifndef FATHOM_BASE_PATTERN_PATTERN_H
#define FATHOM_BASE_PATTERN_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"

/* A pattern may not be longer. */
#define PATTERN_TEXT_MAX 1024

enum pattern_kind {
	PATTERN_EXACT, /* the text itself */
	PATTERN_GLOB, /* '*', '?', '[...]', '\' before any of them; the whole text */
	PATTERN_REGEX, /* somewhere in the text, unless anchored with '^' and '$' */
	PATTERN_EXTENDED, /* the same; '(', ')', '|', '+', '?', '{', '}' without a backslash */
};

enum pattern_flags {
	PATTERN_ICASE = 1, /* small and capital letters (ASCII) are the same */
};

struct pattern;

/*
 * Compiles the @len bytes at @text. Back references have no meaning here and are
 * refused. 0, -EINVAL with the reason and the offset in the pattern in @err, or -ENOMEM.
 */
int pattern_compile(struct arena *arena, enum pattern_kind kind, unsigned flags, const char *text,
		    size_t len, const struct pattern **ret_pattern, struct fathom_err *err);
bool pattern_match(const struct pattern *pattern, const char *text, size_t len);
/* Has the word a character that means something in a glob? */
bool pattern_is_glob(const char *text, size_t len);

#endif
