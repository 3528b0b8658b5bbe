/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The latency of wakeups, from sched_wakeup until the task runs: appended to the line of the
 * sched_switch, and summarized at the end, in the format of trace-cmd report -w. Uses memory for
 * each task. Times are in nanoseconds. Not thread-safe.
 */
#ifndef FATHOM_RENDER_WAITS_WAKEUP_H
#define FATHOM_RENDER_WAITS_WAKEUP_H

#include "render/report/report-run.h"

struct wakeup_times {
	uint64_t total, count;
	uint64_t max, max_at, min, min_at;
};

struct wakeup_task {
	int32_t pid; /* 0: an empty slot */
	uint64_t woken; /* 0: it runs, or has not been woken */
};

/* Empty when zero-initialized. Released with wakeup_done(). */
struct wakeup {
	struct wakeup_task *tasks; /* a hash table, at most half full */
	size_t n, cap;
	uint32_t seed;
	struct wakeup_times all, realtime;
	bool nomem; /* tasks are missing */
};

/* A writer for struct report_run; @data is the struct wakeup. */
void wakeup_write(void *data, struct report_input *input, struct fathom_event *event,
		  struct text *text);
/* Appends the summary. Returns 0, or -ENOMEM if memory was exhausted and tasks are missing. */
int wakeup_write_summary(const struct wakeup *wakeup, struct text *text);
void wakeup_done(struct wakeup *wakeup);

#endif
