/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Includes all headers of libfathom. */
#ifndef FATHOM_FATHOM_H
#define FATHOM_FATHOM_H

#include <fathom/cursor.h>
#include <fathom/err.h>
#include <fathom/features.h>
#include <fathom/trace.h>
#include <fathom/version.h>

#endif
