/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/price/probe-cost.h"

/* Each with the row of docs/cost.md that it is out of; tools/check-docs compares them. */
static const unsigned costs[] = {
	[PROBE_COST_SYSCALL] = 344, /* the system call getppid, bare */
	[PROBE_COST_FUNCTION] = 571, /* function tracer */
	[PROBE_COST_GRAPH_CALL] = 1600, /* function_graph (a call: its begin and its end) */
	[PROBE_COST_EVENT] = 762, /* event of a system call (sys_enter_getppid) */
	[PROBE_COST_KPROBE] = 817, /* kprobe (`k:`) */
	[PROBE_COST_KRETPROBE] = 1111, /* kretprobe (`kr:`) */
	[PROBE_COST_FPROBE] = 816, /* fprobe (`f:`) */
	[PROBE_COST_FPROBE_RETURN] = 1280, /* fprobe at the return (`fr:`) */
	[PROBE_COST_UPROBE] = 1717, /* uprobe, at the first instruction of a function */
	[PROBE_COST_URETPROBE] = 2848, /* uretprobe */
	[PROBE_COST_WATCHPOINT] = 1450, /* hardware watchpoint, each hit into a ring of perf */
};

unsigned probe_cost_ns(enum probe_cost_kind kind)
{
	return costs[kind];
}
