/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What differs between two trees of calls, as text, JSON or CSV; the largest changes come first. */
#ifndef FATHOM_RENDER_DIFF_H
#define FATHOM_RENDER_DIFF_H

#include "analyze/call-diff.h"
#include "render/out.h"

struct diff_options {
	unsigned depth; /* levels that are shown; 0: all */
	unsigned min_permille; /* of all time: changes below are folded into one line */
	unsigned rows; /* at each level; 0: all */
	bool flat; /* functions side by side: their times overlap */
};

/* Each returns 0 or -ENOMEM. */
int diff_print(const struct call_diff *diff, const struct diff_options *options, struct out *out);
int diff_print_json(const struct call_diff *diff, struct out *out);
int diff_print_csv(const struct call_diff *diff, struct out *out);

/* "slower", "faster", "new", "gone", or "" when calls took as long as before, as far as one can tell. */
const char *diff_verdict(const struct call_diff *diff, uint32_t node);

#endif
