/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends a recording whose overhead exceeds --max-overhead, or the limit of unattended recordings. */
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
	bool is_default; /* default limit */
	bool ended; /* exceeded */
	const struct plan *plan;
	double scale; /* of prices, see record/plan.h; 0: unknown, and so is the overhead */
	pid_t pids[RECORD_OVERHEAD_PIDS]; /* our helper processes; 0: none */
};

/* Determines the limit. If there is one, the caller sets the scale before functions are traced. */
void record_overhead_init(struct record_overhead *overhead, const struct action *action,
			  const struct record_args *args, bool has_command);
static inline bool record_overhead_is_limited(const struct record_overhead *overhead)
{
	return overhead->overhead.limit > 0;
}
/* Call when tracing has been enabled. */
void record_overhead_begin(struct record_overhead *overhead, const struct recorder_totals *totals);
/* Share of all CPUs before the last check; negative: unknown. */
static inline double record_overhead_share(const struct record_overhead *overhead)
{
	return overhead->scale > 0 ? overhead_share(&overhead->overhead.cost) : -1;
}
/* Returns whether to stop. Call about once a second if the cost is known. */
bool record_overhead_look(struct record_overhead *overhead, const struct recorder_totals *totals);
/* If the limit was exceeded: a line for the recording, and the message for the user. */
void record_overhead_note(const struct record_overhead *overhead, struct strbuf *info);
void record_overhead_report(const struct record_overhead *overhead, const struct action *action);

#endif
