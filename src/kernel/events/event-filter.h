/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks a kernel event filter before the kernel sees it, for a better message: the syntax, and
 * whether the event has the fields. Field types and values are left to the kernel, so a filter that
 * passes may still be rejected.
 */
#ifndef FATHOM_KERNEL_EVENTS_EVENT_FILTER_H
#define FATHOM_KERNEL_EVENTS_EVENT_FILTER_H

#include "kernel/events/events.h"

/* Returns 0, or -EINVAL with the reason. @filter may be "0", which clears a filter. */
int event_filter_check(const char *filter, const struct event_layout *layout,
		       struct fathom_err *err);

#endif
