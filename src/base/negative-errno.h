/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The error of the system or library call that has just failed. */
#ifndef FATHOM_BASE_NEGATIVE_ERRNO_H
#define FATHOM_BASE_NEGATIVE_ERRNO_H

#include <errno.h>

/*
 * Returns -errno, or -EIO if errno is not positive, so that a failure is never reported as success.
 * This also tells compilers and static analyzers that the result is negative.
 */
static inline int negative_errno(void)
{
	int code = -errno;

	return code < 0 ? code : -EIO;
}

#endif
