/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls as a table, JSON or CSV; those that took longest come first. */
#ifndef FATHOM_RENDER_COMMAND_SYSCALLS_H
#define FATHOM_RENDER_COMMAND_SYSCALLS_H

#include "analyze/calls/breakdown.h"
#include "analyze/syscalls/syscalls.h"
#include "base/strbuf.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

/* SYSCALLS_ORDERS has a word for each, in the same order. */
#define SYSCALLS_ORDERS "total count errors max name"
enum syscalls_order {
	SYSCALLS_BY_TOTAL,
	SYSCALLS_BY_COUNT,
	SYSCALLS_BY_ERRORS,
	SYSCALLS_BY_MAX,
	SYSCALLS_BY_NAME,
};

struct syscalls_view {
	struct syscalls *syscalls; /* is sorted */
	enum syscalls_order order;
	const struct breakdown *breakdown; /* NULL: not known, or not wanted */
	size_t details; /* it is shown for so many calls */
};

/* 0 or -ENOMEM. */
int syscalls_print(const struct syscalls_view *view, struct out *out);
int syscalls_print_json(const struct syscalls_view *view, struct out *out);
int syscalls_print_csv(const struct syscalls_view *view, struct out *out);

/* Adds the numbers of a call to an object. */
void syscalls_json_sums(struct json *json, const struct syscall_sums *sums);
/* "  (1 running at the start, 2 did not return)": calls that are not whole, if there are some. */
void syscalls_put_notes(struct strbuf *buf, const struct syscall_sums *sums);
/* A column of a table: how long tasks slept in the calls; "?" where that is not known. */
void syscalls_put_asleep(struct strbuf *buf, const struct syscall_sums *sums);
/* The same: a time, which may be less than is known: "<59 ns". */
void syscalls_put_time(struct strbuf *buf, uint64_t ns, bool is_below);
/* A line below the table, if the cost of tracing is taken off in it. */
#define SYSCALLS_UNTRACED_NOTE "approximate times without tracing; --raw shows the measured ones"
/* "ENOENT", or "error 512" for those that programs never see; "others" for 0. */
void syscalls_put_error(struct strbuf *buf, int64_t code);

#endif
