/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of capabilities(7). Their numbers are the same on all architectures. */
#ifndef FATHOM_BASE_CAPABILITY_NAME_H
#define FATHOM_BASE_CAPABILITY_NAME_H

/* Returns a name such as "CAP_KILL", or NULL if the number is unknown. The string is static. */
const char *capability_name(int capability);

#endif
