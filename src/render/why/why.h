/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The screen of `fathom why`: failed system calls, the kernel functions that caused them, and what that means. */
#ifndef FATHOM_RENDER_WHY_WHY_H
#define FATHOM_RENDER_WHY_WHY_H

#include "analyze/why/failures.h"
#include "render/kit/out.h"
#include "symbols/kernel/kernel-lines.h"
#include "symbols/user/user-symbols.h"

struct why_view {
	const struct failures *failures;
	const struct meanings *meanings;
	const struct meanings *causes; /* hints; NULL: none */
	const struct failure_choice *choice;
	const struct failures *compared; /* of a command that should have succeeded; NULL: none */
	uint64_t missed; /* return values, by probes */
	unsigned runs; /* of the command; 0: it is not known */
	size_t watched; /* functions probed before anything was known of the command; 0: those that its calls went through */
	bool unwatched; /* the command was run without probes on kernel functions */
	bool asks; /* the caller offers to run the command again: do not suggest it here */
	struct user_symbols *users; /* names for addresses of programs */
	struct kernel_lines *lines; /* NULL: none */
	bool raw_times; /* they are no nanoseconds */
};

/* 0 or -ENOMEM. */
int why_print(const struct why_view *view, struct out *out);
int why_print_json(const struct why_view *view, struct out *out);

#endif
