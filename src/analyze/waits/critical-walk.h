/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walks back from the end of a wait. Private to the critical path (critical.c). Memory errors set
 * @nomem of struct critical.
 */
#ifndef FATHOM_ANALYZE_WAITS_CRITICAL_WALK_H
#define FATHOM_ANALYZE_WAITS_CRITICAL_WALK_H

#include "analyze/waits/critical.h"

/* Adds the path of the task from the end of the path to now. */
void critical_walk(struct critical *critical, uint32_t task);
/* Returns the current place of the task in its code; see PLACE_FUNC. */
uint32_t critical_place(const struct critical *critical, uint32_t task, int64_t syscall);

#endif
