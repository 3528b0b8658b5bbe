/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of what is told about a call: a word for each in a column of its own, and the text behind it. */
#ifndef FATHOM_RENDER_WHY_WHY_ROW_H
#define FATHOM_RENDER_WHY_WHY_ROW_H

#include "base/strbuf.h"
#include "render/kit/out.h"

/* One line that may be broken: what, and what is to be told about it, which is empty then. 0 or -ENOMEM. */
int why_put_row(struct out *out, const char *what, struct strbuf *text);

#endif
