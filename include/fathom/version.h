/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The version of libfathom. */
#ifndef FATHOM_VERSION_H
#define FATHOM_VERSION_H

#include <fathom/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the version of the library in use, such as "0.1.0". The string is static. */
FATHOM_API const char *fathom_version(void);

#ifdef __cplusplus
}
#endif

#endif
