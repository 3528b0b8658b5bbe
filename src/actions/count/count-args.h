/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of 'fathom count'. */
#ifndef FATHOM_ACTIONS_COUNT_COUNT_ARGS_H
#define FATHOM_ACTIONS_COUNT_COUNT_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "actions/report/report-args.h"
#include "count/plan.h"

/* The words for enum count_order, in the same order. */
#define COUNT_ORDERS "total count key"

struct count_args {
	struct report_args report; /* must be first */
	const char *input; /* a recording */
	const char *by, *pair, *filter, *script;
	const char *value;
	enum count_what aggregator; /* the option given last */
	unsigned n_aggregators; /* how many were given */
	bool is_latency;
	unsigned long pid;
	uint64_t every, span; /* in ns; 0: not given */
	unsigned long rows;
	bool has_rows;
	unsigned long max_keys;
	uint64_t max_memory; /* in bytes */
	unsigned order; /* enum count_order */
	bool list;
};

#endif
