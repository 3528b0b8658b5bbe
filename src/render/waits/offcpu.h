/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders off-CPU time by task, state, system call and waker, as an indented table, JSON or CSV.
 * Times are in nanoseconds.
 */
#ifndef FATHOM_RENDER_WAITS_OFFCPU_H
#define FATHOM_RENDER_WAITS_OFFCPU_H

#include "analyze/waits/wait-view.h"
#include "render/kit/out.h"

struct offcpu_view {
	const struct waits *waits;
	const struct task_states *states; /* those that @waits was computed from */
	enum wait_order order;
	unsigned depth; /* of the table; 1: tasks, 2: and states, 3: and wakers */
};

/*
 * All return 0 or -ENOMEM. If @waits has the chains of the longest waits, text and JSON end with
 * them.
 */
int offcpu_print(const struct offcpu_view *view, struct out *out);
int offcpu_print_json(const struct offcpu_view *view, struct out *out);
/* A row per wait; if there are chains, only these, a row per link. */
int offcpu_print_csv(const struct offcpu_view *view, struct out *out);

#endif
