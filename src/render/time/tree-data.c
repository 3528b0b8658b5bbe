/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call trees as JSON and CSV. */
#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "render/kit/csv.h"
#include "render/kit/json-document.h"
#include "render/kit/result.h"
#include "render/time/tree.h"

struct writing {
	const struct call_tree *tree;
	const struct tree_options *options;
	struct out *out;
	struct strbuf buf;
	struct strbuf path; /* CSV: path of the caller */
	struct json json;
	uint64_t n; /* JSON: number of calls written so far */
	bool nomem;
};

static void flush_buf(struct writing *w)
{
	if (out_write(w->out, &w->buf) < 0)
		w->nomem = true;
}

static void tree_data_write_object(struct writing *w, const struct call_node *node, int64_t caller)
{
	const struct func *func = &w->tree->funcs.list[node->func];
	struct json *json = &w->json;

	json_begin_object(json, NULL);
	if (caller >= 0)
		json_u64(json, "caller", (uint64_t)caller);
	else
		json_null(json, "caller");
	json_string(json, "function", func->flags & FUNC_FOLDED ? NULL : func->name);
	json_string(json, "phase", func->flags & FUNC_FOLDED ? func->name : NULL);
	json_string(json, "module", func->module);
	if (func_has_address(func))
		json_address(json, "address", func->address);
	else
		json_null(json, "address");
	if (w->options->counts) {
		json_u64(json, "count", node->times.total);
		json_u64(json, "self_count", node->times.own);
		json_end_object(json);
		flush_buf(w);
		return;
	}
	json_u64(json, "count", node->count);
	json_u64(json, "incomplete_count", node->cut);
	json_u64(json, "incomplete_inner_ns", node->cut_inner.total);
	json_u64(json, "total_ns", node->times.total);
	json_u64(json, "self_ns", node->times.own);
	json_u64(json, "interrupt_ns", node->times.stolen);
	json_u64(json, "off_cpu_ns", node->times.asleep);
	json_u64(json, "min_ns", node->min);
	json_u64(json, "median_ns",
		 spread_quantile_within(&node->spread, 500, node->min, node->max));
	json_u64(json, "p99_ns", spread_quantile_within(&node->spread, 990, node->min, node->max));
	json_u64(json, "max_ns", node->max);
	json_u64(json, "result_count", node->results);
	json_u64(json, "failed_count", node->failed);
	json_begin_array(json, "errors");
	if (node->errors)
		json_errors(json, node->errors);
	json_end_array(json);
	json_end_object(json);
	flush_buf(w);
}

static void tree_data_write_row(struct writing *w, const struct call_node *node, unsigned level)
{
	char text[RESULT_SIZE];

	csv_put(&w->buf, strbuf_str(&w->path));
	if (w->options->counts) {
		quote_addf(&w->buf, ",%u,%" PRIu64 ",%" PRIu64 "\n", level, node->times.total,
			   node->times.own);
		flush_buf(w);
		return;
	}
	quote_addf(&w->buf,
		   ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		   ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		   ",%" PRIu64 ",",
		   level, node->count, node->cut, node->cut_inner.total, node->times.total,
		   node->times.own, node->times.stolen, node->times.asleep, node->min,
		   spread_quantile_within(&node->spread, 500, node->min, node->max),
		   spread_quantile_within(&node->spread, 990, node->min, node->max), node->max,
		   node->results, node->failed);
	for (size_t i = 0; node->errors && i < node->errors->n; i++) {
		const struct error_count *error = &node->errors->list[i];

		quote_addf(&w->buf, "%s%s:%" PRIu64, i ? " " : "",
			   error->code ? result_text(-error->code, text) + 1 : "others",
			   error->count);
	}
	strbuf_addc(&w->buf, '\n');
	flush_buf(w);
}

static void write_children(struct writing *w, uint32_t node, unsigned level, int64_t caller,
			   bool csv)
{
	_cleanup_free_ uint32_t *list = NULL;
	struct call_node folded;
	size_t n_folded, len = w->path.len;
	int n = tree_children(w->tree, node, w->options, &list, &folded, &n_folded);

	if (n < 0)
		w->nomem = true;
	for (int i = 0; i < n; i++) {
		const struct call_node *child = &w->tree->nodes[list[i]];
		int64_t place = (int64_t)w->n++;

		if (csv) {
			if (len)
				strbuf_addc(&w->path, ';');
			tree_put_name(w->tree, child->func, &w->path);
			tree_data_write_row(w, child, level);
		} else {
			tree_data_write_object(w, child, caller);
		}
		if (!w->options->depth || level + 1 < w->options->depth)
			write_children(w, list[i], level + 1, place, csv);
		w->nomem |= w->path.err != 0;
		if (w->path.s) {
			w->path.len = len;
			w->path.s[len] = '\0';
		}
	}
}

int tree_print_json(const struct call_tree *tree, const struct tree_options *options,
		    struct out *out)
{
	struct writing w = { .tree = tree, .options = options, .out = out };

	json_document_begin(&w.json, &w.buf, true);
	json_u64(&w.json, options->counts ? "event_count" : "total_ns",
		 options->time ?: tree_time(tree));
	json_begin_array(&w.json, "calls");
	write_children(&w, CALL_ROOT, 0, -1, false);
	json_end_array(&w.json);
	json_document_end(&w.json, &out->completeness);
	flush_buf(&w);
	strbuf_done(&w.buf);
	return w.nomem ? -ENOMEM : 0;
}

int tree_print_csv(const struct call_tree *tree, const struct tree_options *options,
		   struct out *out)
{
	struct writing w = { .tree = tree, .options = options, .out = out };

	strbuf_adds(
		&w.buf,
		options->counts ?
			"path,depth,count,self_count\n" :
			"path,depth,count,incomplete_count,incomplete_inner_ns,total_ns,self_ns,"
			"interrupt_ns,off_cpu_ns,min_ns,median_ns,p99_ns,max_ns,result_count,"
			"failed_count,errors\n");
	flush_buf(&w);
	write_children(&w, CALL_ROOT, 0, -1, true);
	strbuf_done(&w.buf);
	strbuf_done(&w.path);
	return w.nomem ? -ENOMEM : 0;
}
