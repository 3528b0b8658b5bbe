/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists the tracing instances, which have buffers and settings of their own. Strings belong to the
 * list and are valid until instances_done().
 */
#ifndef FATHOM_KERNEL_TRACEFS_INSTANCES_H
#define FATHOM_KERNEL_TRACEFS_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"

struct instance {
	const char *name;
	const char *tracer; /* "" if it could not be read */
	bool recording; /* tracing_on */
	size_t events_enabled;
	unsigned long kb_per_cpu; /* 0: differs between CPUs, or could not be read */
	unsigned long kb_total;
};

struct instances {
	struct instance *list; /* sorted by name */
	size_t n, cap;
	struct arena arena;
};

/* Reads the instances below the descriptor @tracefs. Returns 0 or a negative errno. */
int instances_read(int tracefs, struct instances *ret_instances, struct fathom_err *err);
void instances_done(struct instances *instances);

#endif
