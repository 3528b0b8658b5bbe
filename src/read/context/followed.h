/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which tasks or CPUs a recording is limited to, or which it leaves out, as our recorder noted it in the file, or as
 * task_states_find_followed() finds it. The
 * kernel lets a switch between tasks through when one of the two is recorded, so of others a recording has
 * halves only.
 */
#ifndef FATHOM_READ_CONTEXT_FOLLOWED_H
#define FATHOM_READ_CONTEXT_FOLLOWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/trace.h>

/* The keys of notes. */
#define FOLLOWED_PIDS	  "pids" /* numbers with blanks between */
#define FOLLOWED_CHILDREN "children" /* "yes": and what they start */
#define FOLLOWED_UNTRACED "untraced" /* as the first: tasks of the recorder */
#define FOLLOWED_CPUS \
	"cpumask" /* hexadecimal, words of 32 bits with commas between, the highest first */

/* Zero-initialised: all tasks, or not known which. */
struct followed {
	int32_t *pids; /* when the recording began */
	size_t n;
	bool children;
	int32_t *untraced; /* that are left out */
	size_t n_untraced;
	bool some_cpus; /* only: what tasks did on others is not known */
	uint64_t missing; /* switches that are not there: @pids was found by that, and not noted */
};

/* Is the recording limited to some tasks? Those who began may be unknown when all of them have ended. */
static inline bool followed_is_limited(const struct followed *followed)
{
	return followed->n || followed->children || followed->missing;
}

/* 0 or -ENOMEM. */
int followed_read(const struct fathom_trace *trace, struct followed *ret_followed);
/* Is it a task of the recorder, which is left out? */
bool followed_leaves_out(const struct followed *followed, int32_t pid);
void followed_done(struct followed *followed);

#endif
