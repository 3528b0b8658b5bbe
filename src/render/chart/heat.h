/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Renders a heat map: time from left to right, one row for each power of two of a duration. */
#ifndef FATHOM_RENDER_CHART_HEAT_H
#define FATHOM_RENDER_CHART_HEAT_H

#include "analyze/sums/heat.h"
#include "base/strbuf.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

/*
 * Appends the map, or nothing if it is empty; the darkest cell has the highest count. Folds columns
 * of @heat until it fits the width of @out. @raw_times: the times of the trace are not in
 * nanoseconds.
 */
void heat_put(struct strbuf *buf, struct heat *heat, bool raw_times, const struct out *out);
/* Appends an object with the counts of all columns, or null if the map is empty. */
void heat_json(const struct heat *heat, struct json *json, const char *key);

#endif
