/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of how often events, tasks, CPUs, functions and system calls occurred and how long they
 * took, as text, JSON or CSV. Times are in nanoseconds.
 */
#ifndef FATHOM_RENDER_TIME_STATS_H
#define FATHOM_RENDER_TIME_STATS_H

#include "analyze/calls/call-tree.h"
#include "analyze/calls/counts.h"
#include "analyze/calls/func-times.h"
#include "analyze/syscalls/syscalls.h"
#include "read/context/tasks.h"
#include "render/kit/out.h"

/* The words for enum stats_order, in the same order. */
#define STATS_ORDERS "auto total self count max name"
enum stats_order {
	STATS_BY_DEFAULT, /* the total if there are times, otherwise the count */
	STATS_BY_TOTAL,
	STATS_BY_OWN,
	STATS_BY_COUNT,
	STATS_BY_MAX,
	STATS_BY_NAME,
};

struct stats_view {
	enum stats_order order;
	size_t rows; /* number of rows to show; 0: all */
	bool with_times; /* in the text, show the first and the last time */
	bool json, csv;
	bool raw_times; /* timestamps are not in nanoseconds: there are no rates */
	const struct tasks *tasks;
	uint64_t events; /* number of counted events */
	bool has_times;
	uint64_t first, last; /* if @has_times: times of the first and last event read */
	uint64_t lost;
	bool lost_unknown;
};

/* All return 0 or -ENOMEM. Write errors are left to out_finish(). */
int stats_print_counts(const struct counts *counts, const struct stats_view *view, struct out *out);
/* @tree has all calls; @times may have fewer functions. */
int stats_print_functions(const struct call_tree *tree, const struct func_times *times,
			  const struct stats_view *view, struct out *out);
int stats_print_syscalls(const struct syscalls *syscalls, const struct stats_view *view,
			 struct out *out);

#endif
