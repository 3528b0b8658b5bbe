/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making and removing tracing instances, which are directories below instances/. */
#ifndef FATHOM_KERNEL_TRACEFS_INSTANCE_DIR_H
#define FATHOM_KERNEL_TRACEFS_INSTANCE_DIR_H

#include <stdbool.h>

/* One part of a path, of the length and the letters that a directory may have. */
bool instance_name_is_valid(const char *name);

/* 0, -EEXIST, or another negative errno. */
int instance_dir_make(int tracefs, const char *name);
/* Opens it; the caller closes. */
int instance_dir_open(int tracefs, const char *name);
/*
 * Removes it with all that is set in it; 0 too when it is not there. While
 * somebody holds one of its files open the kernel says -EBUSY: then the instance
 * is switched off, and tried again for @wait_ms.
 */
int instance_dir_remove(int tracefs, const char *name, unsigned wait_ms);

#endif
