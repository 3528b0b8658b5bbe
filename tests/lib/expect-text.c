/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "expect-text.h"

void expect_text(int r, const struct strbuf *text, const char *wanted)
{
	if (r == 0)
		assert_string_equal(strbuf_str(text), wanted);
	else
		assert_true(r == -ENOMEM && mem_fault);
}
