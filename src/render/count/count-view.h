/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of counting, as text, JSON or CSV. */
#ifndef FATHOM_RENDER_COUNT_COUNT_VIEW_H
#define FATHOM_RENDER_COUNT_COUNT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/count/count-table.h"
#include "count/plan.h"
#include "render/kit/out.h"

/* Names of addresses and stacks. They are untrusted. */
struct count_names {
	void *data;
	/* Returns the function that contains @address, and its start, or NULL. */
	const char *(*function)(void *data, uint64_t address, uint64_t *ret_start);
	/* Stores up to @max addresses of the stack @id, innermost first. Returns their number. */
	size_t (*stack)(void *data, int64_t id, uint64_t *addresses, size_t max);
	/* Returns the name of frame @i of the stack @id, or NULL. */
	const char *(*frame)(void *data, int64_t id, size_t i, uint64_t address);
};

struct count_view {
	const struct count_plan *plan;
	const struct count_columns *columns;
	const struct count_site *sites;
	size_t n_sites;
	const struct count_table *table; /* sorted */
	const struct count_table *before; /* an earlier state of the table, for rates; or NULL */
	const struct count_names *names;
	const char *what; /* the sources, as written */
	const char *reading; /* how to read the result; NULL: not said */
	uint64_t span; /* for which events were counted, in ns; 0: unknown */
	uint64_t interval; /* since @before, in ns */
	size_t rows; /* at most; 0: all */
	bool raw_times; /* of a clock whose unit is unknown */
	bool is_live; /* in the running kernel */
	bool is_total; /* counting has ended */
};

/* These return 0 or -ENOMEM. */
int count_print(const struct count_view *view, struct out *out);
/* @pretty: a document of many lines; otherwise, it is a single line. */
int count_print_json(const struct count_view *view, bool pretty, struct out *out);
int count_print_csv(const struct count_view *view, struct out *out);

#endif
