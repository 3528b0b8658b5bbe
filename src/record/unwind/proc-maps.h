/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps of a process in the format of trace.dat, for the names of user functions. */
#ifndef FATHOM_RECORD_UNWIND_PROC_MAPS_H
#define FATHOM_RECORD_UNWIND_PROC_MAPS_H

#include <sys/types.h>

#include "base/strbuf.h"

/*
 * Replaces @text by the current maps. If the process has exited, @text is unchanged. @root as for
 * tracefs_find(). Returns 0 or -ENOMEM.
 */
int proc_maps_read(const char *root, pid_t pid, struct strbuf *text);
/*
 * Appends "PID N EXE" and a line "START END FILE" for each of the N parts of @maps, the contents of
 * /proc/PID/maps. Errors are in @out.
 */
void proc_maps_format(pid_t pid, const char *exe, const char *maps, struct strbuf *out);

#endif
