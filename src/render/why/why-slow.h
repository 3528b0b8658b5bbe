/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls that took long, and where the time went. */
#ifndef FATHOM_RENDER_WHY_WHY_SLOW_H
#define FATHOM_RENDER_WHY_WHY_SLOW_H

#include "analyze/replay/slow-calls.h"
#include "render/kit/out.h"
#include "symbols/user/user-symbols.h"

struct why_slow_view {
	const struct slow_calls *calls;
	struct user_symbols *users; /* names for addresses of programs */
	size_t max; /* so many are shown as text */
};

/* 0 or -ENOMEM. */
int why_slow_print(const struct why_slow_view *view, struct out *out);
int why_slow_print_json(const struct why_slow_view *view, struct out *out);

#endif
