/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command did, on one screen, or as JSON. */
#ifndef FATHOM_RENDER_SUMMARY_H
#define FATHOM_RENDER_SUMMARY_H

#include "analyze/summary.h"
#include "base/strbuf.h"
#include "render/out.h"

/* What is known besides the events; each may be NULL. */
struct summary_about {
	const char *command; /* what was run */
	const char *kernel; /* release */
	const char *path; /* of the recording */
	uint64_t lost; /* events */
	bool lost_unknown;
	bool hints; /* say what to type next */
};

/* Each returns 0 or -ENOMEM. @summary is finished; its list of system calls gets sorted. */
int summary_print(struct summary *summary, const struct summary_about *about, struct out *out);
int summary_print_json(struct summary *summary, const struct summary_about *about, struct out *out);

/* For both: the command whose process it was; the first that acted. NULL when nobody did. */
const struct time_task *summary_main_task(const struct summary *summary);
/* "ls", "pid 17": what a task is called. */
void summary_put_task(const struct summary *summary, int32_t pid, struct strbuf *buf);
/* "in read, for a device"; what a wait was about. */
void summary_put_wait(const struct summary *summary, const struct time_wait *wait,
		      struct strbuf *buf);

#endif
