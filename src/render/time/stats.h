/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often and how long: tables of events, tasks, CPUs, functions and system calls. */
#ifndef FATHOM_RENDER_TIME_STATS_H
#define FATHOM_RENDER_TIME_STATS_H

#include "analyze/calls/call-tree.h"
#include "analyze/calls/counts.h"
#include "analyze/calls/func-times.h"
#include "analyze/syscalls/syscalls.h"
#include "read/context/tasks.h"
#include "render/kit/table.h"

/* STATS_ORDERS has a word for each, in the same order. */
#define STATS_ORDERS "auto total own count max name"
enum stats_order {
	STATS_BY_DEFAULT, /* the total where there are times, else the count */
	STATS_BY_TOTAL,
	STATS_BY_OWN,
	STATS_BY_COUNT,
	STATS_BY_MAX,
	STATS_BY_NAME,
};

struct stats_view {
	enum stats_order order;
	size_t rows; /* show so many; 0: all */
	bool with_times; /* in the text, show when the first and the last were */
	bool json, csv;
	bool raw_times; /* times are no nanoseconds: there are no rates */
	const struct tasks *tasks;
	uint64_t events; /* that were counted */
	bool has_times;
	uint64_t first, last; /* if @has_times: of all events that were read */
	uint64_t lost;
	bool lost_unknown;
};

/* Each: 0 or -ENOMEM. */
int stats_print_counts(const struct counts *counts, const struct stats_view *view, struct out *out);
/* @tree is of all calls; @times may be about fewer functions. */
int stats_print_functions(const struct call_tree *tree, const struct func_times *times,
			  const struct stats_view *view, struct out *out);
int stats_print_syscalls(const struct syscalls *syscalls, const struct stats_view *view,
			 struct out *out);

#endif
