/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of calls whose number changed beyond the noise; it precedes the table of times. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/quote.h"
#include "render/command/diff.h"
#include "render/kit/fit.h"

/*
 * Returns how the number of calls changed: "new", "gone", "more", "fewer", or "" if any change is
 * within the noise.
 */
static const char *diff_counts_kind_of(const struct call_diff *diff, uint32_t node)
{
	const char *verdict = diff_verdict(diff, node);

	if (diff->rows[node].count == NOISE_COUNT_UNSEEN)
		return "";
	return *verdict == 'n' || *verdict == 'g' ? verdict : diff_count_verdict(&diff->rows[node]);
}

static uint64_t diff_counts_size_of(const struct call_diff *diff, uint32_t node)
{
	uint64_t before = call_diff_before(diff, node)->count * diff->n_after;
	uint64_t after = call_diff_after(diff, node)->count * diff->n_before;

	return before > after ? before - after : after - before;
}

/* Nodes that exist on one side only are listed first. */
static bool is_one_sided(const struct call_diff *diff, uint32_t node)
{
	return !call_diff_before(diff, node)->count || !call_diff_after(diff, node)->count;
}

static int diff_counts_compare(const void *pa, const void *pb, void *arg)
{
	const struct call_diff *diff = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return order_falling(is_one_sided(diff, a), is_one_sided(diff, b))			 ?:
		       order_falling(diff_counts_size_of(diff, a), diff_counts_size_of(diff, b)) ?:
		       order_falling(b, a);
}

/*
 * Selects the rows to show. Returns their number or -ENOMEM; @ret_unsure counts rows that differ
 * within the noise.
 */
static int diff_counts_choose(const struct call_diff *diff, uint32_t **ret_list, size_t *ret_unsure)
{
	_cleanup_free_ uint32_t *list = NULL;
	size_t n = 0, cap = 0;

	*ret_unsure = 0;
	for (uint32_t i = 1; i < diff->n; i++) {
		uint32_t parent = diff->nodes[i].parent;
		const char *kind = diff_counts_kind_of(diff, i);

		*ret_unsure += !*kind && diff_counts_size_of(diff, i);
		/* Verdicts can be compared by address. */
		if (!*kind || (parent != CALL_ROOT && kind == diff_counts_kind_of(diff, parent)))
			continue;
		if (mem_reserve(&list, &cap, n + 1, sizeof(*list)) < 0)
			return -ENOMEM;
		list[n++] = i;
	}
	if (n)
		qsort_r(list, n, sizeof(*list), diff_counts_compare, (void *)diff);
	*ret_list = TAKE_PTR(list);
	return (int)n;
}

static void diff_counts_put_row(const struct call_diff *diff, uint32_t node, const struct out *out,
				struct strbuf *buf)
{
	const char *kind = diff_counts_kind_of(diff, node);
	uint32_t parent = diff->nodes[node].parent;

	quote_addf(buf, " %8" PRIu64 " %8" PRIu64 "  %-5s  ",
		   diff_per_run(call_diff_before(diff, node)->count, diff->n_before),
		   diff_per_run(call_diff_after(diff, node)->count, diff->n_after), kind);
	quote_adds(buf, out_style(out, *kind == 'n' || *kind == 'm' ? OUT_BAD : OUT_GOOD));
	func_put_name(call_diff_func(diff, node), buf);
	quote_adds(buf, out_style(out, OUT_PLAIN));
	if (parent != CALL_ROOT) {
		strbuf_adds(buf, ", called by ");
		func_put_name(call_diff_func(diff, parent), buf);
	}
	strbuf_addc(buf, '\n');
}

int diff_print_counts(const struct call_diff *diff, const struct diff_options *options,
		      struct out *out)
{
	_cleanup_free_ uint32_t *list = NULL;
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	size_t unsure, shown = 0;
	int n = diff_counts_choose(diff, &list, &unsure), r;

	if (n < 0)
		return n;
	if (n)
		quote_addf(&buf, "%s    calls      now  changed number of calls%s\n",
			   out_style(out, OUT_TITLE), out_style(out, OUT_PLAIN));
	for (int i = 0; i < n && (!options->rows || shown < options->rows); i++, shown++)
		diff_counts_put_row(diff, list[i], out, &buf);
	if (shown < (size_t)n)
		quote_addf(&buf, "                    (%zu others)\n", (size_t)n - shown);
	r = fit_write_lines(out, &buf);
	if (unsure)
		quote_addf(&buf, "%s%zu rows differ in the number of calls by no more than noise\n",
			   n ? "" : "no change in the number of calls exceeds the noise; ", unsure);
	strbuf_addc(&buf, '\n');
	return r ?: out_write_wrapped(out, &buf);
}
