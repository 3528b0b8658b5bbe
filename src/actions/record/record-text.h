/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The progress and the summary of a recording. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_TEXT_H
#define FATHOM_ACTIONS_RECORD_RECORD_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "actions/action.h"
#include "record/file/trace-out.h"
#include "record/plan.h"
#include "record/recorder.h"
#include "render/kit/progress.h"

struct record_text {
	const struct action *action;
	bool quiet;
	bool has_own; /* not events of the kernel alone are recorded: what others tell */
	const struct plan *plan;
	struct progress progress;
	uint64_t last_bytes, last_made, last_time;
};

void record_text_init(struct record_text *text, const struct action *action, bool quiet,
		      const struct plan *plan);
/* Is a progress line due? */
bool record_text_wants(const struct record_text *text);
/* Is progress shown? */
static inline bool record_text_is_watched(const struct record_text *text)
{
	return !text->quiet && text->progress.terminal;
}
/* @share: of the time of all CPUs, what tracing costs; below 0: not known. */
void record_text_progress(struct record_text *text, const struct recorder_totals *totals,
			  double share, uint64_t elapsed_ns);
void record_text_clear(struct record_text *text);
/* Lost events are reported even if quiet. */
void record_text_summary(struct record_text *text, const char *path,
			 const struct recorder_totals *totals,
			 const struct trace_out_result *result, uint64_t elapsed_ns);

#endif
