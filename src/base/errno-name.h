/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Symbolic names of errors, including those that are internal to the kernel, such as ERESTARTSYS.
 */
#ifndef FATHOM_BASE_ERRNO_NAME_H
#define FATHOM_BASE_ERRNO_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns "EACCES" for 13, or NULL if the number is unknown. The string is static. */
const char *errno_name(int error);
/* Returns 13 for "EACCES", or 0 if the name is unknown. @name need not be NUL-terminated. */
int errno_number(const char *name, size_t len);
/*
 * Returns whether @error makes the kernel restart the system call or return EINTR. Programs never
 * see these errors.
 */
bool errno_is_restart(int error);

#endif
