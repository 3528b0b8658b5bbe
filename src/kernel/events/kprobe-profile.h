/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hit and miss counts of kprobes, and the kernel's list of functions that cannot be probed. */
#ifndef FATHOM_KERNEL_EVENTS_KPROBE_PROFILE_H
#define FATHOM_KERNEL_EVENTS_KPROBE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct kprobe_profile {
	size_t n; /* number of probes */
	uint64_t entries, returns; /* hits of entry and return probes */
	uint64_t missed; /* hits that the kernel missed */
};

/*
 * Adds up the counts of the probes whose events are in @group. @tracefs is a descriptor of the
 * tracefs directory. Returns 0 or a negative errno; -EAGAIN if probes kept changing while they were
 * read.
 */
int kprobe_profile_read(int tracefs, const char *group, struct kprobe_profile *ret_profile);

/*
 * Reads the list of functions that cannot be probed, from debugfs. @root as for tracefs_find().
 * Returns 0 or a negative errno, for example if debugfs is not mounted or not readable.
 */
int kprobe_blacklist_read(const char *root, struct strbuf *list);
/* Returns whether the @list of kprobe_blacklist_read() contains the function @name. */
bool kprobe_blacklist_has(const struct strbuf *list, const char *name);

#endif
