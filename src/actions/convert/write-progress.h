/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress line for writing a trace file. */
#ifndef FATHOM_ACTIONS_CONVERT_WRITE_PROGRESS_H
#define FATHOM_ACTIONS_CONVERT_WRITE_PROGRESS_H

#include "render/kit/progress.h"
#include "write/trace-dat.h"

struct write_progress {
	struct progress line;
	uint64_t done; /* bytes written when the line was shown... */
	uint64_t last_shown; /* ...at this time */
};

/* Makes the writer of @options report its progress to @messages, which must outlive the writer. */
void write_progress_init(struct write_progress *progress, struct trace_dat_options *options,
			 FILE *messages);
void write_progress_done(struct write_progress *progress);

#endif
