/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layout of a call in the output of `fathom why`: rows with a label and a text. */
#ifndef FATHOM_RENDER_WHY_WHY_ROW_H
#define FATHOM_RENDER_WHY_WHY_ROW_H

#include "base/strbuf.h"
#include "render/kit/out.h"

/* Prints a row, wrapped at the width of @out, and clears @text. Returns 0 or -ENOMEM. */
int why_put_row(struct out *out, const char *what, struct strbuf *text);

#endif
