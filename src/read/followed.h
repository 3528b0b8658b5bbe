/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which tasks a recording is limited to, as our recorder noted it in the file. The kernel lets a switch
 * between tasks through when it is from or to one of these, so of other tasks a recording has halves
 * only.
 */
#ifndef FATHOM_READ_FOLLOWED_H
#define FATHOM_READ_FOLLOWED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/trace.h>

/* Lines of TRACE_ID_FATHOM_INFO. */
#define FOLLOWED_PIDS	  "pids: " /* numbers with blanks between */
#define FOLLOWED_CHILDREN "children: yes" /* and what they start */

/* Zero-initialised: all tasks, or not known. */
struct followed {
	int32_t *pids; /* when the recording began */
	size_t n;
	bool children;
};

/* 0 or -ENOMEM. */
int followed_read(const struct fathom_trace *trace, struct followed *ret_followed);
void followed_done(struct followed *followed);

#endif
