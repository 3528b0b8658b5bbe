/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of the critical path: looking back from the end of a wait. */
#ifndef FATHOM_ANALYZE_WAITS_CRITICAL_WALK_H
#define FATHOM_ANALYZE_WAITS_CRITICAL_WALK_H

#include "analyze/waits/critical.h"

/* Adds the path of the task from where it ends to now, and goes on from there. */
void critical_walk(struct critical *critical, uint32_t task);
/* Where in its code the task is. */
uint32_t critical_place(const struct critical *critical, uint32_t task, int64_t syscall);

#endif
