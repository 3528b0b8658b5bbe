/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regular expressions, for pattern.c, which knows of which kind a pattern is. */
#ifndef FATHOM_BASE_PATTERN_PATTERN_REGEX_H
#define FATHOM_BASE_PATTERN_PATTERN_REGEX_H

#include "base/pattern/pattern-code.h"

/* Compiles all of the text. 0 or -EINVAL with the reason in the compiler's @err. */
int pattern_compile_regex(struct pattern_compiler *compiler);
/* Finds out how a match begins, once @pattern has its code. */
void pattern_find_first(struct pattern *pattern);
bool pattern_run(const struct pattern *pattern, const char *text, size_t len);

#endif
