/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tasks or CPUs to which a recording is limited, or which it excludes: as the recorder noted in
 * the file, or as inferred by task_states_find_followed(). The kernel records a switch if either of
 * the two tasks is recorded, so of the other tasks a recording contains only one half.
 *
 * followed_read() allocates the arrays; followed_done() frees them.
 */
#ifndef FATHOM_READ_CONTEXT_FOLLOWED_H
#define FATHOM_READ_CONTEXT_FOLLOWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/trace.h>

/* Keys of notes. */
#define FOLLOWED_PIDS	  "pids" /* numbers separated by blanks */
#define FOLLOWED_CHILDREN "children" /* "yes": and their children */
#define FOLLOWED_RECORDER "recorder" /* like "pids": its own tasks, traced or not */
#define FOLLOWED_UNTRACED "untraced" /* the same, in older recordings */
/* "N seconds": the CPU time of these, during which interrupts were not recorded */
#define FOLLOWED_OWN_CPU   "own-cpu"
#define FOLLOWED_OWN_CALLS "own-calls" /* the same, only function calls of interrupts */
#define FOLLOWED_CPUS	   "cpumask" /* hexadecimal, 32-bit words separated by commas, highest first */

/* Zero-initialized: all tasks, or unknown. */
struct followed {
	int32_t *pids; /* at the start of the recording */
	size_t n;
	bool children;
	int32_t *untraced; /* that are left out, in ascending order */
	size_t n_untraced;
	uint64_t hidden_ns; /* interrupts during this much CPU time of these are not recorded */
	bool some_cpus; /* tasks may have run on other CPUs, unrecorded */
	/* missing switches; non-zero if @pids was inferred from these rather than noted */
	uint64_t missing;
};

/*
 * Returns whether the recording is limited to some tasks. The initial ones may be unknown, if all
 * of them have exited.
 */
static inline bool followed_is_limited(const struct followed *followed)
{
	return followed->n || followed->children || followed->missing;
}

/* Returns 0 or -ENOMEM, with nothing to free. */
int followed_read(const struct fathom_trace *trace, struct followed *ret_followed);
/* Returns whether @pid is an excluded task of the recorder. */
bool followed_leaves_out(const struct followed *followed, int32_t pid);
void followed_done(struct followed *followed);

#endif
