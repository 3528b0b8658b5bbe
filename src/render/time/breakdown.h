/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders the phases of one entry into the kernel (a system call, a page fault): as words below a
 * row of a table, or as JSON.
 */
#ifndef FATHOM_RENDER_TIME_BREAKDOWN_H
#define FATHOM_RENDER_TIME_BREAKDOWN_H

#include "analyze/calls/breakdown.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

/*
 * Appends the longest phases, "A 1.2 ms, B 0.3 ms", either those that are noise or the others.
 * Returns whether there were any.
 */
bool breakdown_put(const struct breakdown_entry *entry, bool noise, struct strbuf *buf);
/*
 * Prints the longest phases from column @at on, with noise on a separate line. Returns 0 or
 * -ENOMEM.
 */
int breakdown_print(const struct breakdown_entry *entry, unsigned at, struct out *out);
/* Appends an array "phases" with all of them. */
void breakdown_json(const struct breakdown_entry *entry, struct json *json);

#endif
