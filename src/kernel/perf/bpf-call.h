/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bpf(2) system call. Pointers in its attributes are only used during the call. */
#ifndef FATHOM_KERNEL_PERF_BPF_CALL_H
#define FATHOM_KERNEL_PERF_BPF_CALL_H

#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/negative-errno.h"

/* Calls bpf(2). Returns a descriptor or another non-negative number, or a negative errno. */
static inline int bpf_call(int command, void *attr, unsigned int size)
{
	long r;

	/* Loading a program fails with EAGAIN if a signal interrupts the verifier. */
	do
		r = syscall(SYS_bpf, command, attr, size);
	while (r < 0 && errno == EAGAIN);
	return r < 0 ? negative_errno() : (int)r;
}

/* A pointer in the form that union bpf_attr takes. */
static inline uint64_t bpf_ptr(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

#endif
