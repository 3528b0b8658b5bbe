/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tracing instances: buffers of their own, with settings of their own. */
#ifndef FATHOM_KERNEL_TRACEFS_INSTANCES_H
#define FATHOM_KERNEL_TRACEFS_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct instance {
	const char *name;
	const char *tracer; /* "" when it could not be read */
	bool recording; /* tracing_on */
	size_t events_enabled;
	unsigned long kb_per_cpu; /* 0: CPUs differ, or it could not be read */
	unsigned long kb_total;
};

struct instances {
	struct instance *list; /* sorted by name */
	size_t n, cap;
	struct arena arena;
};

int instances_read(int tracefs, struct instances *ret_instances, struct fathom_err *err);
void instances_done(struct instances *instances);

#endif
