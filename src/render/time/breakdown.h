/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel did on one way into it, by phases: words below a row of a table, or JSON. */
#ifndef FATHOM_RENDER_TIME_BREAKDOWN_H
#define FATHOM_RENDER_TIME_BREAKDOWN_H

#include "analyze/calls/breakdown.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

/* "A 1.2 ms, B 0.3 ms", as many as are worth it. Returns whether there were any. */
bool breakdown_put(const struct breakdown_entry *entry, bool noise, struct strbuf *buf);
/* The longest ones from column @at on, noise in a line of its own. 0 or -ENOMEM. */
int breakdown_print(const struct breakdown_entry *entry, unsigned at, struct out *out);
/* All of them, as an array "phases". */
void breakdown_json(const struct breakdown_entry *entry, struct json *json);

#endif
