/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a system call ended. Not all calls return, and not all that end return to the program. */
#ifndef FATHOM_ANALYZE_SYSCALLS_SYSCALL_FATE_H
#define FATHOM_ANALYZE_SYSCALLS_SYSCALL_FATE_H

#include <stdbool.h>

#include "analyze/tasks/restarts.h"

enum syscall_fate {
	SYSCALL_RETURNED,
	SYSCALL_ENDED, /* the task ended in it */
	SYSCALL_OPEN, /* still running at the end of the recording */
	SYSCALL_LOST, /* its exit was lost */
	SYSCALL_RESTARTED, /* interrupted by a signal and restarted by the kernel */
	SYSCALL_INTERRUPTED, /* interrupted by a signal; what the program got is unknown */
	SYSCALL_NO_EXIT, /* rt_sigreturn: returns to the interrupted code, without an exit */
};

/* Returns how an interrupted call ended. */
static inline enum syscall_fate syscall_fate_of(enum restart_fate fate)
{
	static const enum syscall_fate fates[] = {
		[RESTART_UNKNOWN] = SYSCALL_INTERRUPTED,
		[RESTART_RESTARTED] = SYSCALL_RESTARTED,
		[RESTART_EINTR] = SYSCALL_RETURNED,
		[RESTART_ENDED] = SYSCALL_ENDED,
	};

	return fates[fate];
}

static inline bool syscall_fate_has_end(enum syscall_fate fate)
{
	return fate == SYSCALL_RETURNED || fate == SYSCALL_ENDED || fate == SYSCALL_RESTARTED ||
	       fate == SYSCALL_INTERRUPTED;
}

#endif
