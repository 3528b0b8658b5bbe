/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders the sums of system calls as a table, JSON or CSV; by default, those with the longest
 * total time come first. Times are in nanoseconds. All outputs sort the list of @syscalls, after
 * which no events may be added to it.
 */
#ifndef FATHOM_RENDER_COMMAND_SYSCALLS_H
#define FATHOM_RENDER_COMMAND_SYSCALLS_H

#include "analyze/calls/breakdown.h"
#include "analyze/syscalls/syscalls.h"
#include "base/strbuf.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

/* The words for enum syscalls_order, in the same order. */
#define SYSCALLS_ORDERS "total count errors max name"
enum syscalls_order {
	SYSCALLS_BY_TOTAL,
	SYSCALLS_BY_COUNT,
	SYSCALLS_BY_ERRORS,
	SYSCALLS_BY_MAX,
	SYSCALLS_BY_NAME,
};

struct syscalls_view {
	struct syscalls *syscalls; /* gets sorted */
	enum syscalls_order order;
	const struct breakdown *breakdown; /* NULL: unknown or not to be shown */
	size_t details; /* the number of calls for which it is shown */
};

/* All return 0 or -ENOMEM. Write errors are left to out_finish(). */
int syscalls_print(const struct syscalls_view *view, struct out *out);
int syscalls_print_json(const struct syscalls_view *view, struct out *out);
int syscalls_print_csv(const struct syscalls_view *view, struct out *out);

/* Appends the numbers of a call to the open object. */
void syscalls_json_sums(struct json *json, const struct syscall_sums *sums);
/*
 * Appends a note about calls that are incomplete or did not return, if there are any: "  (2 did not
 * return, 1 began before)".
 */
void syscalls_put_notes(struct strbuf *buf, const struct syscall_sums *sums);
/* Appends a column: the off-CPU time in the calls, or "?" if that is unknown. */
void syscalls_put_off_cpu(struct strbuf *buf, const struct syscall_sums *sums);
/* Appends a column: a time, or an upper limit of it, "<59 ns". */
void syscalls_put_time(struct strbuf *buf, uint64_t ns, bool is_below);
/* Appends two columns: the median and maximum duration; "-" for calls that do not return. */
void syscalls_put_typical(struct strbuf *buf, const struct syscall_sums *sums);
/* Printed below a table with the cost of tracing subtracted. */
#define SYSCALLS_UNTRACED_NOTE "approximate times without tracing; --raw shows the measured ones"
/* Appends "ENOENT", "error 512" for an error that programs never see, or "others" for 0. */
void syscalls_put_error(struct strbuf *buf, int64_t code);

#endif
