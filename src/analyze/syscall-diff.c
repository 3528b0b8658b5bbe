/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscall-diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"

static const struct syscall_sums nothing;

int64_t syscall_change_time(const struct syscall_change *change)
{
	return (int64_t)(syscall_sums_time(change->after) - syscall_sums_time(change->before));
}

const char *syscall_change_name(const struct syscall_change *change)
{
	return change->before->name ?: change->after->name;
}

/* Kernels of different machines number them differently: the number counts without a name only. */
static bool is_same(const struct syscall_sums *a, const struct syscall_sums *b)
{
	return a->name && b->name ? str_eq(a->name, b->name) : a->number == b->number;
}

static int add(struct syscall_diff *diff, const struct syscall_sums *before,
	       const struct syscall_sums *after)
{
	if (mem_reserve(&diff->list, &diff->cap, diff->n + 1, sizeof(*diff->list)) < 0)
		return -ENOMEM;
	diff->list[diff->n++] = (struct syscall_change){ before, after };
	diff->before += syscall_sums_time(before);
	diff->after += syscall_sums_time(after);
	return 0;
}

static uint64_t size_of(const struct syscall_change *change)
{
	int64_t time = syscall_change_time(change);

	return time < 0 ? -(uint64_t)time : (uint64_t)time;
}

static int compare(const void *pa, const void *pb)
{
	const struct syscall_change *a = pa, *b = pb;

	return order_falling(size_of(a), size_of(b)) ?:
		       strcmp(syscall_change_name(a) ?: "", syscall_change_name(b) ?: "");
}

static const struct syscall_sums *find(const struct syscalls *syscalls,
				       const struct syscall_sums *wanted)
{
	for (size_t i = 0; i < syscalls->n; i++)
		if (is_same(&syscalls->list[i], wanted))
			return &syscalls->list[i];
	return NULL;
}

int syscall_diff_make(const struct syscalls *before, const struct syscalls *after,
		      struct syscall_diff *ret_diff)
{
	int r = 0;

	*ret_diff = (struct syscall_diff){ 0 };
	for (size_t i = 0; i < before->n && r == 0; i++)
		r = add(ret_diff, &before->list[i], find(after, &before->list[i]) ?: &nothing);
	for (size_t i = 0; i < after->n && r == 0; i++)
		if (!find(before, &after->list[i]))
			r = add(ret_diff, &nothing, &after->list[i]);
	if (r < 0)
		syscall_diff_done(ret_diff);
	else if (ret_diff->n)
		qsort(ret_diff->list, ret_diff->n, sizeof(*ret_diff->list), compare);
	return r;
}

void syscall_diff_done(struct syscall_diff *diff)
{
	free(diff->list);
	*diff = (struct syscall_diff){ 0 };
}
