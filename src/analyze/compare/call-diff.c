/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/compare/call-diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"

/* A child of a node in one of the runs. */
struct laid {
	const struct func *func;
	size_t run;
	uint32_t node;
	uint32_t occurrence; /* distinguishes functions of the same name in a run */
};

static int compare_funcs(const struct func *a, const struct func *b)
{
	int r;

	/* Functions without a name are identified by address. */
	if (!a->name || !b->name) {
		if (a->name || b->name)
			return a->name ? 1 : -1;
		return a->address < b->address ? -1 : a->address > b->address;
	}
	r = strcmp(a->name, b->name);
	return r ?: strcmp(a->module ?: "", b->module ?: "");
}

static int compare_runs(const void *pa, const void *pb)
{
	const struct laid *a = pa, *b = pb;

	return compare_funcs(a->func, b->func)	     ?:
		       order_falling(b->run, a->run) ?:
						       order_falling(b->node, a->node);
}

static int compare_occurrences(const void *pa, const void *pb)
{
	const struct laid *a = pa, *b = pb;

	return compare_funcs(a->func, b->func)			   ?:
		       order_falling(b->occurrence, a->occurrence) ?:
								     order_falling(b->run, a->run);
}

static size_t n_runs(const struct call_diff *diff)
{
	return diff->n_before + diff->n_after;
}

/*
 * Lists the children of a node in all runs, with equal ones next to each other. Returns 0 or
 * -ENOMEM.
 */
static int list_children(const struct call_diff *diff, uint32_t node, struct laid **ret_list,
			 size_t *ret_n)
{
	_cleanup_free_ struct laid *list = NULL;
	size_t n = 0, cap = 0;

	for (size_t run = 0; run < n_runs(diff); run++) {
		const struct call_tree *tree = diff->runs[run];
		uint32_t place = diff->places[node * n_runs(diff) + run];
		uint32_t at = place == CALL_NONE ? CALL_NONE : tree->nodes[place].child;

		for (; at != CALL_NONE; at = tree->nodes[at].sibling) {
			if (mem_reserve(&list, &cap, n + 1, sizeof(*list)) < 0)
				return -ENOMEM;
			list[n++] = (struct laid){ .func = &tree->funcs.list[tree->nodes[at].func],
						   .run = run,
						   .node = at };
		}
	}
	if (n)
		qsort(list, n, sizeof(*list), compare_runs);
	for (size_t i = 1; i < n; i++)
		if (list[i].run == list[i - 1].run &&
		    compare_funcs(list[i].func, list[i - 1].func) == 0)
			list[i].occurrence = list[i - 1].occurrence + 1;
	if (n)
		qsort(list, n, sizeof(*list), compare_occurrences);
	*ret_list = TAKE_PTR(list);
	*ret_n = n;
	return 0;
}

static int call_diff_add(struct call_diff *diff, uint32_t parent, const struct func *func)
{
	size_t places = (diff->n + 1) * n_runs(diff);

	if (mem_reserve(&diff->nodes, &diff->cap, diff->n + 1, sizeof(*diff->nodes)) < 0 ||
	    mem_reserve(&diff->places, &diff->cap_places, places, sizeof(*diff->places)) < 0)
		return -ENOMEM;
	diff->nodes[diff->n] = (struct call_diff_node){
		.func = func, .parent = parent, .child = CALL_NONE, .sibling = CALL_NONE
	};
	for (size_t i = 0; i < n_runs(diff); i++)
		diff->places[diff->n * n_runs(diff) + i] = CALL_NONE;
	if (parent != CALL_NONE) {
		diff->nodes[diff->n].sibling = diff->nodes[parent].child;
		diff->nodes[parent].child = (uint32_t)diff->n;
	}
	diff->n++;
	return 0;
}

/* Superimposes the children of a node. */
static int call_diff_lay(struct call_diff *diff, uint32_t node)
{
	_cleanup_free_ struct laid *list = NULL;
	size_t n = 0;
	int r = list_children(diff, node, &list, &n);

	for (size_t i = 0; i < n && r == 0; i++) {
		if (i == 0 || list[i].occurrence != list[i - 1].occurrence ||
		    compare_funcs(list[i].func, list[i - 1].func) != 0)
			r = call_diff_add(diff, node, list[i].func);
		if (r == 0)
			diff->places[(diff->n - 1) * n_runs(diff) + list[i].run] = list[i].node;
	}
	return r;
}

/* Adds the sums of a run. The distribution is a copy. */
static int call_diff_sum_up(struct call_node *sum, const struct call_node *node)
{
	if (node->count && (!sum->count || node->min < sum->min))
		sum->min = node->min;
	if (node->max > sum->max)
		sum->max = node->max;
	sum->count += node->count;
	sum->cut += node->cut;
	sum->times.total += node->times.total;
	sum->times.own += node->times.own;
	sum->times.stolen += node->times.stolen;
	sum->times.asleep += node->times.asleep;
	sum->times.waiting += node->times.waiting;
	sum->results += node->results;
	sum->failed += node->failed;
	sum->outermost += node->outermost;
	return spread_merge(&sum->spread, &node->spread);
}

static int sum_runs(struct call_diff *diff)
{
	int r = 0;

	for (size_t i = 0; i < diff->n; i++)
		for (size_t run = 0; run < n_runs(diff) && r == 0; run++) {
			uint32_t place = diff->places[i * n_runs(diff) + run];

			if (place != CALL_NONE)
				r = call_diff_sum_up(run < diff->n_before ? &diff->nodes[i].before :
									    &diff->nodes[i].after,
						     &diff->runs[run]->nodes[place]);
		}
	return r;
}

static int call_diff_judge(struct call_diff *diff)
{
	size_t n = n_runs(diff);
	_cleanup_free_ struct noise_cell *cells = mem_zalloc(diff->n * n, sizeof(*cells));
	_cleanup_free_ struct time_range *ranges = mem_zalloc(n, sizeof(*ranges));
	struct noise_pace paces[2] = { 0 };

	diff->rows = mem_zalloc(diff->n, sizeof(*diff->rows));
	if (!cells || !ranges || !diff->rows)
		return -ENOMEM;
	for (size_t run = 0; run < n; run++)
		for (size_t i = 0; i < diff->runs[run]->n; i++)
			time_range_add(&ranges[run], &diff->runs[run]->nodes[i].blocks);
	for (size_t i = 1; i < diff->n; i++) {
		struct noise_cell *own = &cells[i * n];

		for (size_t run = 0; run < n; run++) {
			uint32_t place = diff->places[i * n + run];
			const struct call_node *node;

			if (place == CALL_NONE)
				continue;
			node = &diff->runs[run]->nodes[place];
			own[run] = (struct noise_cell){ .calls = node->count,
							.outermost = node->outermost,
							.time = time_blocks_average(&node->blocks,
										    &ranges[run]) };
		}
	}
	for (size_t run = 0; run < n; run++) {
		const struct call_tree *tree = diff->runs[run];

		*(run < diff->n_before ? &paces[0].before : &paces[0].after) += tree->switches;
		*(run < diff->n_before ? &paces[1].before : &paces[1].after) += tree->interrupts;
	}
	return noise_judge(cells + n, diff->n_before, diff->n_after, paces, 2, diff->rows + 1,
			   diff->n - 1, &diff->noise);
}

int call_diff_make(const struct call_tree *const *before, size_t n_before,
		   const struct call_tree *const *after, size_t n_after, struct call_diff *ret_diff)
{
	int r = -ENOMEM;

	*ret_diff = (struct call_diff){ .n_before = n_before, .n_after = n_after };
	ret_diff->runs = mem_zalloc(n_before + n_after, sizeof(void *));
	if (ret_diff->runs) {
		for (size_t i = 0; i < n_before; i++)
			ret_diff->runs[i] = before[i];
		for (size_t i = 0; i < n_after; i++)
			ret_diff->runs[n_before + i] = after[i];
		r = call_diff_add(ret_diff, CALL_NONE, NULL);
	}
	for (size_t i = 0; i < n_before + n_after && r == 0; i++)
		ret_diff->places[i] = CALL_ROOT;
	/* The list grows while it is processed, so that all nodes are visited. */
	for (uint32_t i = 0; r == 0 && i < ret_diff->n; i++)
		r = call_diff_lay(ret_diff, i);
	r = r ?: sum_runs(ret_diff);
	r = r ?: call_diff_judge(ret_diff);
	if (r < 0)
		call_diff_done(ret_diff);
	return r;
}

void call_diff_done(struct call_diff *diff)
{
	for (size_t i = 0; i < diff->n; i++) {
		spread_done(&diff->nodes[i].before.spread);
		spread_done(&diff->nodes[i].after.spread);
	}
	free(diff->runs);
	free(diff->nodes);
	free(diff->places);
	free(diff->rows);
	*diff = (struct call_diff){ 0 };
}

const struct call_node *call_diff_before(const struct call_diff *diff, uint32_t node)
{
	return &diff->nodes[node].before;
}

const struct call_node *call_diff_after(const struct call_diff *diff, uint32_t node)
{
	return &diff->nodes[node].after;
}

const struct func *call_diff_func(const struct call_diff *diff, uint32_t node)
{
	return diff->nodes[node].func;
}

int64_t call_diff_change(const struct call_diff *diff, uint32_t node)
{
	return (int64_t)(call_diff_after(diff, node)->times.total / diff->n_after -
			 call_diff_before(diff, node)->times.total / diff->n_before);
}

uint64_t call_diff_time(const struct call_diff *diff, bool after)
{
	uint64_t time = 0;

	for (uint32_t at = diff->nodes[CALL_ROOT].child; at != CALL_NONE;
	     at = diff->nodes[at].sibling)
		time += (after ? &diff->nodes[at].after : &diff->nodes[at].before)->times.total;
	return time / (after ? diff->n_after : diff->n_before);
}
