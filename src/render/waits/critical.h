/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The critical path of a task as text, JSON or CSV. */
#ifndef FATHOM_RENDER_WAITS_CRITICAL_H
#define FATHOM_RENDER_WAITS_CRITICAL_H

#include "analyze/waits/critical.h"
#include "render/kit/out.h"

/* 0 or -ENOMEM. */
int critical_print(const struct critical *critical, struct out *out);
int critical_print_json(const struct critical *critical, struct out *out);
/* A row for each segment. */
int critical_print_csv(const struct critical *critical, struct out *out);

#endif
