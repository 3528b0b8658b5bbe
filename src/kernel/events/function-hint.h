/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Suggestions for the name of a kernel function that does not exist or cannot be traced. */
#ifndef FATHOM_KERNEL_EVENTS_FUNCTION_HINT_H
#define FATHOM_KERNEL_EVENTS_FUNCTION_HINT_H

#include <stdbool.h>

#include "kernel/events/functions.h"

/*
 * Returns the function that @name probably means: its name in the running kernel, or one of similar
 * spelling. Points into @functions; NULL if nothing is similar.
 */
const char *function_hint(const struct functions *functions, const char *name);
/*
 * Returns whether kallsyms has a function @name. If the list of traceable functions lacks it, it
 * cannot be traced. Returns false if kallsyms cannot be read. @root as for tracefs_find().
 */
bool function_is_untraceable(const char *root, const char *name);

#endif
