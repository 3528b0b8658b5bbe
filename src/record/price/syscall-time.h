/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations of system calls that do almost nothing. Untraced, they measure the speed of the
 * machine; traced, the cost of tracing.
 */
#ifndef FATHOM_RECORD_PRICE_SYSCALL_TIME_H
#define FATHOM_RECORD_PRICE_SYSCALL_TIME_H

#include <stdint.h>

enum syscall_kind {
	SYSCALL_LEAST, /* getppid() */
	SYSCALL_NONE, /* no such call: entering and leaving the kernel; creates no event */
	SYSCALL_PATH, /* faccessat() with a path of one byte */
	SYSCALL_LONG_PATH, /* the same with SYSCALL_LONG_PATH_BYTES */
	SYSCALL_KINDS,
};

#define SYSCALL_LONG_PATH_BYTES 64

struct syscall_time {
	double ns; /* of one call: the median of several rounds */
	double mean_ns; /* the mean; far above @ns if the CPU was preempted, also by a host */
	double work_ns; /* of a fixed computation at that time: the speed of the CPU */
	uint64_t calls; /* number of calls made */
};

/*
 * Measures system calls of the calling thread. Takes up to 25 milliseconds, or longer if a call
 * takes more than 60 microseconds. Makes no other system calls, if clocks are read without one.
 */
struct syscall_time syscall_time_measure(enum syscall_kind kind);

#endif
