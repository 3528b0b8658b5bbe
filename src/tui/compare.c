/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/compare.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/command/diff.h"

#define MEDIAN 500
/* Limits the depth to which recursive functions are opened. */
#define LEVELS_MAX 200

static int compare_add(struct compare *compare, const struct compare_line *line)
{
	if (mem_reserve(&compare->lines, &compare->cap, compare->n + 1, sizeof(*compare->lines)) <
	    0)
		return -ENOMEM;
	compare->lines[compare->n++] = *line;
	return 0;
}

/* Adds the lines below a node, as far as they are open. */
static int compare_add_calls(struct compare *compare, enum compare_part part, uint32_t node,
			     unsigned level)
{
	const struct call_diff *diff = &compare->calls[part];
	_cleanup_free_ uint32_t *list = NULL;
	int n = diff_children(diff, node, &list), r = n < 0 ? n : 0;

	for (int i = 0; i < n && r == 0; i++) {
		bool inside = diff->nodes[list[i]].child != CALL_NONE && level < LEVELS_MAX;
		bool open = inside && part == COMPARE_TREE && compare->open_nodes[list[i]];

		r = compare_add(compare, &(struct compare_line){ .part = part,
								 .at = list[i],
								 .level = level,
								 .has_inside = inside,
								 .open = open });
		if (r == 0 && open)
			r = compare_add_calls(compare, part, list[i], level + 1);
	}
	return r;
}

static int compare_add_part(struct compare *compare, enum compare_part part)
{
	struct compare_line head = {
		.part = part, .is_head = true, .has_inside = true, .open = compare->open[part]
	};
	int r = compare_add(compare, &head);

	if (r < 0 || !head.open)
		return r;
	if (part != COMPARE_SYSCALLS)
		return compare_add_calls(compare, part, CALL_ROOT, 1);
	for (size_t i = 0; i < compare->syscalls.n && r == 0; i++)
		r = compare_add(compare, &(struct compare_line){
						 .part = part, .at = (uint32_t)i, .level = 1 });
	return r;
}

static int list(struct compare *compare)
{
	int r = 0;

	compare->n = 0;
	for (unsigned i = 0; i < COMPARE_PARTS && r == 0; i++)
		if (compare->has[i])
			r = compare_add_part(compare, i);
	return r;
}

/* Opens the branch with most of the change, down to where it splits. */
static void open_branch(struct compare *compare)
{
	const struct call_diff *diff = &compare->calls[COMPARE_TREE];
	int64_t change = (int64_t)(call_diff_time(diff, true) - call_diff_time(diff, false));

	for (uint32_t node = CALL_ROOT; node != CALL_NONE && change;) {
		compare->open_nodes[node] = true;
		node = diff_main_child(diff, node, change);
		if (node != CALL_NONE)
			change = call_diff_change(diff, node);
	}
}

static int compare_make_calls(struct compare *compare, const struct compare_input *before,
			      const struct compare_input *after)
{
	int r = call_diff_make(&before->tree, 1, &after->tree, 1, &compare->calls[COMPARE_TREE]);

	if (r == 0)
		r = call_diff_make(&before->flat, 1, &after->flat, 1,
				   &compare->calls[COMPARE_FUNCTIONS]);
	if (r < 0)
		return r;
	compare->open_nodes = mem_zalloc(compare->calls[COMPARE_TREE].n, sizeof(bool));
	if (!compare->open_nodes)
		return -ENOMEM;
	open_branch(compare);
	compare->has[COMPARE_TREE] = compare->has[COMPARE_FUNCTIONS] = true;
	return 0;
}

int compare_make(struct compare *compare, const struct compare_input *before,
		 const struct compare_input *after)
{
	int r = 0;

	compare_done(compare);
	for (unsigned i = 0; i < COMPARE_PARTS; i++)
		compare->open[i] = true;
	if (before->syscalls->n && after->syscalls->n) {
		r = syscall_diff_make(&before->syscalls, 1, &after->syscalls, 1,
				      &compare->syscalls);
		compare->has[COMPARE_SYSCALLS] = r == 0;
	}
	if (r == 0 && before->tree && after->tree)
		r = compare_make_calls(compare, before, after);
	if (r == 0)
		r = list(compare);
	if (r < 0)
		compare_done(compare);
	return r;
}

void compare_done(struct compare *compare)
{
	syscall_diff_done(&compare->syscalls);
	for (unsigned i = 0; i < COMPARE_PARTS; i++)
		call_diff_done(&compare->calls[i]);
	free(compare->open_nodes);
	free(compare->lines);
	*compare = (struct compare){ 0 };
}

int compare_turn(struct compare *compare, size_t number, bool open)
{
	const struct compare_line *line = &compare->lines[number];

	if (!line->has_inside || line->open == open)
		return 0;
	if (line->is_head)
		compare->open[line->part] = open;
	else
		compare->open_nodes[line->at] = open;
	return list(compare);
}

size_t compare_parent(const struct compare *compare, size_t line)
{
	for (size_t i = line; i-- > 0;)
		if (compare->lines[i].level < compare->lines[line].level)
			return i;
	return line;
}

static struct compare_sums sums_of_syscall(const struct syscall_sums *sums)
{
	return (struct compare_sums){
		.count = sums->count + sums->ended_in,
		.total = syscall_sums_time(sums),
		.median = spread_quantile_within(&sums->spread, MEDIAN, sums->min, sums->max),
		.max = sums->max,
		.failed = sums->failed,
		.missing = !sums->count && !sums->cut && !sums->ended_in && !sums->no_exit
	};
}

static struct compare_sums sums_of_call(const struct call_node *node)
{
	return (struct compare_sums){ .count = node->count,
				      .total = node->times.total,
				      .median = spread_quantile_within(&node->spread, MEDIAN,
								       node->min, node->max),
				      .max = node->max,
				      .failed = node->failed,
				      .missing = !node->count && !node->cut };
}

static void values_of_head(const struct compare *compare, enum compare_part part,
			   struct compare_values *values)
{
	values->verdict = "";
	values->has_time = part != COMPARE_FUNCTIONS;
	if (part == COMPARE_SYSCALLS) {
		values->before.total = compare->syscalls.before;
		values->after.total = compare->syscalls.after;
	} else if (part == COMPARE_TREE) {
		values->before.total = call_diff_time(&compare->calls[part], false);
		values->after.total = call_diff_time(&compare->calls[part], true);
	}
	values->change = (int64_t)(values->after.total - values->before.total);
}

void compare_values(const struct compare *compare, const struct compare_line *line,
		    struct compare_values *ret_values)
{
	*ret_values = (struct compare_values){ .has_time = true };
	if (line->is_head) {
		values_of_head(compare, line->part, ret_values);
		return;
	}
	if (line->part == COMPARE_SYSCALLS) {
		const struct syscall_change *change = &compare->syscalls.list[line->at];

		ret_values->change = syscall_change_time(&compare->syscalls, change);
		ret_values->before = sums_of_syscall(&change->before);
		ret_values->after = sums_of_syscall(&change->after);
		ret_values->verdict = syscall_diff_verdict(change);
	} else {
		const struct call_diff *diff = &compare->calls[line->part];

		ret_values->change = call_diff_change(diff, line->at);
		ret_values->before = sums_of_call(call_diff_before(diff, line->at));
		ret_values->after = sums_of_call(call_diff_after(diff, line->at));
		ret_values->verdict = diff_verdict(diff, line->at);
	}
	ret_values->few = ret_values->before.count < NOISE_CALLS_LEAST ||
			  ret_values->after.count < NOISE_CALLS_LEAST;
}

void compare_put_name(const struct compare *compare, const struct compare_line *line,
		      struct strbuf *buf)
{
	static const char *const heads[] = { [COMPARE_SYSCALLS] = "system calls",
					     [COMPARE_TREE] = "calls by caller",
					     [COMPARE_FUNCTIONS] = "functions" };

	if (line->is_head)
		strbuf_adds(buf, heads[line->part]);
	else if (line->part == COMPARE_SYSCALLS)
		syscall_diff_put_name(&compare->syscalls.list[line->at], buf);
	else
		func_put_name(call_diff_func(&compare->calls[line->part], line->at), buf);
}
