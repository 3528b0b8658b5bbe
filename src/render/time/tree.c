/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/time/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/quote.h"
#include "render/kit/amount.h"
#include "render/kit/duration.h"
#include "render/kit/fit.h"
#include "render/kit/result.h"

#define MEDIAN	  500
#define COUNT_MAX 9999999

uint64_t tree_time(const struct call_tree *tree)
{
	uint64_t time = 0;

	for (uint32_t at = tree->nodes[CALL_ROOT].child; at != CALL_NONE;
	     at = tree->nodes[at].sibling)
		time += tree->nodes[at].times.total + tree->nodes[at].cut_inner.total;
	return time;
}

void tree_put_name(const struct call_tree *tree, uint32_t func, struct strbuf *buf)
{
	func_put_name(&tree->funcs.list[func], buf);
}

void tree_put_errors(const struct call_node *node, struct strbuf *buf)
{
	char text[RESULT_SIZE];

	for (size_t i = 0; node->errors && i < node->errors->n; i++) {
		const struct error_count *error = &node->errors->list[i];

		strbuf_adds(buf, i ? ", " : "  = ");
		quote_addf(buf, "%s x %" PRIu64,
			   error->code ? result_text(-error->code, text) : "others", error->count);
	}
}

struct sorting {
	const struct call_tree *tree;
	enum tree_order order;
};

static int tree_compare_names(const struct call_tree *tree, uint32_t a, uint32_t b)
{
	const char *p = tree->funcs.list[a].name, *q = tree->funcs.list[b].name;
	int r = strcmp(p ?: "", q ?: "");

	if (!r)
		r = strcmp(tree->funcs.list[a].module ?: "", tree->funcs.list[b].module ?: "");
	return r ?: order_falling(tree->funcs.list[b].address, tree->funcs.list[a].address);
}

static uint64_t seen_time(const struct call_node *node)
{
	return node->times.total + node->cut_inner.total;
}

/* Names break ties, so that the order is deterministic. */
static int tree_compare(const void *pa, const void *pb, void *arg)
{
	const struct sorting *sorting = arg;
	const struct call_node *a = &sorting->tree->nodes[*(const uint32_t *)pa];
	const struct call_node *b = &sorting->tree->nodes[*(const uint32_t *)pb];
	int r = 0;

	switch (sorting->order) {
	case TREE_BY_OWN:
		r = order_falling(a->times.own, b->times.own);
		break;
	case TREE_BY_COUNT:
		r = order_falling(a->count, b->count);
		break;
	case TREE_BY_MAX:
		r = order_falling(a->max, b->max);
		break;
	case TREE_BY_NAME:
		r = tree_compare_names(sorting->tree, a->func, b->func);
		break;
	case TREE_BY_TOTAL:
		break;
	}
	r = r ?: order_falling(seen_time(a), seen_time(b));
	r = r ?: order_falling(a->times.total, b->times.total);
	r = r ?: order_falling(a->count, b->count);
	return r ?: tree_compare_names(sorting->tree, a->func, b->func);
}

/* Returns whether nothing is counted here or below, because calls were moved away. */
static bool tree_is_empty(const struct call_node *node)
{
	return !node->count && !node->cut && node->child == CALL_NONE;
}

int tree_children(const struct call_tree *tree, uint32_t node, const struct tree_options *options,
		  uint32_t **ret_list, struct call_node *ret_folded, size_t *ret_n_folded)
{
	uint64_t time = options->time ?: tree_time(tree);
	uint64_t least =
		time / 1000 * options->min_permille + time % 1000 * options->min_permille / 1000;
	struct sorting sorting = { tree, options->order };
	_cleanup_free_ uint32_t *list = NULL;
	size_t n = 0, cap = 0, shown = 0;

	for (uint32_t at = tree->nodes[node].child; at != CALL_NONE; at = tree->nodes[at].sibling) {
		if (tree_is_empty(&tree->nodes[at]))
			continue;
		if (mem_reserve(&list, &cap, n + 1, sizeof(*list)) < 0)
			return -ENOMEM;
		list[n++] = at;
	}
	if (n)
		qsort_r(list, n, sizeof(*list), tree_compare, &sorting);
	*ret_folded = (struct call_node){ .func = FUNC_NONE };
	*ret_n_folded = 0;
	for (size_t i = 0; i < n; i++) {
		const struct call_node *from = &tree->nodes[list[i]];

		if (seen_time(from) >= least && (!options->rows || shown < options->rows)) {
			list[shown++] = list[i];
			continue;
		}
		++*ret_n_folded;
		ret_folded->count += from->count;
		ret_folded->cut += from->cut;
		call_times_add(&ret_folded->times, &from->times);
		ret_folded->max = from->max > ret_folded->max ? from->max : ret_folded->max;
	}
	*ret_list = TAKE_PTR(list);
	return (int)shown;
}

struct printing {
	const struct call_tree *tree;
	const struct tree_options *options;
	struct out *out;
	uint64_t time;
	bool with_off, with_stolen; /* there is such time */
	struct fit fit;
	struct strbuf line;
	bool nomem;
};

static void tree_put_count(struct printing *p, uint64_t count)
{
	if (count <= COUNT_MAX)
		quote_addf(&p->line, " %8" PRIu64, count);
	else
		quote_addf(&p->line, " %7.3gM", (double)count / 1e6);
}

static void tree_put_numbers(struct printing *p, const struct call_node *node, bool with_median)
{
	uint64_t permille =
		p->time ? (uint64_t)((double)node->times.total * 1000 / (double)p->time + 0.5) : 0;

	if (node->times.total)
		quote_addf(&p->line, "%4" PRIu64 ".%" PRIu64 "%%", permille / 10, permille % 10);
	else
		strbuf_adds(&p->line, "      .");
	if (p->options->counts) {
		tree_put_count(p, node->times.total);
		tree_put_count(p, node->times.own);
		return;
	}
	duration_put(&p->line, node->times.total);
	duration_put(&p->line, node->times.own);
	if (p->with_off)
		duration_put(&p->line, node->times.asleep);
	if (p->with_stolen)
		duration_put(&p->line, node->times.stolen);
	tree_put_count(p, node->count);
	if (p->options->samples)
		return;
	duration_put(&p->line, with_median ? spread_quantile_within(&node->spread, MEDIAN,
								    node->min, node->max) :
					     0);
	duration_put(&p->line, node->max);
}

static void put_cut(struct printing *p, const struct call_node *node)
{
	char time[DURATION_SIZE];

	if (!node->cut)
		return;
	quote_addf(&p->line, "  (%" PRIu64 " more incomplete", node->cut);
	if (node->cut_inner.total)
		quote_addf(&p->line, ", with %s in inner calls",
			   duration_text(node->cut_inner.total, time));
	strbuf_addc(&p->line, ')');
}

static void tree_flush_line(struct printing *p)
{
	if (fit_write(&p->fit, &p->line) < 0)
		p->nomem = true;
}

static void tree_print_children(struct printing *p, uint32_t node, unsigned level)
{
	_cleanup_free_ uint32_t *list = NULL;
	struct call_node folded;
	size_t n_folded;
	int n = tree_children(p->tree, node, p->options, &list, &folded, &n_folded);

	if (n < 0) {
		p->nomem = true;
		return;
	}
	for (int i = 0; i < n; i++) {
		const struct call_node *child = &p->tree->nodes[list[i]];

		tree_put_numbers(p, child, true);
		strbuf_adds(&p->line, "  ");
		strbuf_pad(&p->line, ' ', (size_t)level * 2);
		quote_adds(&p->line, out_style(p->out, OUT_NAME));
		tree_put_name(p->tree, child->func, &p->line);
		quote_adds(&p->line, out_style(p->out, OUT_PLAIN));
		put_cut(p, child);
		if (child->errors) {
			quote_adds(&p->line, out_style(p->out, OUT_BAD));
			tree_put_errors(child, &p->line);
			quote_adds(&p->line, out_style(p->out, OUT_PLAIN));
		}
		strbuf_addc(&p->line, '\n');
		tree_flush_line(p);
		if (!p->options->depth || level + 1 < p->options->depth)
			tree_print_children(p, list[i], level + 1);
	}
	if (!n_folded)
		return;
	/* The times of children overlap, so their sum is meaningless. */
	if (p->options->overlap)
		folded.times = (struct call_times){ .own = folded.times.own };
	tree_put_numbers(p, &folded, false);
	strbuf_adds(&p->line, "  ");
	strbuf_pad(&p->line, ' ', (size_t)level * 2);
	amount_put_others(&p->line, n_folded, p->out);
	tree_flush_line(p);
}

/*
 * Total, self time and the number of calls are the most important; of the others, the maximum is
 * omitted last.
 */
static void tree_fit(struct printing *p)
{
	const struct {
		bool shown;
		unsigned width, rank;
	} numbers[] = {
		{ true, 7, 2 },
		{ true, p->options->counts ? 9 : 10, 0 },
		{ true, p->options->counts ? 9 : 10, 3 },
		{ p->with_off && !p->options->counts, 10, 4 },
		{ p->with_stolen && !p->options->counts, 10, 7 },
		{ !p->options->counts, 9, 1 },
		{ !p->options->counts && !p->options->samples, 10, 6 },
		{ !p->options->counts && !p->options->samples, 10, 5 },
	};
	struct fit_column columns[ARRAY_SIZE(numbers)];
	unsigned end = 0;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!numbers[i].shown)
			continue;
		end += numbers[i].width;
		columns[n++] = (struct fit_column){ .end = end, .rank = numbers[i].rank };
	}
	fit_init(&p->fit, p->out, columns, n, FIT_TEXT);
}

static void tree_print_head(struct printing *p)
{
	tree_fit(p);
	quote_addf(&p->line, "%s   all%s", out_style(p->out, OUT_TITLE),
		   p->options->counts ? "    events     self" : "     total      self");
	if (p->with_off)
		strbuf_adds(&p->line, "   off-CPU");
	if (p->with_stolen)
		strbuf_adds(&p->line, "    stolen");
	quote_addf(&p->line, "%s  function%s\n",
		   p->options->counts  ? "" :
		   p->options->samples ? "  samples" :
					 "    calls    median       max",
		   out_style(p->out, OUT_PLAIN));
	if (fit_write_head(&p->fit, &p->line) < 0)
		p->nomem = true;
}

int tree_print(const struct call_tree *tree, const struct tree_options *options, struct out *out)
{
	struct printing p = { .tree = tree,
			      .options = options,
			      .out = out,
			      .time = options->time ?: tree_time(tree) };

	for (size_t i = 0; i < tree->n; i++) {
		p.with_off |= tree->nodes[i].times.asleep > 0;
		p.with_stolen |= tree->nodes[i].times.stolen > 0;
	}
	tree_print_head(&p);
	tree_print_children(&p, CALL_ROOT, 0);
	strbuf_done(&p.line);
	return p.nomem ? -ENOMEM : 0;
}
