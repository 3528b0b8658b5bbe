/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/time/latency.h"

#include <inttypes.h>
#include <string.h>

#include "base/quote.h"
#include "render/kit/amount.h"
#include "render/kit/duration.h"
#include "render/chart/histogram.h"
#include "render/kit/json-document.h"
#include "render/kit/table.h"

#define MEDIAN 500
#define P99    990

static size_t rows_of(const struct latency *latency, struct histogram_row rows[HISTOGRAM_ROWS])
{
	struct linear_row linear[LINEAR_ROWS + 1];
	size_t n;

	if (!latency->is_linear)
		return histogram_rows(&latency->spread, rows);
	/*
	 * Up to the 99th percentile: otherwise, one extreme value would put all others in the first
	 * row.
	 */
	n = linear_spread_rows(&latency->linear, latency_quantile(latency, P99), linear);
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct histogram_row){ linear[i].from, linear[i].to, linear[i].count };
	return n;
}

static void latency_put_duration(struct strbuf *buf, const char *what, uint64_t ns)
{
	char text[DURATION_SIZE];

	quote_addf(buf, ", %s %s", what, duration_text(ns, text));
}

/* Appends a file name, quoted for a shell. */
static void latency_put_word(struct strbuf *buf, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./,:+@%-";

	if (*word && *word != '-' && !word[strspn(word, plain)]) {
		quote_adds(buf, word);
		return;
	}
	strbuf_addc(buf, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			strbuf_adds(buf, "'\\'");
		strbuf_addc(buf, *word);
	}
	strbuf_addc(buf, '\'');
}

static void put_slowest(struct strbuf *buf, const struct latency *latency,
			const struct latency_view *view, const struct out *out)
{
	char time[TIME_TEXT_SIZE];

	quote_addf(buf, "\n%s  duration  start               CPU  task%s\n",
		   out_style(out, OUT_TITLE), out_style(out, OUT_PLAIN));
	for (size_t i = 0; i < latency->slowest.n; i++) {
		const struct instance *one = &latency->slowest.list[i];

		duration_put(buf, one->duration);
		quote_addf(buf, "  %-18s %4" PRIu32 "  %s-%" PRId32 "\n",
			   time_text(one->start, view->raw_times, true, time), one->cpu,
			   tasks_find(view->tasks, one->pid)->comm, one->pid);
	}
	quote_addf(buf, "\nNext: fathom report --around %s ",
		   time_text(latency->slowest.list[0].start, view->raw_times, true, time));
	latency_put_word(buf, view->file);
	strbuf_addc(buf, '\n');
}

int latency_print(const struct latency *latency, const struct latency_view *view, struct out *out)
{
	struct histogram_row rows[HISTOGRAM_ROWS];
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	quote_addf(&buf, "%s %s%s%s: ", view->kind, out_style(out, OUT_NAME), view->name,
		   out_style(out, OUT_PLAIN));
	amount_put_count(&buf, latency->count, "call", "calls");
	latency_put_duration(&buf, "min", latency->min);
	latency_put_duration(&buf, "median", latency_quantile(latency, MEDIAN));
	latency_put_duration(&buf, "99%", latency_quantile(latency, P99));
	latency_put_duration(&buf, "max", latency->max);
	strbuf_adds(&buf, "\n\n");
	histogram_put_rows(&buf, rows, rows_of(latency, rows), HISTOGRAM_NS, 1, out);
	if (latency->slowest.n)
		put_slowest(&buf, latency, view, out);
	return out_write(out, &buf);
}

int latency_print_json(const struct latency *latency, const struct latency_view *view,
		       struct out *out)
{
	struct histogram_row rows[HISTOGRAM_ROWS];
	size_t n = rows_of(latency, rows);
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_document_begin(&json, &buf, true);
	json_string(&json, "kind", view->kind);
	json_string(&json, "name", view->name);
	json_u64(&json, "count", latency->count);
	json_u64(&json, "min_ns", latency->min);
	json_u64(&json, "median_ns", latency_quantile(latency, MEDIAN));
	json_u64(&json, "p99_ns", latency_quantile(latency, P99));
	json_u64(&json, "max_ns", latency->max);
	json_begin_array(&json, "rows");
	for (size_t i = 0; i < n; i++) {
		json_begin_object(&json, NULL);
		json_u64(&json, "from_ns", rows[i].from);
		json_u64(&json, "to_ns", rows[i].to);
		json_u64(&json, "count", rows[i].count);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_begin_array(&json, "slowest");
	for (size_t i = 0; i < latency->slowest.n; i++) {
		const struct instance *one = &latency->slowest.list[i];

		json_begin_object(&json, NULL);
		json_u64(&json, "duration_ns", one->duration);
		json_u64(&json, "time_ns", one->start);
		json_u64(&json, "cpu", one->cpu);
		json_s64(&json, "pid", one->pid);
		json_string(&json, "comm", tasks_find(view->tasks, one->pid)->comm);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf);
}

int latency_print_csv(const struct latency *latency, struct out *out)
{
	struct histogram_row rows[HISTOGRAM_ROWS];
	size_t n = rows_of(latency, rows);
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_adds(&buf, "from_ns,to_ns,count\n");
	for (size_t i = 0; i < n; i++)
		quote_addf(&buf, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", rows[i].from, rows[i].to,
			   rows[i].count);
	return out_write(out, &buf);
}
