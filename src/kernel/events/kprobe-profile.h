/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How often the kernel's probes were hit, how often it has missed a hit, and which functions it does
 * not let be probed.
 */
#ifndef FATHOM_KERNEL_EVENTS_KPROBE_PROFILE_H
#define FATHOM_KERNEL_EVENTS_KPROBE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

struct kprobe_profile {
	size_t n; /* probes */
	uint64_t entries, returns; /* hits of those at entries and at returns */
	uint64_t missed;
};

/*
 * Of the probes whose events are in @group, below the tracefs directory @tracefs. 0 or a negative
 * errno: -EAGAIN when probes came and went meanwhile.
 */
int kprobe_profile_read(int tracefs, const char *group, struct kprobe_profile *ret_profile);

/*
 * Reads the list of functions that cannot be probed, which is in debugfs; @root as for
 * tracefs_find(). 0 or a negative errno: it may not be there, or not be ours to read.
 */
int kprobe_blacklist_read(const char *root, struct strbuf *list);
bool kprobe_blacklist_has(const struct strbuf *list, const char *name);

#endif
