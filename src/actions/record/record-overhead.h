/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends a recording that costs more than it may: --max-overhead, and the limit of unattended recordings. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_OVERHEAD_H
#define FATHOM_ACTIONS_RECORD_RECORD_OVERHEAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "actions/action.h"
#include "actions/record/record-run.h"
#include "base/strbuf.h"
#include "process/confined-pool.h"
#include "record/price/overhead.h"
#include "record/recorder.h"

/* The guardian, the monitor of a terminal, and unwinders. */
#define RECORD_OVERHEAD_PIDS (2 + CONFINED_FAILURES_MAX)

struct record_overhead {
	struct overhead overhead;
	bool is_default; /* nobody gave the limit */
	bool ended; /* it was passed */
	const struct plan *plan;
	double scale; /* of prices, see record/plan.h; 0: not known, and so is the cost */
	pid_t pids[RECORD_OVERHEAD_PIDS]; /* helpers of ours; 0: none */
};

/* Finds the limit. Where there is one, the caller sets the scale before functions are traced. */
void record_overhead_init(struct record_overhead *overhead, const struct record_args *args,
			  bool has_command);
static inline bool record_overhead_is_limited(const struct record_overhead *overhead)
{
	return overhead->overhead.limit > 0;
}
/* Tracing is on from now on. */
void record_overhead_begin(struct record_overhead *overhead, const struct recorder_totals *totals);
/* The share of all CPUs that was spent before the last look; below 0: not known. */
static inline double record_overhead_share(const struct record_overhead *overhead)
{
	return overhead->scale > 0 ? overhead_share(&overhead->overhead.cost) : -1;
}
/* Is it time to stop? To be called about once a second, when the cost is known. */
bool record_overhead_look(struct record_overhead *overhead, const struct recorder_totals *totals);
/* Where it was passed: a line for the recording, and what to tell the user. */
void record_overhead_note(const struct record_overhead *overhead, struct strbuf *info);
void record_overhead_tell(const struct record_overhead *overhead, const struct action *action);

#endif
