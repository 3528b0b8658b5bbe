/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which libfathom this is. */
#ifndef FATHOM_VERSION_H
#define FATHOM_VERSION_H

#include <fathom/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library that is running, such as "0.1.0". Never NULL, static. */
FATHOM_API const char *fathom_version(void);

#ifdef __cplusplus
}
#endif

#endif
