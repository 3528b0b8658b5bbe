/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a system call takes that does next to nothing: untraced, it says how quick a machine is; traced, what tracing
 * costs.
 */
#ifndef FATHOM_RECORD_SYSCALL_TIME_H
#define FATHOM_RECORD_SYSCALL_TIME_H

#include <stdint.h>

struct syscall_time {
	double ns; /* of one: the median of some rounds */
	double mean_ns; /* far above it: somebody else had the CPU in between, on a virtual machine its host */
	uint64_t calls; /* that were made */
};

/* Takes about 20 milliseconds. What it calls beside, such as a clock, is no system call. */
struct syscall_time syscall_time_measure(void);

#endif
