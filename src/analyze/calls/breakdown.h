/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel did on each way into it (a system call, a page fault, an interrupt), by
 * phases: the own times of all functions, added up. Noise counts with all that it calls.
 */
#ifndef FATHOM_ANALYZE_CALLS_BREAKDOWN_H
#define FATHOM_ANALYZE_CALLS_BREAKDOWN_H

#include "analyze/calls/call-tree.h"
#include "analyze/calls/phases.h"
#include "base/arena.h"

enum breakdown_kind {
	BREAKDOWN_SYSCALL,
	BREAKDOWN_FAULT,
	BREAKDOWN_IRQ,
	BREAKDOWN_OTHER,
};

struct breakdown_part {
	const char *name; /* of the phase, or the word that groups functions */
	bool noise, grouped;
	uint64_t own;
	uint64_t calls; /* of functions */
};

struct breakdown_entry {
	enum breakdown_kind kind;
	const char *name; /* of the system call; "" for other kinds */
	uint64_t calls, total, asleep;
	struct breakdown_part *parts; /* those that took longest come first, noise last */
	size_t n, cap;
};

/* Zero-initialised is empty. */
struct breakdown {
	struct breakdown_entry *list; /* those that took longest come first */
	size_t n, cap;
	struct arena arena;
};

/* 0 or -ENOMEM. */
int breakdown_make(const struct call_tree *tree, const struct phases *phases,
		   struct breakdown *ret_breakdown);
void breakdown_done(struct breakdown *breakdown);
/* The entry of a system call, or of another kind with @name ""; NULL when there is none. */
const struct breakdown_entry *breakdown_find(const struct breakdown *breakdown,
					     enum breakdown_kind kind, const char *name);
/* The name of the system call that this function is, or NULL. */
const char *breakdown_syscall_name(const char *function);

#endif
