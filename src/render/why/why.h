/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failed system calls, who decided it, and what it means. */
#ifndef FATHOM_RENDER_WHY_WHY_H
#define FATHOM_RENDER_WHY_WHY_H

#include "analyze/why/failures.h"
#include "render/kit/out.h"
#include "symbols/kernel/kernel-lines.h"
#include "symbols/user/user-symbols.h"

struct why_view {
	const struct failures *failures;
	const struct meanings *meanings;
	const struct meanings *causes; /* what helps; NULL: nobody knows */
	const struct failure_choice *choice;
	const struct failures *compared; /* of a command that should have succeeded; NULL: none */
	uint64_t missed; /* results, by probes */
	unsigned runs; /* of the command; 0: it is not known */
	size_t watched; /* functions, the same for all commands; 0: those that the calls went through */
	bool unwatched; /* the command was run, and what functions return was not recorded */
	struct user_symbols *users; /* names for addresses of programs */
	struct kernel_lines *lines; /* NULL: none */
	bool raw_times; /* they are no nanoseconds */
};

/* 0 or -ENOMEM. */
int why_print(const struct why_view *view, struct out *out);
int why_print_json(const struct why_view *view, struct out *out);

#endif
