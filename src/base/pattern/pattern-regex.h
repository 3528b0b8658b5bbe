/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Regular expressions, compiled to a program for a simulated NFA. Private to pattern.c.
 *
 * Why not libc's regexec(): patterns are untrusted, and glibc's regcomp() overflows the stack on
 * ((a{1,255}){1,255}){1,100}; it needs NUL-terminated text, which fields of events are not.
 * Matching here is linear in the length of the text, whatever the pattern, and allocates nothing.
 * The speed is comparable: 41 to 427 ns per name, against 63 to 254 (bench/filter/regex-bench).
 * Syntax and result are those of regexec(), which trace-cmd's filters use; tests/filter compares
 * them.
 */
#ifndef FATHOM_BASE_PATTERN_PATTERN_REGEX_H
#define FATHOM_BASE_PATTERN_PATTERN_REGEX_H

#include "base/pattern/pattern-code.h"

/* Compiles the text of @compiler. Returns 0, or -EINVAL with a message in its @err. */
int pattern_compile_regex(struct pattern_compiler *compiler);
/* Computes the set of bytes that a match can start with. Call it when @pattern has its code. */
void pattern_find_first(struct pattern *pattern);
bool pattern_run(const struct pattern *pattern, const char *text, size_t len);

#endif
