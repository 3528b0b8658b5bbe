/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/syscall-fate.h"

const char *syscall_fate_word(enum syscall_fate fate)
{
	static const char *const words[] = {
		[SYSCALL_RETURNED] = "returned",   [SYSCALL_ENDED] = "ended",
		[SYSCALL_OPEN] = "open",	   [SYSCALL_LOST] = "lost",
		[SYSCALL_RESTARTED] = "restarted", [SYSCALL_INTERRUPTED] = "interrupted",
		[SYSCALL_NO_EXIT] = "no_exit",
	};

	return words[fate];
}

const char *syscall_fate_remark(enum syscall_fate fate)
{
	static const char *const remarks[] = {
		[SYSCALL_RETURNED] = "",
		[SYSCALL_ENDED] = "? <the task ended>",
		[SYSCALL_OPEN] = "? <never returned>",
		[SYSCALL_LOST] = "? <events were lost>",
		[SYSCALL_RESTARTED] = "? <restarted>",
		[SYSCALL_INTERRUPTED] = "? <interrupted, result unknown>",
		[SYSCALL_NO_EXIT] = "? <returned from a signal handler>",
	};

	return remarks[fate];
}
