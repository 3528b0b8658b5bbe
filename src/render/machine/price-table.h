/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The estimated cost of each event, function and probe on this machine, in nanoseconds, as a table
 * for people and as JSON. Only an untraced system call is measured, by the caller; the other costs
 * are scaled from docs/cost.md, and the text says so.
 */
#ifndef FATHOM_RENDER_MACHINE_PRICE_TABLE_H
#define FATHOM_RENDER_MACHINE_PRICE_TABLE_H

#include <stdbool.h>

#include "record/price/probe-cost.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

struct price_table {
	double syscall_ns; /* measured duration of an untraced system call */
	bool kinds[PROBE_COST_KINDS]; /* the rows to show */
};

/* Returns 0 or -ENOMEM. */
int price_table_print(const struct price_table *prices, struct out *out);
/* Appends an object @key. If memory is exhausted, sets the error of json->buf. */
void price_table_json(const struct price_table *prices, struct json *json, const char *key);

#endif
