/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/count/count-view.h"

#include <errno.h>
#include <inttypes.h>

#include "base/quote.h"
#include "render/chart/histogram.h"
#include "render/count/count-cell.h"
#include "render/count/count-rows.h"
#include "render/kit/amount.h"
#include "render/kit/duration.h"

#define FRAME_INDENT 12

/* "latency of 12 calls of vfs_read in 10.0 s, by comm" */
static void text_put_title(const struct count_view *view, const struct count_sums *total,
			   const struct out *out, struct strbuf *buf)
{
	const struct count_plan *plan = view->plan;
	bool is_call = plan->n_begins && plan->sources[0].is_return;
	char time[DURATION_SIZE];

	quote_adds(buf, out_style(out, OUT_TITLE));
	if (plan->is_latency)
		strbuf_adds(buf, "latency of ");
	else if (plan->value)
		quote_addf(buf, "%s of ", plan->value);
	if (plan->sources[0].kind == COUNT_PROFILE)
		amount_put_count(buf, total->count, "sample", "samples");
	else if (plan->sources[0].kind == COUNT_FUNCTION)
		amount_put_count(buf, total->count, "call", "calls");
	else
		amount_put_count(buf, total->count, "event", "events");
	quote_addf(buf, ", %s", view->what);
	if (is_call && !plan->is_latency)
		strbuf_adds(buf, " (returns)");
	for (size_t i = 0; i < plan->n_keys; i++)
		quote_addf(buf, "%s%s", i ? ", " : ", by ", plan->keys[i]);
	if (plan->process)
		quote_addf(buf, ", process %" PRId32, plan->process);
	if (view->span)
		quote_addf(buf, ", in %s", duration_text(view->span, time));
	quote_addf(buf, "%s\n", out_style(out, OUT_PLAIN));
}

static void text_put_loss(struct strbuf *buf, uint64_t n, const char *text)
{
	if (n)
		quote_addf(buf, "%" PRIu64 " %s\n", n, text);
}

/* What the result lacks, and what to do about it. */
static void text_put_losses(const struct count_view *view, struct strbuf *buf)
{
	const struct count_losses *losses = &view->table->losses;

	text_put_loss(buf, losses->full,
		      "not counted: too many different keys; use --max-keys, or fewer keys");
	text_put_loss(buf, losses->not_begun,
		      "not counted: too many begins at a time, or nested too deeply");
	text_put_loss(buf, losses->missed,
		      "not counted: probes skipped by the kernel, inside another probe");
	text_put_loss(buf, losses->unpaired,
		      "ends without a begin, not counted: begun before counting, or in another "
		      "way");
	text_put_loss(buf, losses->open, "begins without an end, not counted: still going on");
	text_put_loss(buf, losses->unread,
		      view->is_live ? "counted with an empty text or 0: memory could not be read" :
				      "counted with an empty text or 0: not recorded");
	text_put_loss(buf, losses->no_stack,
		      view->is_live ? "counted without a stack trace: too many different ones, or "
				      "not found; use --max-keys" :
				      "counted without a stack trace: not recorded");
}

static enum histogram_unit text_unit(const struct count_view *view)
{
	return view->columns->is_time && !view->raw_times ? HISTOGRAM_NS : HISTOGRAM_PLAIN;
}

static int text_put_histogram(const struct count_view *view, const struct out *out,
			      struct strbuf *buf)
{
	struct spread all = { 0 };
	uint64_t negative = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < view->table->n; i++) {
		r = spread_merge(&all, &view->table->rows[i].spread);
		negative += view->table->rows[i].negative;
	}
	if (r == 0 && view->table->n) {
		if (view->table->n > 1)
			quote_addf(buf, "\n%sall%s\n", out_style(out, OUT_TITLE),
				   out_style(out, OUT_PLAIN));
		else
			strbuf_addc(buf, '\n');
		if (negative)
			quote_addf(buf, "  %" PRIu64 " negative\n", negative);
		histogram_put(buf, &all, text_unit(view), 1, out);
	}
	spread_done(&all);
	return r;
}

static void text_put_stacks(void *data, size_t index, struct strbuf *buf)
{
	const struct count_view *view = data;
	const struct count_row *row = &view->table->rows[index];
	uint64_t addresses[COUNT_FRAMES_MAX];

	for (size_t k = 0; k < view->columns->n_keys; k++) {
		const struct count_column *column = &view->columns->keys[k];
		int64_t id;
		size_t n;

		if (column->kind != COUNT_COLUMN_STACK)
			continue;
		id = count_row_number(row, column);
		n = view->names && id >= 0 ?
			    view->names->stack(view->names->data, id, addresses, COUNT_FRAMES_MAX) :
			    0;
		if (!n)
			quote_addf(buf, "%*s(no stack trace)\n", FRAME_INDENT, "");
		for (size_t i = 0; i < n; i++) {
			_cleanup_strbuf_ struct strbuf frame = { 0 };

			count_cell_put_frame(view, id, i, addresses[i], &frame);
			quote_addf(buf, "%*s%s\n", FRAME_INDENT, "", strbuf_str(&frame));
		}
	}
}

static bool text_has_stacks(const struct count_view *view)
{
	for (size_t k = 0; k < view->columns->n_keys; k++)
		if (view->columns->keys[k].kind == COUNT_COLUMN_STACK)
			return true;
	return false;
}

static int text_print_rows(const struct count_view *view, struct out *out)
{
	struct table_column columns[COUNT_ROW_COLUMNS_MAX];
	_cleanup_(table_done) struct table table;

	count_rows_fill(view, false, columns, &table);
	if (text_has_stacks(view)) {
		table.below = text_put_stacks;
		table.below_data = (void *)(uintptr_t)view;
	}
	return table_print(&table, view->rows, out);
}

int count_print(const struct count_view *view, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct count_sums total;
	int r;

	count_table_total(view->table, &total);
	text_put_title(view, &total, out, &buf);
	r = out_write(out, &buf);
	if (r == 0 && view->table->n)
		r = text_print_rows(view, out);
	if (r == 0 && view->plan->what == COUNT_HIST)
		r = text_put_histogram(view, out, &buf);
	text_put_losses(view, &buf);
	if (r == 0)
		r = out_write(out, &buf);
	if (r == 0 && view->reading && view->is_total && total.count) {
		quote_addf(&buf, "\n%s\n", view->reading);
		r = out_write_wrapped(out, &buf);
	}
	return r;
}
