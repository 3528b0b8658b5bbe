/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The internal part of fathom/features.h: checks below another root directory, and the properties
 * of the machine. Results are constant, so several threads can read them.
 */
#ifndef FATHOM_KERNEL_FEATURES_FEATURES_H
#define FATHOM_KERNEL_FEATURES_FEATURES_H

#include <fathom/features.h>

#include "kernel/host.h"
#include "kernel/tracefs/tracefs.h"

/*
 * As fathom_features_probe(), with @root in front of every path. Unless @root is "", perf and BPF
 * are not used: they are not files below a directory.
 */
int features_probe_at(const char *root, unsigned int flags, struct fathom_features **ret_features,
		      struct fathom_err *err);
/* Owned by @features. */
const struct tracefs *features_tracefs(const struct fathom_features *features);
const struct host *features_host(const struct fathom_features *features);

static inline void features_free_p(struct fathom_features **features)
{
	fathom_features_free(*features);
}
#define _cleanup_features_ __attribute__((cleanup(features_free_p)))

#endif
