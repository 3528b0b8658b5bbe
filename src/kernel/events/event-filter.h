/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What can be said of a filter for the kernel before the kernel is asked: its form, and whether the fields that it names
 * are those of the event. What it is compared with is not checked.
 */
#ifndef FATHOM_KERNEL_EVENTS_EVENT_FILTER_H
#define FATHOM_KERNEL_EVENTS_EVENT_FILTER_H

#include "kernel/events/events.h"

/* 0, or -EINVAL with the reason. */
int event_filter_check(const char *filter, const struct event_layout *layout,
		       struct fathom_err *err);

#endif
