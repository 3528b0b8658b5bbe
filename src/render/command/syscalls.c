/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text is not printed with table.h: the phases of a call are lines of another shape below its
 * row, and errors and notes follow the name. In CSV, phases are rows as well, which lack most
 * columns.
 */
#include "render/command/syscalls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/quote.h"
#include "render/time/breakdown.h"
#include "render/kit/csv.h"
#include "render/kit/duration.h"
#include "render/kit/fit.h"
#include "render/kit/json-document.h"
#include "render/kit/result.h"

#define DETAILS_AT 12 /* column in which the phases of a call begin */

static int syscalls_compare(const void *pa, const void *pb, void *arg)
{
	const struct syscall_sums *a = pa, *b = pb;
	int r = 0;

	switch (*(enum syscalls_order *)arg) {
	case SYSCALLS_BY_COUNT:
		r = order_falling(syscall_sums_calls(a), syscall_sums_calls(b));
		break;
	case SYSCALLS_BY_ERRORS:
		r = order_falling(a->failed, b->failed);
		break;
	case SYSCALLS_BY_MAX:
		r = order_falling(syscall_sums_shown(a).max, syscall_sums_shown(b).max);
		break;
	case SYSCALLS_BY_NAME:
		r = strcmp(a->name ?: "", b->name ?: "");
		break;
	case SYSCALLS_BY_TOTAL:
		break;
	}
	r = r ?: order_falling(syscall_sums_shown(a).seen, syscall_sums_shown(b).seen);
	r = r ?: order_falling(a->cut, b->cut);
	return r ?: order_falling((uint64_t)b->number, (uint64_t)a->number);
}

/* Invalidates the map from numbers to places in the list, so nothing can be added afterwards. */
static void syscalls_sort(struct syscalls *syscalls, enum syscalls_order order)
{
	if (syscalls->n)
		qsort_r(syscalls->list, syscalls->n, sizeof(*syscalls->list), syscalls_compare,
			&order);
}

void syscalls_put_error(struct strbuf *buf, int64_t code)
{
	const char *name = code ? strerrorname_np((int)code) : "others";

	if (name)
		quote_adds(buf, name);
	else
		quote_addf(buf, "error %" PRId64, code);
}

void syscalls_put_notes(struct strbuf *buf, const struct syscall_sums *sums)
{
	const struct {
		uint64_t n;
		const char *what;
	} notes[] = {
		{ sums->begun_before, "began before" },
		{ sums->open_at_end, "still running" },
		{ sums->throughout, "running throughout" },
		{ sums->cut - sums->begun_before - sums->open_at_end - sums->throughout,
		  "incomplete" },
		{ sums->no_exit, "returned from signal handlers" },
		{ sums->restarted, "restarted" },
		{ sums->interrupted, "interrupted, result unknown" },
	};
	bool any = false;

	if (sums->ended_in && syscall_sums_never_returns(sums)) {
		strbuf_adds(buf, "  (does not return");
		any = true;
	} else if (sums->ended_in) {
		quote_addf(buf, "  (%" PRIu64 " did not return", sums->ended_in);
		any = true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
		if (!notes[i].n)
			continue;
		quote_addf(buf, "%s%" PRIu64 " %s", any ? ", " : "  (", notes[i].n, notes[i].what);
		any = true;
	}
	if (any)
		strbuf_addc(buf, ')');
}

void syscalls_put_off_cpu(struct strbuf *buf, const struct syscall_sums *sums)
{
	if (sums->knows_sleep)
		duration_put(buf, syscall_sums_off_cpu(sums));
	else
		quote_addf(buf, " %9s", "?");
}

void syscalls_put_time(struct strbuf *buf, uint64_t ns, bool is_below)
{
	char time[DURATION_SIZE], text[DURATION_SIZE + 1];

	snprintf(text, sizeof(text), "<%s", duration_text(ns, time));
	if (is_below)
		quote_addf(buf, " %9s", text);
	else
		duration_put(buf, ns);
}

void syscalls_put_typical(struct strbuf *buf, const struct syscall_sums *sums)
{
	struct syscall_times times = syscall_sums_shown(sums);

	if (!sums->count && syscall_sums_never_returns(sums)) {
		quote_addf(buf, " %9s %9s", "-", "-");
		return;
	}
	syscalls_put_time(buf, times.median, times.median_below);
	syscalls_put_time(buf, times.max, times.max_below);
}

/* Returns the phases of the calls in row @i, or NULL if they are unknown or not to be shown. */
static const struct breakdown_entry *syscalls_find_entry(const struct syscalls_view *view, size_t i)
{
	const char *name = view->syscalls->list[i].name;

	if (!view->breakdown || i >= view->details || !name)
		return NULL;
	return breakdown_find(view->breakdown, BREAKDOWN_SYSCALL, name);
}

static void syscalls_put_name(struct strbuf *buf, const struct syscall_sums *sums)
{
	if (sums->name)
		quote_adds(buf, sums->name);
	else
		quote_addf(buf, "system call %" PRId64, sums->number);
}

static void syscalls_put_row(struct strbuf *buf, const struct syscall_sums *sums,
			     const struct out *out)
{
	struct syscall_times times = syscall_sums_shown(sums);

	syscalls_put_time(buf, times.seen, times.median_below);
	syscalls_put_off_cpu(buf, sums);
	quote_addf(buf, " %8" PRIu64, syscall_sums_calls(sums));
	syscalls_put_typical(buf, sums);
	quote_addf(buf, "  %s", out_style(out, OUT_NAME));
	syscalls_put_name(buf, sums);
	quote_adds(buf, out_style(out, OUT_PLAIN));
	for (size_t i = 0; i < sums->errors.n; i++) {
		quote_addf(buf, "%s%" PRIu64 " ", i ? ", " : "  ", sums->errors.list[i].count);
		syscalls_put_error(buf, sums->errors.list[i].code);
	}
	syscalls_put_notes(buf, sums);
	strbuf_addc(buf, '\n');
}

int syscalls_print(const struct syscalls_view *view, struct out *out)
{
	static const struct fit_column columns[] = {
		{ 10, 0 }, { 20, 2 }, { 29, 1 }, { 39, 4 }, { 49, 3 }
	};
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct fit fit;
	int r;

	syscalls_sort(view->syscalls, view->order);
	fit_init(&fit, out, columns, ARRAY_SIZE(columns), FIT_TEXT);
	quote_addf(&buf, "%s     total   off-CPU    calls    median       max  system call%s\n",
		   out_style(out, OUT_TITLE), out_style(out, OUT_PLAIN));
	r = fit_write_head(&fit, &buf);
	for (size_t i = 0; i < view->syscalls->n && r == 0; i++) {
		const struct breakdown_entry *entry = syscalls_find_entry(view, i);

		syscalls_put_row(&buf, &view->syscalls->list[i], out);
		r = fit_write(&fit, &buf);
		if (entry && r == 0)
			r = breakdown_print(entry, DETAILS_AT, out);
	}
	if (view->syscalls->n && view->syscalls->list[0].shows_untraced)
		out_printf(out, OUT_FAINT, "\n" SYSCALLS_UNTRACED_NOTE "\n");
	return r;
}

static void json_interrupted(struct json *json, const struct syscall_sums *sums)
{
	json_u64(json, "restarted_count", sums->restarted);
	json_u64(json, "interrupted_count", sums->interrupted);
	json_u64(json, "no_exit_count", sums->no_exit);
}

static void write_counts(struct json *json, const struct syscall_sums *sums)
{
	json_u64(json, "call_count", syscall_sums_calls(sums));
	json_u64(json, "count", sums->count);
	json_u64(json, "incomplete_count", sums->cut);
	json_u64(json, "begun_before_count", sums->begun_before);
	json_u64(json, "open_at_end_count", sums->open_at_end);
	json_u64(json, "throughout_count", sums->throughout);
	json_u64(json, "not_returned_count", sums->ended_in);
}

/* Omitted if unknown. */
static void syscalls_write_untraced(struct json *json, const struct syscall_sums *sums)
{
	struct syscall_times times;

	if (!sums->knows_untraced)
		return;
	times = syscall_sums_untraced(sums);
	json_u64(json, "total_untraced_ns", sums->untraced.total);
	json_u64(json, "min_untraced_ns", times.min);
	json_u64(json, "median_untraced_ns", times.median);
	json_u64(json, "p99_untraced_ns", times.p99);
	json_u64(json, "max_untraced_ns", times.max);
	json_u64(json, "untraced_below_count", sums->untraced.below);
}

static void syscalls_write_times(struct json *json, const struct syscall_sums *sums)
{
	json_u64(json, "total_ns", sums->total);
	json_u64(json, "incomplete_ns", sums->cut_total);
	json_u64(json, "not_returned_ns", sums->ended_total);
	if (sums->knows_sleep) {
		json_u64(json, "sleeping_ns", sums->asleep);
		json_u64(json, "runnable_ns", sums->runnable);
	} else {
		json_null(json, "sleeping_ns");
		json_null(json, "runnable_ns");
	}
}

void syscalls_json_sums(struct json *json, const struct syscall_sums *sums)
{
	write_counts(json, sums);
	json_u64(json, "failed_count", sums->failed);
	json_interrupted(json, sums);
	syscalls_write_times(json, sums);
	json_u64(json, "median_ns", syscall_sums_measured(sums).median);
	json_u64(json, "max_ns", sums->max);
	syscalls_write_untraced(json, sums);
}

static void syscalls_write_object(struct json *json, const struct syscall_sums *sums,
				  const struct breakdown_entry *entry)
{
	struct syscall_times times = syscall_sums_measured(sums);

	json_begin_object(json, NULL);
	json_string(json, "name", sums->name);
	json_s64(json, "number", sums->number);
	write_counts(json, sums);
	json_u64(json, "failed_count", sums->failed);
	json_begin_array(json, "errors");
	json_errors(json, &sums->errors);
	json_end_array(json);
	json_interrupted(json, sums);
	syscalls_write_times(json, sums);
	json_u64(json, "min_ns", times.min);
	json_u64(json, "median_ns", times.median);
	json_u64(json, "p99_ns", times.p99);
	json_u64(json, "max_ns", times.max);
	json_u64(json, "slowest_time_ns", sums->slowest_time);
	json_s64(json, "slowest_pid", sums->slowest_pid);
	syscalls_write_untraced(json, sums);
	if (entry)
		breakdown_json(entry, json);
	json_end_object(json);
}

int syscalls_print_json(const struct syscalls_view *view, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	syscalls_sort(view->syscalls, view->order);
	json_document_begin(&json, &buf, true);
	json_begin_array(&json, "syscalls");
	for (size_t i = 0; i < view->syscalls->n; i++)
		syscalls_write_object(&json, &view->syscalls->list[i],
				      syscalls_find_entry(view, i));
	json_end_array(&json);
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf);
}

#define CSV_COLUMNS                                                                              \
	"name,number,count,incomplete_count,failed_count,total_ns,sleeping_ns,min_ns,median_ns," \
	"p99_ns,max_ns,not_returned_count,not_returned_ns,call_count,incomplete_ns,"             \
	"begun_before_count,open_at_end_count,restarted_count,interrupted_count,no_exit_count,"  \
	"runnable_ns,throughout_count"
#define CSV_NUMBERS 21 /* besides the name */

/*
 * Appends a row for each phase: the name of the call, empty columns for its numbers, and the
 * columns of phases.
 */
static void put_csv_parts(struct strbuf *buf, const char *name, const struct breakdown_entry *entry)
{
	for (size_t i = 0; i < entry->n; i++) {
		const struct breakdown_part *part = &entry->parts[i];

		quote_addf(buf, "%s", name);
		for (size_t k = 0; k <= CSV_NUMBERS; k++)
			strbuf_addc(buf, ',');
		csv_put(buf, part->name);
		quote_addf(buf, ",%s,%" PRIu64 ",%" PRIu64 "\n",
			   part->noise	 ? "noise" :
			   part->grouped ? "prefix" :
					   "phase",
			   part->own, part->calls);
	}
}

static void put_csv_numbers(struct strbuf *buf, const struct syscall_sums *sums)
{
	struct syscall_times times = syscall_sums_measured(sums);
	const struct {
		uint64_t value;
		bool unknown;
	} numbers[] = {
		{ sums->count },
		{ sums->cut },
		{ sums->failed },
		{ sums->total },
		{ sums->asleep, !sums->knows_sleep },
		{ sums->min },
		{ times.median },
		{ times.p99 },
		{ sums->max },
		{ sums->ended_in },
		{ sums->ended_total },
		{ syscall_sums_calls(sums) },
		{ sums->cut_total },
		{ sums->begun_before },
		{ sums->open_at_end },
		{ sums->restarted },
		{ sums->interrupted },
		{ sums->no_exit },
		{ sums->runnable, !sums->knows_sleep },
		{ sums->throughout },
	};

	_Static_assert(ARRAY_SIZE(numbers) + 1 == CSV_NUMBERS, "a column for each, and the call's");
	quote_addf(buf, ",%" PRId64, sums->number);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (numbers[i].unknown)
			strbuf_addc(buf, ',');
		else
			quote_addf(buf, ",%" PRIu64, numbers[i].value);
}

/*
 * Appended to CSV_COLUMNS. Never combined with phases: these require functions, whose cost is
 * unknown.
 */
#define CSV_UNTRACED                                                                             \
	",total_untraced_ns,min_untraced_ns,median_untraced_ns,p99_untraced_ns,max_untraced_ns," \
	"untraced_below_count"

static void put_csv_untraced(struct strbuf *buf, const struct syscall_sums *sums)
{
	struct syscall_times times = syscall_sums_untraced(sums);

	quote_addf(buf, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		   sums->untraced.total, times.min, times.median, times.p99, times.max,
		   sums->untraced.below);
}

int syscalls_print_csv(const struct syscalls_view *view, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	syscalls_sort(view->syscalls, view->order);
	quote_adds(&buf, CSV_COLUMNS);
	if (view->syscalls->n && view->syscalls->list[0].knows_untraced)
		quote_adds(&buf, CSV_UNTRACED);
	strbuf_adds(&buf, view->breakdown ? ",phase,kind,self_ns,call_count\n" : "\n");
	for (size_t i = 0; i < view->syscalls->n; i++) {
		const struct syscall_sums *sums = &view->syscalls->list[i];
		const struct breakdown_entry *entry = syscalls_find_entry(view, i);

		quote_adds(&buf, sums->name ?: "");
		put_csv_numbers(&buf, sums);
		if (sums->knows_untraced)
			put_csv_untraced(&buf, sums);
		strbuf_adds(&buf, view->breakdown ? ",,,,\n" : "\n");
		if (entry)
			put_csv_parts(&buf, sums->name, entry);
	}
	return out_write(out, &buf);
}
