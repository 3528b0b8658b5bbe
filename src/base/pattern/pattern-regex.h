/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Regular expressions, compiled to a program for a simulated NFA. Private to pattern.c.
 *
 * libc's regexec() is not used, because patterns are untrusted, and regcomp() of glibc 2.36 takes 3
 * GB of memory for ((a{1,255}){1,255}){1,20}; with {1,100} it fails if 4 GB are allowed, and
 * crashes if 2 GB are. POSIX's regexec() needs NUL-terminated text, which fields of events are not,
 * and allocates memory.
 *
 * Matching here is linear in the length of the text, whatever the pattern, and allocates nothing.
 * Most patterns take 35 to 300 ns per name, 0.4 to 1.9 times as long as with regexec(). The
 * simulation follows all positions in the pattern at each byte, where glibc builds a DFA:
 * (.*)(.*)(.*)z takes 6 times as long, 710 ns against 110 (bench/filter/regex-bench).
 *
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
