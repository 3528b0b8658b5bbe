/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where and why tasks waited, as an indented table, JSON or CSV. */
#ifndef FATHOM_RENDER_WAITS_OFFCPU_H
#define FATHOM_RENDER_WAITS_OFFCPU_H

#include "analyze/waits/wait-view.h"
#include "render/kit/out.h"

struct offcpu_view {
	const struct waits *waits;
	const struct task_states *states; /* from which @waits was made */
	enum wait_order order;
	unsigned depth; /* 1: tasks, 2: and what they waited in, 3: and who ended it */
};

/* The chains of the longest waits come behind, where @waits has some. 0 or -ENOMEM. */
int offcpu_print(const struct offcpu_view *view, struct out *out);
int offcpu_print_json(const struct offcpu_view *view, struct out *out);
/* The waits; where there are chains, those instead, a row per link. */
int offcpu_print_csv(const struct offcpu_view *view, struct out *out);

#endif
