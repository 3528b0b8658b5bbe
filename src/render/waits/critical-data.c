/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The critical path of a task as JSON and CSV. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "render/waits/critical-words.h"
#include "render/waits/critical.h"
#include "render/kit/csv.h"
#include "render/kit/device.h"
#include "render/kit/json-document.h"

static const struct task_states_task *critical_data_find_task(const struct critical *critical,
							      uint32_t task)
{
	return task < critical->states.n_tasks ? critical->states.tasks[task] : NULL;
}

static void critical_data_write_task(struct json *json, const char *pid, const char *comm,
				     const struct task_states_task *task)
{
	if (!task) {
		json_null(json, pid);
		json_null(json, comm);
		return;
	}
	json_s64(json, pid, task->pid);
	json_string(json, comm, task->name);
}

static const char *kind_word(const struct critical_what *what)
{
	static const char *const words[] = {
		[CRITICAL_RUN] = "run",
		[CRITICAL_QUEUE] = "queue",
		[CRITICAL_QUEUE_UNKNOWN] = "queue",
		[CRITICAL_AWAIT] = "await",
		[CRITICAL_HANDLER] = "handler",
		[CRITICAL_UNKNOWN] = "unknown",
	};

	return words[what->kind];
}

static const char *source_word(enum source_kind kind)
{
	static const char *const words[] = {
		[SOURCE_TIMER] = "timer",     [SOURCE_BLOCK] = "block",
		[SOURCE_IRQ] = "interrupt",   [SOURCE_VECTOR] = "vector",
		[SOURCE_SOFTIRQ] = "softirq",
	};

	return words[kind];
}

static const char *reason_word(const struct critical_what *what)
{
	static const char *const words[] = {
		[REASON_NOT_SEEN] = "not seen",
		[REASON_NOT_OVER] = "not over",
		[REASON_NO_WAKER] = "no waker",
		[REASON_IDLE_WAKER] = "idle waker",
		[REASON_BEFORE_REQUEST] = "before request",
		[REASON_DEEP] = "deep",
		[REASON_FORGOTTEN] = "forgotten",
	};

	return what->kind == CRITICAL_UNKNOWN ? words[what->reason] : NULL;
}

static void write_what(struct json *json, const struct critical *critical,
		       const struct critical_what *what)
{
	_cleanup_strbuf_ struct strbuf place = { 0 }, device = { 0 };
	bool has_place = what->place != PLACE_NONE && what->place != PLACE_OUTSIDE;

	json_string(json, "cause",
		    critical_cause_word(critical_cause_of(what, critical_task(critical))));
	json_string(json, "kind", kind_word(what));
	critical_data_write_task(json, "pid", "comm",
				 critical_data_find_task(critical, what->task));
	critical_place_put(&place, critical, what->place);
	json_string(json, "place", has_place ? strbuf_str(&place) : NULL);
	critical_data_write_task(json, "other_pid", "other_comm",
				 critical_data_find_task(critical, what->other));
	json_string(json, "source", source_word(what->source));
	if (what->source == SOURCE_BLOCK) {
		device_put(&device, what->number);
		json_string(json, "device", strbuf_str(&device));
	} else if (what->number != WAKER_NO_NUMBER) {
		json_u64(json, "number", what->number);
	}
	json_string(json, "reason", reason_word(what));
	if (place.err || device.err)
		json->buf->err = place.err ? place.err : device.err;
}

static void critical_data_write_group(struct json *json, const struct critical *critical,
				      const struct critical_group *group)
{
	json_begin_object(json, NULL);
	json_string(json, "cause", critical_cause_word(group->cause));
	json_u64(json, "total_ns", group->total);
	json_begin_array(json, "parts");
	for (size_t i = 0; i < group->n; i++) {
		json_begin_object(json, NULL);
		write_what(json, critical, &group->sums[i]->what);
		json_u64(json, "total_ns", group->sums[i]->total);
		json_u64(json, "count", group->sums[i]->count);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
}

int critical_print_json(const struct critical *critical, struct out *out)
{
	_cleanup_(critical_table_done) struct critical_table table = { 0 };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	const struct critical_path *path = &critical->path;
	struct json json;
	int r = critical_table_init(&table, critical);

	if (r < 0)
		return r;
	json_document_begin(&json, &buf, true);
	critical_data_write_task(&json, "pid", "comm",
				 critical_data_find_task(critical, critical_task(critical)));
	json_u64(&json, "from_time_ns", critical->from);
	json_u64(&json, "to_time_ns", critical->to);
	json_u64(&json, "total_ns", critical->to - critical->from);
	json_begin_array(&json, "causes");
	for (size_t i = 0; i < table.n; i++)
		critical_data_write_group(&json, critical, &table.groups[i]);
	json_end_array(&json);
	json_u64(&json, "folded_below_ns", path->folded_below);
	json_begin_array(&json, "path");
	for (size_t i = 0; i < path->n && !buf.err; i++) {
		const struct critical_segment *segment = &path->list[i];

		json_begin_object(&json, NULL);
		json_u64(&json, "start_time_ns", segment->start);
		json_u64(&json, "end_time_ns", segment->end);
		json_u64(&json, "level", segment->level);
		json_u64(&json, "folded_count", segment->n);
		write_what(&json, critical, &segment->what);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf);
}

static void critical_data_put_task(struct strbuf *buf, const struct task_states_task *task)
{
	if (!task) {
		strbuf_adds(buf, ",,");
		return;
	}
	quote_addf(buf, ",%" PRId32 ",", task->pid);
	csv_put(buf, task->name);
}

int critical_print_csv(const struct critical *critical, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_adds(&buf, "start,end,level,folded,cause,kind,pid,comm,other_pid,other_comm,what\n");
	for (size_t i = 0; i < critical->path.n && !buf.err; i++) {
		const struct critical_segment *segment = &critical->path.list[i];
		const struct critical_what *what = &segment->what;
		_cleanup_strbuf_ struct strbuf text = { 0 };

		quote_addf(&buf, "%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%s,%s",
			   segment->start, segment->end, segment->level, segment->n,
			   critical_cause_word(critical_cause_of(what, critical_task(critical))),
			   kind_word(what));
		critical_data_put_task(&buf, critical_data_find_task(critical, what->task));
		critical_data_put_task(&buf, critical_data_find_task(critical, what->other));
		strbuf_addc(&buf, ',');
		critical_what_put(&text, critical, what);
		csv_put(&buf, strbuf_str(&text));
		strbuf_addc(&buf, '\n');
		if (text.err)
			buf.err = text.err;
	}
	return out_write(out, &buf);
}
