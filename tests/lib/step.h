/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Synthetic traces of calls, a line per event. Lists of steps end with one whose time is 0. */
#ifndef FATHOM_TESTS_STEP_H
#define FATHOM_TESTS_STEP_H

#include "analyze/stream/decoded-event.h"

#define CALL   DECODED_CALL
#define RETURN DECODED_RETURN
#define ENTRY  DECODED_SYSCALL_ENTRY
#define EXIT   DECODED_SYSCALL_EXIT
#define SWITCH DECODED_SWITCH
#define WAKING DECODED_WAKING

struct step {
	enum decoded_kind kind;
	uint64_t time;
	int32_t pid;
	/*
	 * CALL, RETURN, FUNCTION: the function
	 * SWITCH: the next PID; WAKING, WAKEUP, TASK_EXIT: the other PID; EXEC: the PID before
	 * SIGNAL: the flags of the handler
	 * others: the number of the system call or interrupt
	 */
	uint64_t what;
	/* Of the call; SWITCH: the state of the previous task; SIGNAL: its number; EXIT: the result */
	int depth;
	uint64_t duration; /* SYSCALL_EXIT: the PID at the entry, or 0 */
	uint64_t missed; /* events lost before this one */
	int64_t result; /* RETURN; 0: not recorded */
	uint32_t cpu;
};

/*
 * Makes the event of a step, without data. @ret_decoded refers to @event. The caller adds other
 * members that its analysis reads.
 */
void step_decode(const struct step *step, struct fathom_event *event,
		 struct decoded_event *ret_decoded);

#endif
