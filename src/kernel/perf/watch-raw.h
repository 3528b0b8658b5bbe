/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The raw data of a sample that the BPF program of a watchpoint writes to the perf ring. */
#ifndef FATHOM_KERNEL_PERF_WATCH_RAW_H
#define FATHOM_KERNEL_PERF_WATCH_RAW_H

#include <stdint.h>

struct watch_raw {
	uint64_t value; /* as many bytes as are watched; the rest is 0 */
	uint32_t which; /* index of the address */
	int32_t failed; /* 0, or a negative errno if the value could not be read */
	char comm[16]; /* task name, NUL-terminated */
};

#endif
