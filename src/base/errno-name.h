/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors by name, also those that only the kernel itself knows. */
#ifndef FATHOM_BASE_ERRNO_NAME_H
#define FATHOM_BASE_ERRNO_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* "EACCES" for 13; NULL: there is no such error. */
const char *errno_name(int error);
/* 13 for "EACCES"; 0: there is no such error. */
int errno_number(const char *name, size_t len);
/* The kernel makes the call again, or says EINTR: a program never sees these. */
bool errno_is_restart(int error);

#endif
