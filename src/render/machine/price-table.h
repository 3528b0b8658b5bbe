/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What each event, function and probe costs on this machine, as a table for people and for programs. Only the time of an
 * untraced system call is measured: the prices are estimates, and the text says so.
 */
#ifndef FATHOM_RENDER_MACHINE_PRICE_TABLE_H
#define FATHOM_RENDER_MACHINE_PRICE_TABLE_H

#include <stdbool.h>

#include "record/price/probe-cost.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

struct price_table {
	double syscall_ns; /* measured */
	bool kinds[PROBE_COST_KINDS]; /* those that have a row */
};

/* 0 or -ENOMEM. */
int price_table_print(const struct price_table *prices, struct out *out);
/* Adds an object with this key. */
void price_table_json(const struct price_table *prices, struct json *json, const char *key);

#endif
