/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders the failed system calls of `fathom why`, the kernel functions that caused them, and their
 * meaning, as a screen or as JSON. Nothing in a view is owned or modified, but @users and @lines
 * cache what they look up and may read files.
 */
#ifndef FATHOM_RENDER_WHY_WHY_H
#define FATHOM_RENDER_WHY_WHY_H

#include "analyze/why/failures.h"
#include "render/kit/out.h"
#include "symbols/kernel/kernel-lines.h"
#include "symbols/user/user-symbols.h"

struct why_view {
	const struct failures *failures;
	const struct meanings *meanings;
	const struct meanings *causes; /* rules for hints; NULL: none */
	const struct failure_choice *choice;
	const struct failures *compared; /* of a command that should have succeeded; NULL: none */
	uint64_t missed; /* return values missed by probes */
	unsigned runs; /* of the command; 0: unknown */
	size_t watched; /* number of functions probed in advance; 0: those on the paths of failed
			 * calls were probed */
	bool unwatched; /* the command ran without probes on kernel functions */
	bool asks; /* the caller offers to run the command again: do not suggest it here */
	struct user_symbols *users; /* symbolizes user stacks */
	struct kernel_lines *lines; /* NULL: none */
	bool raw_times; /* timestamps are not in nanoseconds */
};

/* Both return 0 or -ENOMEM. Write errors are left to out_finish(). */
int why_print(const struct why_view *view, struct out *out);
int why_print_json(const struct why_view *view, struct out *out);

#endif
