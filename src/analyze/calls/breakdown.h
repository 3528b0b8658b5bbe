/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel time by kind of entry (a system call, a page fault, an interrupt) and phase: the sum of
 * the self times of functions. A noise function includes its callees. Times are in ns.
 *
 * A breakdown is independent of the tree and the phases from which it was made; breakdown_done()
 * frees it and leaves it empty. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_CALLS_BREAKDOWN_H
#define FATHOM_ANALYZE_CALLS_BREAKDOWN_H

#include "analyze/calls/call-tree.h"
#include "base/arena.h"

struct phases;

enum breakdown_kind {
	BREAKDOWN_SYSCALL,
	BREAKDOWN_FAULT,
	BREAKDOWN_IRQ,
	BREAKDOWN_OTHER,
};

struct breakdown_part {
	const char *name; /* of the phase, or the word by which functions are grouped */
	bool noise, grouped;
	uint64_t own;
	uint64_t calls; /* of functions */
};

struct breakdown_entry {
	enum breakdown_kind kind;
	const char *name; /* of the system call; "" for other kinds */
	uint64_t calls, total, asleep;
	struct breakdown_part *parts; /* longest first, noise last */
	size_t n, cap;
};

/* Empty when zero-initialized. */
struct breakdown {
	struct breakdown_entry *list; /* longest first */
	size_t n, cap;
	struct arena arena;
};

/* Returns 0, or -ENOMEM with *@ret_breakdown empty. */
int breakdown_make(const struct call_tree *tree, const struct phases *phases,
		   struct breakdown *ret_breakdown);
void breakdown_done(struct breakdown *breakdown);
/*
 * Returns the entry of a system call, or with @name "" that of another kind; NULL if there is none.
 * Valid until breakdown_done().
 */
const struct breakdown_entry *breakdown_find(const struct breakdown *breakdown,
					     enum breakdown_kind kind, const char *name);
/*
 * Returns "openat" for the function "__x64_sys_openat", or NULL if it is not a system call. The
 * name is a part of @function.
 */
const char *breakdown_syscall_name(const char *function);

#endif
