/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What became of a system call: not all return, and not all that end return to the program. */
#ifndef FATHOM_ANALYZE_SYSCALLS_SYSCALL_FATE_H
#define FATHOM_ANALYZE_SYSCALLS_SYSCALL_FATE_H

#include <stdbool.h>

#include "analyze/tasks/restarts.h"

enum syscall_fate {
	SYSCALL_RETURNED,
	SYSCALL_ENDED, /* its task ended in it */
	SYSCALL_OPEN, /* when the recording ended */
	SYSCALL_LOST, /* events were lost, and its end with them */
	SYSCALL_RESTARTED, /* a signal interrupted it, and the kernel called it again */
	SYSCALL_INTERRUPTED, /* the same, and what the program got is not known */
	SYSCALL_NO_EXIT, /* of a handler: it returns to what was interrupted, and has no end */
};

/* That a signal interrupted. */
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
