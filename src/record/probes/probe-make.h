/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes of users on the running kernel: what they are lowered with, what this kernel does
 * not have, and what it says when it refuses one.
 */
#ifndef FATHOM_RECORD_PROBES_PROBE_MAKE_H
#define FATHOM_RECORD_PROBES_PROBE_MAKE_H

#include <fathom/err.h>

#include "symbols/probe/probe.h"

/* Where a kernel has its types. */
#define PROBE_BTF_DIR "/sys/kernel/btf"

struct probe_base {
	struct probe_machine machine;
	int dir; /* -1: none */
};

#define PROBE_BASE_NONE   \
	{                 \
		.dir = -1 \
	}

/* Types from the files in @dir. That there are none is no failure: probes can do without. */
int probe_base_open(const char *dir, struct probe_base *ret_base, struct fathom_err *err);
void probe_base_done(struct probe_base *base);
#define _cleanup_probe_base_ __attribute__((cleanup(probe_base_done)))

/* -EOPNOTSUPP when the kernel below the directory @tracefs does not have such probes. */
int probe_check(int tracefs, const struct probe *probe, struct fathom_err *err);
/* Is the kernel's function that is probed missing? Then @err says so, with the one that was meant. */
bool probe_is_unknown(int tracefs, const char *root, const struct probe *probe,
		      struct fathom_err *err);
/*
 * Says why the kernel has refused the line @definition with @code: there is no such function,
 * or what its error_log says. @root is "" but in tests. Returns @code.
 */
int probe_refused(int tracefs, const char *root, const struct probe *probe, const char *definition,
		  int code, struct fathom_err *err);

#endif
