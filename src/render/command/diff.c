/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/command/diff.h"

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

#define MEDIAN	   500
#define BRANCH_MAX 64 /* maximum length of the branch with most of the change */

struct printing {
	const struct call_diff *diff;
	const struct diff_options *options;
	struct out *out;
	uint64_t least; /* smaller changes are folded */
	const uint64_t *largest; /* by node: the largest change at or below it */
	struct fit fit;
	struct strbuf line;
	bool nomem;
};

static uint64_t diff_size_of(int64_t change)
{
	return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

static int diff_compare(const void *pa, const void *pb, void *arg)
{
	const struct call_diff *diff = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct func *f = call_diff_func(diff, a), *g = call_diff_func(diff, b);

	return order_falling(diff_size_of(call_diff_change(diff, a)), diff_size_of(call_diff_change(diff, b))) ?:
		       strcmp(f->name ?: "", g->name ?: "") ?:
		       order_falling(g->address, f->address);
}

/*
 * Computes the largest change at or below each node. A branch is shown if it contains a large
 * change, even one that another change offsets, and always if a call became slower or faster beyond
 * the noise. Parents precede their children in the list. Returns NULL if memory is exhausted.
 */
static uint64_t *find_largest(const struct call_diff *diff)
{
	uint64_t *list = mem_zalloc(diff->n, sizeof(*list));

	for (size_t i = diff->n; list && i-- > 1;) {
		uint64_t size = diff_is_sure(&diff->rows[i]) ?
					UINT64_MAX :
					diff_size_of(call_diff_change(diff, (uint32_t)i));
		uint64_t *above = &list[diff->nodes[i].parent];

		list[i] = size > list[i] ? size : list[i];
		*above = list[i] > *above ? list[i] : *above;
	}
	return list;
}

int diff_children(const struct call_diff *diff, uint32_t node, uint32_t **ret_list)
{
	_cleanup_free_ uint32_t *list = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t at = diff->nodes[node].child; at != CALL_NONE; at = diff->nodes[at].sibling) {
		if (mem_reserve(&list, &cap, n + 1, sizeof(*list)) < 0)
			return -ENOMEM;
		list[n++] = at;
	}
	if (n)
		qsort_r(list, n, sizeof(*list), diff_compare, (void *)diff);
	*ret_list = TAKE_PTR(list);
	return (int)n;
}

/*
 * Selects the children to show, in order, and adds up the others. Returns their number or -ENOMEM.
 */
static int diff_choose(struct printing *p, uint32_t node, uint32_t **ret_list, int64_t *ret_folded,
		       size_t *ret_n_folded)
{
	_cleanup_free_ uint32_t *list = NULL;
	size_t shown = 0;
	int n = diff_children(p->diff, node, &list);

	*ret_folded = 0;
	*ret_n_folded = 0;
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++) {
		if (p->largest[list[i]] >= p->least &&
		    (!p->options->rows || shown < p->options->rows)) {
			list[shown++] = list[i];
			continue;
		}
		*ret_folded += call_diff_change(p->diff, list[i]);
		++*ret_n_folded;
	}
	*ret_list = TAKE_PTR(list);
	return (int)shown;
}

void diff_fit(struct fit *fit, const struct out *out)
{
	static const struct fit_column columns[] = { { 11, 0 }, { 21, 1 }, { 31, 2 }, { 39, 3 },
						     { 47, 4 }, { 57, 5 }, { 67, 6 } };

	fit_init(fit, out, columns, ARRAY_SIZE(columns), FIT_TEXT);
}

void diff_put_change(struct strbuf *buf, int64_t change)
{
	char text[DURATION_SIZE], whole[DURATION_SIZE + 1] = ".";

	if (change)
		snprintf(whole, sizeof(whole), "%c%s", change < 0 ? '-' : '+',
			 duration_text(diff_size_of(change), text));
	quote_addf(buf, " %10s", whole);
}

static uint64_t diff_median_of(const struct call_node *node)
{
	return spread_quantile_within(&node->spread, MEDIAN, node->min, node->max);
}

static void put_node(struct printing *p, uint32_t node)
{
	const struct call_node *before = call_diff_before(p->diff, node);
	const struct call_node *after = call_diff_after(p->diff, node);

	diff_put_change(&p->line, call_diff_change(p->diff, node));
	duration_put(&p->line, before->times.total / p->diff->n_before);
	duration_put(&p->line, after->times.total / p->diff->n_after);
	quote_addf(&p->line, " %7" PRIu64 " %7" PRIu64,
		   diff_per_run(before->count, p->diff->n_before),
		   diff_per_run(after->count, p->diff->n_after));
	duration_put(&p->line, diff_median_of(before));
	duration_put(&p->line, diff_median_of(after));
}

static void diff_flush_line(struct printing *p)
{
	if (fit_write(&p->fit, &p->line) < 0)
		p->nomem = true;
}

enum out_style diff_style(const char *verdict)
{
	if (!*verdict || strchr(verdict, '?'))
		return OUT_NAME;
	return *verdict == 's' || *verdict == 'n' ? OUT_BAD : OUT_GOOD;
}

static void diff_print_children(struct printing *p, uint32_t node, unsigned level)
{
	_cleanup_free_ uint32_t *list = NULL;
	int64_t folded;
	size_t n_folded;
	int n = diff_choose(p, node, &list, &folded, &n_folded);

	if (n < 0) {
		p->nomem = true;
		return;
	}
	for (int i = 0; i < n; i++) {
		const char *verdict = diff_verdict(p->diff, list[i]);

		put_node(p, list[i]);
		strbuf_adds(&p->line, "  ");
		strbuf_pad(&p->line, ' ', (size_t)level * 2);
		quote_adds(&p->line, out_style(p->out, diff_style(verdict)));
		func_put_name(call_diff_func(p->diff, list[i]), &p->line);
		quote_adds(&p->line, out_style(p->out, OUT_PLAIN));
		diff_put_verdict(&p->line, verdict, &p->diff->rows[list[i]]);
		strbuf_addc(&p->line, '\n');
		diff_flush_line(p);
		if (!p->options->depth || level + 1 < p->options->depth)
			diff_print_children(p, list[i], level + 1);
	}
	if (!n_folded)
		return;
	/* The times of functions overlap, so their sum is meaningless. */
	diff_put_change(&p->line, p->options->flat ? 0 : folded);
	strbuf_pad(&p->line, ' ', 58);
	strbuf_pad(&p->line, ' ', (size_t)level * 2);
	amount_put_others(&p->line, n_folded, p->out);
	diff_flush_line(p);
}

uint32_t diff_main_child(const struct call_diff *diff, uint32_t node, int64_t change)
{
	uint32_t found = CALL_NONE;

	for (uint32_t at = diff->nodes[node].child; at != CALL_NONE; at = diff->nodes[at].sibling)
		if ((call_diff_change(diff, at) > 0) == (change > 0) &&
		    (found == CALL_NONE || diff_size_of(call_diff_change(diff, at)) >
						   diff_size_of(call_diff_change(diff, found))))
			found = at;
	if (found == CALL_NONE ||
	    diff_size_of(call_diff_change(diff, found)) * 2 <= diff_size_of(change))
		return CALL_NONE;
	return found;
}

/*
 * Prints the path from the outermost call down to the one whose change is no longer due to a single
 * child.
 */
static void print_branch(struct printing *p, int64_t all)
{
	const struct call_diff *diff = p->diff;
	uint32_t node = CALL_ROOT;
	int64_t change = all;
	unsigned length = 0;

	for (; length < BRANCH_MAX; length++) {
		uint32_t next = diff_main_child(diff, node, change);

		if (next == CALL_NONE)
			break;
		strbuf_adds(&p->line, length ? " > " : "\nmost of it: ");
		func_put_name(call_diff_func(diff, next), &p->line);
		change = call_diff_change(diff, next);
		node = next;
	}
	if (length) {
		strbuf_addc(&p->line, ',');
		diff_put_change(&p->line, change);
		strbuf_addc(&p->line, '\n');
		p->nomem |= out_write_wrapped(p->out, &p->line) < 0;
	}
}

static bool has_sure_times(const struct call_diff *diff)
{
	for (size_t i = 1; i < diff->n; i++)
		if (diff_is_sure(&diff->rows[i]))
			return true;
	return false;
}

int diff_print(const struct call_diff *diff, const struct diff_options *options, struct out *out)
{
	_cleanup_free_ uint64_t *changes = find_largest(diff);
	struct printing p = { .diff = diff, .options = options, .out = out, .largest = changes };
	uint64_t before = call_diff_time(diff, false), after = call_diff_time(diff, true);

	if (!changes)
		return -ENOMEM;
	diff_fit(&p.fit, out);
	if (!diff->single) {
		diff_put_noise(&p.line, &diff->noise, diff->n_before, diff->n_after);
		p.nomem = out_write_wrapped(out, &p.line) < 0;
		p.nomem |= diff_print_counts(diff, options, out) < 0;
	}
	p.least = (before > after ? before : after) / 1000 * options->min_permille;
	p.least = p.least ?: 1;
	quote_addf(&p.line, "%s" DIFF_HEAD "function%s\n", out_style(out, OUT_TITLE),
		   out_style(out, OUT_PLAIN));
	p.nomem |= fit_write_head(&p.fit, &p.line) < 0;
	if (!options->flat) {
		diff_put_change(&p.line, (int64_t)(after - before));
		duration_put(&p.line, before);
		duration_put(&p.line, after);
		strbuf_pad(&p.line, ' ', 38);
		strbuf_adds(&p.line, "all calls\n");
		diff_flush_line(&p);
	}
	diff_print_children(&p, CALL_ROOT, 0);
	if (!diff->single && !has_sure_times(diff))
		strbuf_adds(&p.line, "no difference in call times beyond the noise\n");
	p.nomem |= out_write_wrapped(out, &p.line) < 0;
	if (!options->flat && after != before)
		print_branch(&p, (int64_t)(after - before));
	strbuf_done(&p.line);
	return p.nomem ? -ENOMEM : 0;
}
