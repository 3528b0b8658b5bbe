/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What one hit of each kind of probe or tracer costs, for those who plan and tell it first. The numbers are those of
 * docs/cost.md, which says how they were measured: of each row the largest, whatever the kernel.
 * A real machine differs; they are for an estimate before anything is recorded.
 */
#ifndef FATHOM_RECORD_PRICE_PROBE_COST_H
#define FATHOM_RECORD_PRICE_PROBE_COST_H

enum probe_cost_kind {
	PROBE_COST_SYSCALL, /* a system call that is not traced: the measure of all others */
	PROBE_COST_EVENT,
	PROBE_COST_FUNCTION,
	PROBE_COST_GRAPH_CALL, /* two events */
	PROBE_COST_KPROBE,
	PROBE_COST_KRETPROBE,
	PROBE_COST_FPROBE,
	PROBE_COST_FPROBE_RETURN,
	PROBE_COST_UPROBE,
	PROBE_COST_URETPROBE,
	PROBE_COST_WATCHPOINT,
	PROBE_COST_KINDS,
};

/* Nanoseconds. */
unsigned probe_cost_ns(enum probe_cost_kind kind);

#endif
