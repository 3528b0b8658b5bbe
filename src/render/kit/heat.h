/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A heat map as text: time from left to right, a row for each doubling of a duration. */
#ifndef FATHOM_RENDER_KIT_HEAT_H
#define FATHOM_RENDER_KIT_HEAT_H

#include "analyze/sums/heat.h"
#include "base/strbuf.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

/*
 * Adds the map, none when it is empty; the darkest place has the most. Columns of @heat are folded
 * until they fit the width of @out. With @raw_times, times are no nanoseconds.
 */
void heat_put(struct strbuf *buf, struct heat *heat, bool raw_times, const struct out *out);
/* Adds an object with the counts of all columns, or null. */
void heat_json(const struct heat *heat, struct json *json, const char *key);

#endif
