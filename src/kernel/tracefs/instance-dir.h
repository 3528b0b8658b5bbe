/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Creates and removes tracing instances, which are directories below instances/. @tracefs is a
 * descriptor of the tracefs directory. Functions return 0 or a negative errno, -EINVAL for an
 * invalid name.
 */
#ifndef FATHOM_KERNEL_TRACEFS_INSTANCE_DIR_H
#define FATHOM_KERNEL_TRACEFS_INSTANCE_DIR_H

#include <stdbool.h>

/* Returns whether @name is a single component of a path that does not start with a dot. */
bool instance_name_is_valid(const char *name);

/* Returns -EEXIST if the instance exists. */
int instance_dir_make(int tracefs, const char *name);
/* Returns a descriptor, to be closed by the caller, or a negative errno. */
int instance_dir_open(int tracefs, const char *name);
/*
 * Removes an instance with all its settings. Returns 0 if it does not exist. The kernel refuses
 * while a process has one of its files open: then the instance is turned off, and removing it is
 * retried for @wait_ms before -EBUSY is returned.
 */
int instance_dir_remove(int tracefs, const char *name, unsigned wait_ms);

#endif
