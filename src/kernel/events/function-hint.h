/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding the function that was meant by a name that this kernel does not have. */
#ifndef FATHOM_KERNEL_EVENTS_FUNCTION_HINT_H
#define FATHOM_KERNEL_EVENTS_FUNCTION_HINT_H

#include "kernel/events/functions.h"

/*
 * What @name is called in this kernel, or what is spelled nearly so: one of @functions,
 * or NULL when nothing is near.
 */
const char *function_hint(const struct functions *functions, const char *name);
/* Does the kernel have it, though it cannot be traced? @root is "" but in tests. */
bool function_is_untraceable(const char *root, const char *name);

#endif
