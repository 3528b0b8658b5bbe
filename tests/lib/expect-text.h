/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FATHOM_TESTS_EXPECT_TEXT_H
#define FATHOM_TESTS_EXPECT_TEXT_H

#include "base/strbuf.h"

/*
 * Compares @text with @wanted; @r is the result of the function that made it, which must be 0,
 * unless allocations fail on purpose.
 */
void expect_text(int r, const struct strbuf *text, const char *wanted);

#endif
