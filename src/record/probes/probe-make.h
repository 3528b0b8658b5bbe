/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * User-defined probes on the running kernel: the types needed to lower them, whether the kernel
 * supports them, and why it rejected one. @tracefs is a descriptor of the tracefs directory, and
 * @root as for tracefs_find().
 */
#ifndef FATHOM_RECORD_PROBES_PROBE_MAKE_H
#define FATHOM_RECORD_PROBES_PROBE_MAKE_H

#include <stdbool.h>

#include <fathom/err.h>

#include "symbols/probe/probe.h"

/* Where the kernel provides its BTF. */
#define PROBE_BTF_DIR "/sys/kernel/btf"

struct probe_base {
	struct probe_machine machine;
	int dir; /* closed by probe_base_done(); -1: none */
};

/* The initial value; a zeroed struct would make probe_base_done() close descriptor 0. */
#define PROBE_BASE_NONE   \
	{                 \
		.dir = -1 \
	}

/*
 * Loads types from the files in @dir. It is not an error if there are none: probes work without.
 * Returns 0 or a negative errno.
 */
int probe_base_open(const char *dir, struct probe_base *ret_base, struct fathom_err *err);
void probe_base_done(struct probe_base *base);
#define _cleanup_probe_base_ __attribute__((cleanup(probe_base_done)))

/* Returns 0, or -EOPNOTSUPP if the kernel does not support this kind of probe. */
int probe_check(int tracefs, const struct probe *probe, struct fathom_err *err);
/*
 * Returns whether the probed kernel function does not exist, with a message that suggests another
 * one.
 */
bool probe_is_unknown(int tracefs, const char *root, const struct probe *probe,
		      struct fathom_err *err);
/*
 * Explains why the kernel rejected @definition with the error @code: the function does not exist,
 * or what error_log says. Returns @code.
 */
int probe_refused(int tracefs, const char *root, const struct probe *probe, const char *definition,
		  int code, struct fathom_err *err);

#endif
