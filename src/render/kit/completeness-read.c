/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/completeness-read.h"

#include "base/cleanup.h"
#include "read/trace.h"

void completeness_begin(struct fathom_trace *trace, const struct fathom_window *window,
			const struct followed *followed, struct completeness *ret_completeness)
{
	static const struct fathom_window all = FATHOM_WINDOW_ALL;

	if (!window)
		window = &all;
	*ret_completeness = (struct completeness){
		.of_recording = true,
		.damaged = fathom_trace_damage_count(trace) > 0,
		.unfinished = fathom_trace_info(trace)->unfinished,
		.cut = trace->is_cut,
		.time_range = window->from || window->to != UINT64_MAX,
		.filtered = window->cpus || window->buffers || window->pids,
		.some_tasks = followed_is_limited(followed),
		.some_cpus = followed->some_cpus,
	};
}

int completeness_read(struct fathom_trace *trace, const struct fathom_window *window,
		      struct completeness *ret_completeness)
{
	_cleanup_(followed_done) struct followed followed = { 0 };
	int r = followed_read(trace, &followed);

	if (r == 0)
		completeness_begin(trace, window, &followed, ret_completeness);
	return r;
}
