/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/time/replay-data.h"

#include <inttypes.h>

#include "base/quote.h"
#include "render/kit/csv.h"

/* Returns a word for the end that was not recorded; "" if both were. */
static const char *cut_word(const struct replay_node *node)
{
	bool start = node->flags & REPLAY_NO_START, end = node->flags & REPLAY_NO_END;

	return start && end ? "both" : start ? "start" : end ? "end" : "";
}

static bool replay_data_has_times(const struct replay_node *node)
{
	return (node->kind == REPLAY_CALL || node->kind == REPLAY_NOISE ||
		node->kind == REPLAY_SYSCALL) &&
	       !(node->flags & (REPLAY_NO_TIMES | REPLAY_NO_END));
}

static void write_known(struct json *json, const char *key, uint64_t value, bool known)
{
	if (known)
		json_u64(json, key, value);
	else
		json_null(json, key);
}

static void replay_data_write_object(struct replay_view *view, const struct replay *replay,
				     int32_t pid, const struct replay_node *node, unsigned level,
				     int64_t parent)
{
	bool known = replay_data_has_times(node), has_total = !(node->flags & REPLAY_NO_END);
	struct json *json = &view->json;

	json_begin_object(json, NULL);
	json_u64(json, "index", view->n - 1);
	if (parent >= 0)
		json_u64(json, "parent_index", (uint64_t)parent);
	else
		json_null(json, "parent_index");
	json_u64(json, "level", level);
	json_s64(json, "pid", pid);
	json_string(json, "task", replay_task_name(replay, pid));
	json_u64(json, "cpu", node->cpu);
	json_string(json, "kind", replay_kind_word(node->kind));
	json_string_len(json, "what", strbuf_str(&view->name), view->name.len);
	json_u64(json, "start_time_ns", node->start);
	json_u64(json, "count", node->count);
	write_known(json, "total_ns", node->times.total, has_total);
	write_known(json, "self_ns", node->times.own, known);
	write_known(json, "interrupt_ns", node->times.stolen, known);
	write_known(json, "off_cpu_ns", node->times.asleep, known);
	write_known(json, "min_ns", node->min, has_total);
	write_known(json, "max_ns", node->max, has_total);
	if (node->flags & REPLAY_HAS_RESULT && !(node->flags & REPLAY_RESULT_VARIES))
		json_s64(json, "result", node->result);
	else
		json_null(json, "result");
	json_u64(json, "hidden_count", node->hidden);
	json_string(json, "incomplete", *cut_word(node) ? cut_word(node) : NULL);
	json_end_object(json);
}

static void replay_data_put_known(struct strbuf *buf, uint64_t value, bool known)
{
	if (known)
		quote_addf(buf, ",%" PRIu64, value);
	else
		strbuf_addc(buf, ',');
}

static void replay_data_write_row(struct replay_view *view, const struct replay *replay,
				  int32_t pid, const struct replay_node *node, unsigned level,
				  int64_t parent)
{
	bool known = replay_data_has_times(node), has_total = !(node->flags & REPLAY_NO_END);
	struct strbuf *buf = &view->buf;

	quote_addf(buf, "%" PRIu64, view->n - 1);
	replay_data_put_known(buf, (uint64_t)parent, parent >= 0);
	quote_addf(buf, ",%u,%" PRId32 ",", level, pid);
	csv_put(buf, replay_task_name(replay, pid));
	quote_addf(buf, ",%" PRIu32 ",%s,", node->cpu, replay_kind_word(node->kind));
	csv_put(buf, strbuf_str(&view->name));
	quote_addf(buf, ",%" PRIu64 ",%" PRIu64, node->start, node->count);
	replay_data_put_known(buf, node->times.total, has_total);
	replay_data_put_known(buf, node->times.own, known);
	replay_data_put_known(buf, node->times.stolen, known);
	replay_data_put_known(buf, node->times.asleep, known);
	replay_data_put_known(buf, node->min, has_total);
	replay_data_put_known(buf, node->max, has_total);
	if (node->flags & REPLAY_HAS_RESULT && !(node->flags & REPLAY_RESULT_VARIES))
		quote_addf(buf, ",%" PRId64, node->result);
	else
		strbuf_addc(buf, ',');
	quote_addf(buf, ",%" PRIu64 ",%s\n", node->hidden, cut_word(node));
}

void replay_write_node(struct replay_view *view, const struct replay *replay, int32_t pid,
		       const struct replay_node *node, unsigned level, int64_t parent)
{
	strbuf_clear(&view->name);
	replay_put_name(view, replay, node, pid, &view->name);
	if (view->form == REPLAY_JSON)
		replay_data_write_object(view, replay, pid, node, level, parent);
	else
		replay_data_write_row(view, replay, pid, node, level, parent);
}
