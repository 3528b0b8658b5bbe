/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the program at a watched address puts into perf's ring, as the raw part of a sample. */
#ifndef FATHOM_KERNEL_PERF_WATCH_RAW_H
#define FATHOM_KERNEL_PERF_WATCH_RAW_H

#include <stdint.h>

struct watch_raw {
	uint64_t value; /* as many bytes of it as are watched; the rest is 0 */
	uint32_t which; /* of the addresses */
	int32_t failed; /* 0, or why the value could not be read */
	char comm[16]; /* of the task; ends with NUL */
};

#endif
