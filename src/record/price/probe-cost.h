/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of a hit of each kind of probe or tracer, to estimate the overhead before anything is
 * recorded. The numbers are from docs/cost.md, which explains how they were measured: the maximum
 * of each row, over all kernels. Real machines differ.
 */
#ifndef FATHOM_RECORD_PRICE_PROBE_COST_H
#define FATHOM_RECORD_PRICE_PROBE_COST_H

enum probe_cost_kind {
	PROBE_COST_SYSCALL, /* an untraced system call, the unit of comparison */
	PROBE_COST_EVENT,
	PROBE_COST_FUNCTION,
	PROBE_COST_GRAPH_CALL, /* entry and exit, which are two events */
	PROBE_COST_KPROBE,
	PROBE_COST_KRETPROBE,
	PROBE_COST_FPROBE,
	PROBE_COST_FPROBE_RETURN,
	PROBE_COST_UPROBE,
	PROBE_COST_URETPROBE,
	PROBE_COST_WATCHPOINT,
	PROBE_COST_KINDS,
};

/* Returns the cost in nanoseconds. */
unsigned probe_cost_ns(enum probe_cost_kind kind);

#endif
