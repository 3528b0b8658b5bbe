/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names for the numbers of enums in events that are probes. The kernel shows numbers only; in the format that goes into
 * a recording they are put as the kernel's own events have theirs, with __print_symbolic(), which
 * all that read such files understand. The numbers in the data, and so filters, stay as they are.
 */
#ifndef FATHOM_RECORD_FILE_ENUM_NAMES_H
#define FATHOM_RECORD_FILE_ENUM_NAMES_H

#include "base/strbuf.h"

/*
 * Puts the names into the format of @event, "SYSTEM:EVENT". @enums has a line
 * "SYSTEM:EVENT FIELD NUMBER NAME" for each, those of a field together. 0 or -ENOMEM.
 */
int enum_names_put(const char *enums, const char *event, struct strbuf *format);

#endif
