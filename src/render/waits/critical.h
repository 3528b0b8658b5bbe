/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders the critical path of a task as text, JSON or CSV. Times are in nanoseconds. @critical
 * must be finished; it is not modified.
 */
#ifndef FATHOM_RENDER_WAITS_CRITICAL_H
#define FATHOM_RENDER_WAITS_CRITICAL_H

#include "analyze/waits/critical.h"
#include "render/kit/out.h"

/* All return 0 or -ENOMEM. Write errors are left to out_finish(). */
int critical_print(const struct critical *critical, struct out *out);
int critical_print_json(const struct critical *critical, struct out *out);
/* A row for each segment. */
int critical_print_csv(const struct critical *critical, struct out *out);

#endif
