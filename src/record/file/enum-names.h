/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names for the numbers of enums in probe events. The kernel shows numbers only. In the format that
 * is written to a recording, such a field uses __print_symbolic(), as the kernel's own events do,
 * which every reader of such files understands. The numbers in the data, and thus filters, are
 * unchanged.
 */
#ifndef FATHOM_RECORD_FILE_ENUM_NAMES_H
#define FATHOM_RECORD_FILE_ENUM_NAMES_H

#include "base/strbuf.h"

/*
 * Adds the names to the format of @event, "SYSTEM:EVENT". @enums has a line "SYSTEM:EVENT FIELD
 * NUMBER NAME" for each name; those of a field are adjacent. Fields that are not printed as by the
 * kernel are left alone. Returns 0 or -ENOMEM.
 */
int enum_names_put(const char *enums, const char *event, struct strbuf *format);

#endif
