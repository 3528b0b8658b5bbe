/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Differences between calls as JSON and CSV: all nodes, in the order of the diff. */
#include <inttypes.h>

#include "base/quote.h"
#include "render/kit/csv.h"
#include "render/command/diff.h"
#include "render/kit/json-document.h"

#define MEDIAN 500

static void diff_data_write_side(struct json *json, const char *key, const struct call_node *node)
{
	json_begin_object(json, key);
	json_u64(json, "count", node->count);
	json_u64(json, "incomplete_count", node->cut);
	json_u64(json, "total_ns", node->times.total);
	json_u64(json, "self_ns", node->times.own);
	json_u64(json, "off_cpu_ns", node->times.asleep);
	json_u64(json, "median_ns",
		 spread_quantile_within(&node->spread, MEDIAN, node->min, node->max));
	json_u64(json, "max_ns", node->max);
	json_end_object(json);
}

static void write_node(struct json *json, const struct call_diff *diff, uint32_t node)
{
	const struct call_node *before = call_diff_before(diff, node);
	const struct call_node *after = call_diff_after(diff, node);
	_cleanup_strbuf_ struct strbuf name = { 0 };
	uint32_t parent = diff->nodes[node].parent;

	func_put_name(call_diff_func(diff, node), &name);
	if (name.err)
		json->buf->err = name.err;
	json_begin_object(json, NULL);
	json_string(json, "function", strbuf_str(&name));
	if (parent == CALL_ROOT)
		json_null(json, "caller");
	else
		json_u64(json, "caller", parent - 1);
	json_s64(json, "change_ns", call_diff_change(diff, node));
	diff_json_row(json, diff_verdict(diff, node), &diff->rows[node]);
	diff_data_write_side(json, "before", before);
	diff_data_write_side(json, "after", after);
	json_end_object(json);
}

int diff_print_json(const struct call_diff *diff, const struct syscall_diff *syscalls,
		    struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_document_begin(&json, &buf, true);
	json_begin_object(&json, "runs");
	json_u64(&json, "before", diff ? diff->n_before : syscalls->n_before);
	json_u64(&json, "after", diff ? diff->n_after : syscalls->n_after);
	json_end_object(&json);
	if (diff) {
		diff_json_noise(&json, "calls_noise", &diff->noise);
		json_begin_array(&json, "calls");
		for (uint32_t i = 1; i < diff->n; i++)
			write_node(&json, diff, i);
		json_end_array(&json);
	}
	if (syscalls) {
		diff_json_noise(&json, "syscalls_noise", &syscalls->noise);
		syscall_diff_json(syscalls, &json);
	}
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf);
}

static void diff_data_put_path(const struct call_diff *diff, uint32_t node, struct strbuf *buf)
{
	if (diff->nodes[node].parent != CALL_ROOT) {
		diff_data_put_path(diff, diff->nodes[node].parent, buf);
		strbuf_addc(buf, ';');
	}
	func_put_name(call_diff_func(diff, node), buf);
}

int diff_print_csv(const struct call_diff *diff, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_adds(
		&buf,
		"path,change_ns,verdict,count_verdict,time_verdict,before_count,after_count,before_ns,"
		"after_ns\n");
	for (uint32_t i = 1; i < diff->n; i++) {
		_cleanup_strbuf_ struct strbuf path = { 0 };

		diff_data_put_path(diff, i, &path);
		if (path.err)
			buf.err = path.err;
		csv_put(&buf, strbuf_str(&path));
		quote_addf(&buf,
			   ",%" PRId64 ",%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			   "\n",
			   call_diff_change(diff, i), diff_verdict(diff, i),
			   diff_count_verdict(&diff->rows[i]),
			   diff_time_verdict(&diff->rows[i]) ?: "",
			   call_diff_before(diff, i)->count, call_diff_after(diff, i)->count,
			   call_diff_before(diff, i)->times.total,
			   call_diff_after(diff, i)->times.total);
	}
	return out_write(out, &buf);
}
