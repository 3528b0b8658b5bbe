/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Marks symbols that the shared library exports; all others are hidden. */
#ifndef FATHOM_EXPORT_H
#define FATHOM_EXPORT_H

#if defined(__GNUC__)
#define FATHOM_API __attribute__((visibility("default")))
#else
#define FATHOM_API
#endif

#endif
