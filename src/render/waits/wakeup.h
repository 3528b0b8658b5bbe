/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long woken tasks wait until they run: said behind the line in which they do. */
#ifndef FATHOM_RENDER_WAITS_WAKEUP_H
#define FATHOM_RENDER_WAITS_WAKEUP_H

#include "render/report/report-run.h"

struct wakeup_times {
	uint64_t total, count;
	uint64_t max, max_at, min, min_at;
};

struct wakeup_task {
	int32_t pid; /* 0: the slot is free */
	uint64_t woken; /* 0: it runs */
};

/* Zero-initialised is ready. */
struct wakeup {
	struct wakeup_task *tasks; /* a hash table */
	size_t n, cap;
	uint32_t seed;
	struct wakeup_times all, realtime;
	bool nomem; /* tasks are missing */
};

/* A writer for struct report_run; @data is the struct wakeup. */
void wakeup_write(void *data, struct report_input *input, struct fathom_event *event,
		  struct text *text);
/* -ENOMEM when tasks had to be left out, else 0. */
int wakeup_write_summary(const struct wakeup *wakeup, struct text *text);
void wakeup_done(struct wakeup *wakeup);

#endif
