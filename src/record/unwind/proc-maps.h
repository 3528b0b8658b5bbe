/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which files a process has mapped where, as trace.dat keeps it for the names of user functions. */
#ifndef FATHOM_RECORD_UNWIND_PROC_MAPS_H
#define FATHOM_RECORD_UNWIND_PROC_MAPS_H

#include <sys/types.h>

#include "base/strbuf.h"

/* Replaces @text by what is mapped now. A process that has ended leaves it as it is. 0 or -ENOMEM. */
int proc_maps_read(const char *root, pid_t pid, struct strbuf *text);
/* Appends "PID N EXE" and a line "START END FILE" for each of the N parts of @maps, a file of /proc. */
void proc_maps_format(pid_t pid, const char *exe, const char *maps, struct strbuf *out);

#endif
