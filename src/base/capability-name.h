/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of capabilities(7): numbers of the kernel that are the same everywhere. */
#ifndef FATHOM_BASE_CAPABILITY_NAME_H
#define FATHOM_BASE_CAPABILITY_NAME_H

/* "CAP_KILL"; NULL: there is none of this number. */
const char *capability_name(int capability);

#endif
