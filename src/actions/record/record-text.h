/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress and summary of a recording. */
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
	bool has_own; /* also records data that is not kernel events, which others report */
	bool has_samples; /* such as CPU samples */
	const struct plan *plan;
	struct progress progress;
	uint64_t last_bytes, last_made, last_time;
};

void record_text_init(struct record_text *text, const struct action *action, bool quiet,
		      const struct plan *plan);
/* Returns whether a progress line is due. */
bool record_text_wants(const struct record_text *text);
/* Returns whether progress is shown. */
static inline bool record_text_is_watched(const struct record_text *text)
{
	return !text->quiet && text->progress.terminal;
}
/* @share: overhead, as a share of the time of all CPUs; negative: unknown. */
void record_text_progress(struct record_text *text, const struct recorder_totals *totals,
			  double share, uint64_t elapsed_ns);
void record_text_clear(struct record_text *text);
/* Reports lost events even if quiet. */
void record_text_summary(struct record_text *text, const char *path,
			 const struct recorder_totals *totals,
			 const struct trace_out_result *result, uint64_t elapsed_ns);
/* Suggests the next command, unless quiet or nothing was recorded. */
void record_text_next(const struct record_text *text, const char *path,
		      const struct recorder_totals *totals);

#endif
