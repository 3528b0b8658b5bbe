/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A perf event with a ring on each online CPU, to which BPF programs write records. One thread may
 * use it at a time.
 */
#ifndef FATHOM_RECORD_RINGS_CPU_RINGS_H
#define FATHOM_RECORD_RINGS_CPU_RINGS_H

#include <stddef.h>

#include <fathom/err.h>

#include "kernel/perf/perf-ring.h"

struct cpu_ring {
	unsigned cpu;
	int fd;
	struct perf_ring ring;
};

struct cpu_rings {
	struct cpu_ring *list;
	size_t n;
	int poll; /* readable when a ring is filled to its watermark; -1: none */
};

/* The initial value; a zeroed struct would make cpu_rings_done() close descriptor 0. */
#define CPU_RINGS_NONE     \
	{                  \
		.poll = -1 \
	}

struct cpu_rings_options {
	size_t bytes; /* size of each ring */
	/*
	 * Opens the event of a CPU. Returns a descriptor, which cpu_rings_done() closes, or a
	 * negative errno.
	 */
	int (*open)(void *data, unsigned cpu);
	/* Makes the BPF program use it. Returns 0 or a negative errno. */
	int (*announce)(void *data, unsigned cpu, int fd);
	void *data;
};

/*
 * Opens and maps the events of all online CPUs. Returns 0 or a negative errno; on failure,
 * cpu_rings_done() still has to be called.
 */
int cpu_rings_open(struct cpu_rings *rings, const struct cpu_rings_options *options,
		   struct fathom_err *err);
void cpu_rings_done(struct cpu_rings *rings);

/* Explains why the kernel refused @what. Returns @code. */
int cpu_rings_refused(int code, const char *what, struct fathom_err *err);

#endif
