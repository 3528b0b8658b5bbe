/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/syscalls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "render/duration.h"
#include "render/json.h"

#define MEDIAN 500
#define P99    990

static int compare(const void *pa, const void *pb, void *arg)
{
	const struct syscall_sums *a = pa, *b = pb;
	int r = 0;

	switch (*(enum syscalls_order *)arg) {
	case SYSCALLS_BY_COUNT:
		r = order_falling(a->count, b->count);
		break;
	case SYSCALLS_BY_ERRORS:
		r = order_falling(a->failed, b->failed);
		break;
	case SYSCALLS_BY_MAX:
		r = order_falling(a->max, b->max);
		break;
	case SYSCALLS_BY_NAME:
		r = strcmp(a->name ?: "", b->name ?: "");
		break;
	case SYSCALLS_BY_TOTAL:
		break;
	}
	r = r ?: order_falling(a->total, b->total);
	r = r ?: order_falling(a->cut, b->cut);
	return r ?: order_falling((uint64_t)b->number, (uint64_t)a->number);
}

/* The map of numbers means nothing any more then: there is nothing to be fed after the end. */
static void sort(struct syscalls *syscalls, enum syscalls_order order)
{
	if (syscalls->n)
		qsort_r(syscalls->list, syscalls->n, sizeof(*syscalls->list), compare, &order);
}

void syscalls_put_error(struct strbuf *buf, int64_t code)
{
	const char *name = code ? strerrorname_np((int)code) : "others";

	if (name)
		strbuf_adds(buf, name);
	else
		strbuf_addf(buf, "error %" PRId64, code);
}

static void put_name(struct strbuf *buf, const struct syscall_sums *sums)
{
	if (sums->name)
		strbuf_adds(buf, sums->name);
	else
		strbuf_addf(buf, "system call %" PRId64, sums->number);
}

static void put_row(struct strbuf *buf, const struct syscall_sums *sums, const struct out *out)
{
	duration_put(buf, sums->total);
	duration_put(buf, sums->asleep);
	strbuf_addf(buf, " %8" PRIu64, sums->count);
	duration_put(buf, spread_quantile_within(&sums->spread, MEDIAN, sums->min, sums->max));
	duration_put(buf, sums->max);
	strbuf_addf(buf, "  %s", out_style(out, OUT_NAME));
	put_name(buf, sums);
	strbuf_adds(buf, out_style(out, OUT_PLAIN));
	if (sums->cut)
		strbuf_addf(buf, "  (%" PRIu64 " more cut)", sums->cut);
	for (size_t i = 0; i < sums->n_errors; i++) {
		strbuf_addf(buf, "%s%" PRIu64 " ", i ? ", " : "  ", sums->errors[i].count);
		syscalls_put_error(buf, sums->errors[i].code);
	}
	strbuf_addc(buf, '\n');
}

/* Writes what is in @buf and empties it. */
static int flush_buf(struct strbuf *buf, const struct out *out)
{
	int r = buf->err;

	fwrite(strbuf_str(buf), 1, buf->len, out->stream);
	strbuf_done(buf);
	return r;
}

int syscalls_print(struct syscalls *syscalls, enum syscalls_order order, struct out *out)
{
	struct strbuf buf = { 0 };

	sort(syscalls, order);
	strbuf_addf(&buf, "%s     total    asleep    calls    median       max  system call%s\n",
		    out_style(out, OUT_TITLE), out_style(out, OUT_PLAIN));
	for (size_t i = 0; i < syscalls->n; i++)
		put_row(&buf, &syscalls->list[i], out);
	return flush_buf(&buf, out);
}

static void write_object(struct json *json, const struct syscall_sums *sums)
{
	json_begin_object(json, NULL);
	json_string(json, "name", sums->name);
	json_s64(json, "number", sums->number);
	json_u64(json, "count", sums->count);
	json_u64(json, "cut", sums->cut);
	json_u64(json, "failed", sums->failed);
	json_begin_array(json, "errors");
	for (size_t i = 0; i < sums->n_errors; i++) {
		json_begin_object(json, NULL);
		json_string(json, "name",
			    sums->errors[i].code ? strerrorname_np((int)sums->errors[i].code) :
						   NULL);
		json_s64(json, "code", sums->errors[i].code);
		json_u64(json, "count", sums->errors[i].count);
		json_end_object(json);
	}
	json_end_array(json);
	json_u64(json, "total_ns", sums->total);
	json_u64(json, "asleep_ns", sums->asleep);
	json_u64(json, "min_ns", sums->min);
	json_u64(json, "median_ns",
		 spread_quantile_within(&sums->spread, MEDIAN, sums->min, sums->max));
	json_u64(json, "p99_ns", spread_quantile_within(&sums->spread, P99, sums->min, sums->max));
	json_u64(json, "max_ns", sums->max);
	json_u64(json, "slowest_time", sums->slowest_time);
	json_s64(json, "slowest_pid", sums->slowest_pid);
	json_end_object(json);
}

int syscalls_print_json(struct syscalls *syscalls, enum syscalls_order order, struct out *out)
{
	struct strbuf buf = { 0 };
	struct json json;

	sort(syscalls, order);
	json_init(&json, &buf, true);
	json_begin_object(&json, NULL);
	json_begin_array(&json, "syscalls");
	for (size_t i = 0; i < syscalls->n; i++)
		write_object(&json, &syscalls->list[i]);
	json_end_array(&json);
	json_end_object(&json);
	json_end_document(&json);
	return flush_buf(&buf, out);
}

int syscalls_print_csv(struct syscalls *syscalls, enum syscalls_order order, struct out *out)
{
	struct strbuf buf = { 0 };

	sort(syscalls, order);
	strbuf_adds(&buf, "name,number,count,cut,failed,total_ns,asleep_ns,min_ns,median_ns,p99_ns,"
			  "max_ns\n");
	for (size_t i = 0; i < syscalls->n; i++) {
		const struct syscall_sums *sums = &syscalls->list[i];

		strbuf_addf(&buf,
			    "%s,%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			    ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			    sums->name ?: "", sums->number, sums->count, sums->cut, sums->failed,
			    sums->total, sums->asleep, sums->min,
			    spread_quantile_within(&sums->spread, MEDIAN, sums->min, sums->max),
			    spread_quantile_within(&sums->spread, P99, sums->min, sums->max),
			    sums->max);
	}
	return flush_buf(&buf, out);
}
