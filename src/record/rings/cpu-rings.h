/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A perf event with a ring on each CPU that runs, which BPF programs there put their records into. */
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
	int poll; /* readable when much has come; -1: there is none */
};

#define CPU_RINGS_NONE     \
	{                  \
		.poll = -1 \
	}

struct cpu_rings_options {
	size_t bytes; /* of each ring */
	/* Opens the event of a CPU: a file, or a negative errno. */
	int (*open)(void *data, unsigned cpu);
	/* Tells the program where it is. 0 or a negative errno. */
	int (*announce)(void *data, unsigned cpu, int fd);
	void *data;
};

int cpu_rings_open(struct cpu_rings *rings, const struct cpu_rings_options *options,
		   struct fathom_err *err);
void cpu_rings_done(struct cpu_rings *rings);

/* Why the kernel did not let us have @what, and what helps. Returns @code. */
int cpu_rings_refused(int code, const char *what, struct fathom_err *err);

#endif
