/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long system calls take that do next to nothing: untraced, they say how quick a machine is; traced, what tracing
 * costs.
 */
#ifndef FATHOM_RECORD_PRICE_SYSCALL_TIME_H
#define FATHOM_RECORD_PRICE_SYSCALL_TIME_H

#include <stdint.h>

enum syscall_kind {
	SYSCALL_LEAST, /* getppid() */
	SYSCALL_NONE, /* does not exist: the way into the kernel and back; it makes no event */
	SYSCALL_PATH, /* faccessat() of a path that has one byte */
	SYSCALL_LONG_PATH, /* the same with SYSCALL_LONG_PATH_BYTES */
	SYSCALL_KINDS,
};

#define SYSCALL_LONG_PATH_BYTES 64

struct syscall_time {
	double ns; /* of one: the median of some rounds */
	double mean_ns; /* far above it: somebody else had the CPU in between, on a virtual machine its host */
	double work_ns; /* what a fixed computation in the program took at that time: how quick the machine was */
	uint64_t calls; /* that were made */
};

/*
 * Takes up to 25 milliseconds, or longer where system calls take more than 60 microseconds. What it calls beside, such as a
 * clock, is no system call.
 */
struct syscall_time syscall_time_measure(enum syscall_kind kind);

#endif
