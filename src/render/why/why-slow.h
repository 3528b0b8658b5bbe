/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Renders slow system calls and where they spent their time, as text or JSON. */
#ifndef FATHOM_RENDER_WHY_WHY_SLOW_H
#define FATHOM_RENDER_WHY_WHY_SLOW_H

#include "analyze/replay/slow-calls.h"
#include "render/kit/out.h"
#include "symbols/user/user-symbols.h"

struct why_slow_view {
	const struct slow_calls *calls;
	struct user_symbols *users; /* symbolizes user stacks; may read files */
	size_t max; /* number of calls shown as text */
};

/* Both return 0 or -ENOMEM. Write errors are left to out_finish(). */
int why_slow_print(const struct why_slow_view *view, struct out *out);
int why_slow_print_json(const struct why_slow_view *view, struct out *out);

#endif
