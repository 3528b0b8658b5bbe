/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls of each task as a profile in speedscope's own format: when frames opened and closed.
 * Profiles must be written one after the other, whereas the events of tasks alternate, so they go
 * through a temporary file, and memory is needed for tasks and functions only.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/files/spool.h"
#include "render/export/export-nest.h"
#include "render/export.h"
#include "render/kit/json.h"

/* A frame that was opened or closed. */
struct record {
	uint64_t time;
	uint32_t frame;
	uint32_t is_open;
};

/* The records of a task in the spool, by number of the task. */
struct scope_task {
	uint32_t stream; /* + 1; 0: nothing */
	uint64_t records, first, last;
};

struct scope {
	struct nest nest;
	struct call_spans spans;
	struct spool spool;
	struct scope_task *tasks;
	size_t n_tasks, cap_tasks;
	struct strbuf buf;
	struct json json;
	bool nomem;
};

static void export_speedscope_keep(struct scope *scope, const struct nest_task *task,
				   uint32_t frame, uint64_t time, bool is_open)
{
	struct record record = { .time = time, .frame = frame, .is_open = is_open };
	struct scope_task *own;

	if (mem_reserve(&scope->tasks, &scope->cap_tasks, (size_t)task->number + 1,
			sizeof(*scope->tasks)) < 0) {
		scope->nomem = true;
		return;
	}
	while (scope->n_tasks <= task->number)
		scope->tasks[scope->n_tasks++] = (struct scope_task){ 0 };
	own = &scope->tasks[task->number];
	if (!own->stream) {
		/* UINT32_MAX + 1 is 0, as for no stream. */
		own->stream = spool_add(&scope->spool) + 1;
		own->first = time;
	}
	spool_write(&scope->spool, own->stream - 1, &record, sizeof(record));
	own->records++;
	own->last = time;
}

static void export_speedscope_opened(void *data, const struct nest_task *task, uint32_t frame,
				     uint64_t time)
{
	export_speedscope_keep(data, task, frame, time, true);
}

static void export_speedscope_closed(void *data, const struct nest_task *task, uint32_t frame,
				     uint64_t time)
{
	export_speedscope_keep(data, task, frame, time, false);
}

static int export_speedscope_prepare(struct export *export, struct fathom_err *err)
{
	struct scope *scope = export->state;

	scope->spool = (struct spool)SPOOL_NONE;
	scope->spans = (struct call_spans)CALL_SPANS_NONE;
	return spool_open(&scope->spool, err) ?: call_spans_open(&scope->spans, err);
}

static int export_speedscope_begin(struct export *export, struct fathom_err *err)
{
	struct scope *scope = export->state;

	nest_begin(&scope->nest, export->input, &scope->spans, export_speedscope_opened,
		   export_speedscope_closed, scope);
	return 0;
}

static void export_speedscope_take_decoded(void *data, const struct decoded_event *decoded)
{
	struct export *export = data;
	struct scope *scope = export->state;
	enum nest_kind kind;

	nest_feed(&scope->nest, decoded, &kind);
	export->events += kind == NEST_FUNCTION || kind == NEST_ENTRY || kind == NEST_EXIT;
}

static void export_speedscope_take_first(void *data, struct report_input *input,
					 struct fathom_event *event, struct text *text)
{
	struct export *export = data;
	struct scope *scope = export->state;

	nest_take_first(&scope->nest, event);
}

static void export_speedscope_take_event(void *data, struct report_input *input,
					 struct fathom_event *event, struct text *text)
{
	struct export *export = data;
	struct scope *scope = export->state;

	nest_take(&scope->nest, event, export_speedscope_take_decoded, export);
}

/* Passes the written text to the output. */
static void export_speedscope_put(struct scope *scope, struct sink *sink)
{
	scope->nomem |= scope->buf.err != 0;
	text_bytes(&sink->text, strbuf_str(&scope->buf), scope->buf.len);
	strbuf_clear(&scope->buf);
	sink_flush_if_full(sink);
}

static void export_speedscope_put_events(struct scope *scope, const struct scope_task *task,
					 uint64_t base, struct sink *sink)
{
	struct spool_reader reader = { .stream = task->stream - 1 };
	struct text *text = &sink->text;
	struct record record;
	bool any = false;

	while (spool_read(&scope->spool, &reader, &record, sizeof(record))) {
		text_str(text, any ? ",\n{\"type\":\"" : "\n{\"type\":\"");
		text_char(text, record.is_open ? 'O' : 'C');
		text_str(text, "\",\"frame\":");
		text_u64(text, record.frame);
		text_str(text, ",\"at\":");
		text_u64(text, record.time - base);
		text_char(text, '}');
		sink_flush_if_full(sink);
		any = true;
	}
}

static void put_profile(struct export *export, uint32_t number, uint64_t base)
{
	struct scope *scope = export->state;
	const struct nest_task *task = scope->nest.tasks[number];
	const struct scope_task *own = &scope->tasks[number];
	struct strbuf name = { 0 };

	nest_put_task(task, report_tasks(export->input->report), &name);
	if (task->key > 0)
		strbuf_addf(&name, " %" PRId64, task->key);
	json_init(&scope->json, &scope->buf, false);
	json_begin_object(&scope->json, NULL);
	json_string(&scope->json, "type", "evented");
	json_string(&scope->json, "name", strbuf_str(&name));
	json_string(&scope->json, "unit",
		    report_in_nanoseconds(export->input->report, 0) ? "nanoseconds" : "none");
	json_u64(&scope->json, "startValue", own->first - base);
	json_u64(&scope->json, "endValue", own->last - base);
	scope->nomem |= name.err != 0;
	strbuf_done(&name);
	strbuf_adds(&scope->buf, ",\"events\":[");
	export_speedscope_put(scope, export->sink);
	export_speedscope_put_events(scope, own, base, export->sink);
	text_str(&export->sink->text, "]}");
}

static void export_speedscope_put_frames(struct scope *scope, struct sink *sink)
{
	struct strbuf name = { 0 };

	text_str(&sink->text, "],\n\"shared\":{\"frames\":[\n");
	for (uint32_t i = 0; i < scope->nest.n_frames; i++) {
		strbuf_clear(&name);
		nest_put_name(&scope->nest, i, &name);
		scope->nomem |= name.err != 0;
		json_init(&scope->json, &scope->buf, false);
		json_begin_object(&scope->json, NULL);
		json_string(&scope->json, "name", strbuf_str(&name));
		if (scope->nest.frames[i].func == FUNC_NONE)
			json_string(&scope->json, "file", "system call");
		json_end_object(&scope->json);
		strbuf_adds(&scope->buf, i + 1 < scope->nest.n_frames ? ",\n" : "]}}\n");
		export_speedscope_put(scope, sink);
	}
	strbuf_done(&name);
}

/* The task with the most calls is the first profile to be shown. */
static void export_speedscope_put_head(struct scope *scope, uint64_t *ret_base, struct sink *sink)
{
	uint64_t base = UINT64_MAX, most = 0;
	uint64_t shown = 0, n = 0;

	for (size_t i = 0; i < scope->n_tasks; i++) {
		const struct scope_task *task = &scope->tasks[i];

		if (!task->stream)
			continue;
		if (task->first < base)
			base = task->first;
		if (task->records > most) {
			most = task->records;
			shown = n;
		}
		n++;
	}
	text_str(&sink->text,
		 "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		 "\"exporter\":\"fathom " FATHOM_VERSION "\",\n\"activeProfileIndex\":");
	text_u64(&sink->text, shown);
	text_str(&sink->text, ",\n\"profiles\":[");
	*ret_base = base;
}

static int export_speedscope_end(struct export *export, struct fathom_err *err)
{
	struct scope *scope = export->state;
	bool any = false;
	uint64_t base;

	scope->nomem |= nest_finish(&scope->nest) < 0;
	if (!scope->nest.n_frames && !scope->nomem)
		return err_set(
			err, -ENODATA,
			"no function calls or system calls in this part of the trace: use 'fathom "
			"record -p function_graph'");
	export_speedscope_put_head(scope, &base, export->sink);
	for (uint32_t i = 0; i < scope->n_tasks; i++) {
		if (!scope->tasks[i].stream)
			continue;
		text_str(&export->sink->text, any ? ",\n" : "\n");
		put_profile(export, i, base);
		any = true;
	}
	export_speedscope_put_frames(scope, export->sink);
	if (scope->nomem)
		return err_nomem(err);
	return call_spans_failed(scope->spool.err ?: scope->spans.err, err);
}

static void export_speedscope_done(struct export *export)
{
	struct scope *scope = export->state;

	nest_done(&scope->nest);
	call_spans_done(&scope->spans);
	spool_done(&scope->spool);
	free(scope->tasks);
	strbuf_done(&scope->buf);
}

const struct export_output export_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.summary = "speedscope (calls of each task over time)",
	.open = "open it at https://www.speedscope.app",
	.state_size = sizeof(struct scope),
	.prepare = export_speedscope_prepare,
	.begin = export_speedscope_begin,
	.first = export_speedscope_take_first,
	.event = export_speedscope_take_event,
	.end = export_speedscope_end,
	.done = export_speedscope_done,
};
