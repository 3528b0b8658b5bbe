/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text patterns: globs, and basic and extended POSIX regular expressions with GNU extensions.
 * Patterns may be untrusted. They are compiled into an arena, which owns them. Matching takes text
 * that need not be NUL-terminated, allocates nothing, and takes time proportional to the length of
 * the text times that of the pattern in the worst case. Text is bytes. A compiled pattern is
 * read-only and can be used by several threads.
 */
#ifndef FATHOM_BASE_PATTERN_PATTERN_H
#define FATHOM_BASE_PATTERN_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"

/* The maximum length of a pattern, in bytes. */
#define PATTERN_TEXT_MAX 1024

enum pattern_kind {
	PATTERN_EXACT, /* the text itself */
	PATTERN_GLOB, /* '*', '?', '[...]', '\' before any of them; the whole text */
	PATTERN_REGEX, /* matches anywhere in the text, unless anchored with '^' and '$' */
	PATTERN_EXTENDED, /* likewise; '(', ')', '|', '+', '?', '{', '}' without a backslash */
};

enum pattern_flags {
	PATTERN_ICASE = 1, /* small and capital letters (ASCII) are the same */
};

struct pattern;

/*
 * Compiles the @len bytes at @text. Back-references are unsupported and rejected. Returns 0,
 * -EINVAL with the reason and the offset in the pattern in @err, or -ENOMEM.
 */
int pattern_compile(struct arena *arena, enum pattern_kind kind, unsigned flags, const char *text,
		    size_t len, const struct pattern **ret_pattern, struct fathom_err *err);
bool pattern_match(const struct pattern *pattern, const char *text, size_t len);
/*
 * Returns whether the pattern is a text, or one followed by '*' (then *@ret_open is true), and
 * stores that text, which belongs to the pattern.
 */
bool pattern_literal(const struct pattern *pattern, const char **ret_text, size_t *ret_len,
		     bool *ret_open);
/* Returns whether the text contains a character that is special in globs. */
bool pattern_is_glob(const char *text, size_t len);

#endif
