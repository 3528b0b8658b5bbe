/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/price/probe-cost.h"

/* Each with its row in docs/cost.md; tools/check-docs compares them. */
static const unsigned costs[] = {
	[PROBE_COST_SYSCALL] = 344, /* system call getppid, untraced */
	[PROBE_COST_FUNCTION] = 571, /* function tracer */
	[PROBE_COST_GRAPH_CALL] = 1600, /* function_graph, entry and exit of a call */
	[PROBE_COST_EVENT] = 762, /* system call event (sys_enter_getppid) */
	[PROBE_COST_KPROBE] = 817, /* kprobe (`k:`) */
	[PROBE_COST_KRETPROBE] = 1111, /* kretprobe (`kr:`) */
	[PROBE_COST_FPROBE] = 816, /* fprobe (`f:`) */
	[PROBE_COST_FPROBE_RETURN] = 1280, /* fprobe on return (`fr:`) */
	[PROBE_COST_UPROBE] = 1717, /* uprobe at the first instruction of a function */
	[PROBE_COST_URETPROBE] = 2848, /* uretprobe */
	[PROBE_COST_WATCHPOINT] = 1450, /* hardware watchpoint, per hit, to a perf ring buffer */
};

unsigned probe_cost_ns(enum probe_cost_kind kind)
{
	return costs[kind];
}
