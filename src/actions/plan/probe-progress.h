/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The progress of creating or enabling many probes, on the terminal of the messages. */
#ifndef FATHOM_ACTIONS_PLAN_PROBE_PROGRESS_H
#define FATHOM_ACTIONS_PLAN_PROBE_PROGRESS_H

#include "render/kit/progress.h"

struct probe_progress {
	struct progress line;
	const char *what; /* of the steps */
	size_t done; /* when the line was shown... */
	uint64_t last_shown; /* ...at this time */
};

void probe_progress_init(struct probe_progress *progress, FILE *messages);
/* For plan.progress. @data is a struct probe_progress. */
void probe_progress_take(void *data, const char *what, size_t done, size_t total);
void probe_progress_done(struct probe_progress *progress);

#endif
