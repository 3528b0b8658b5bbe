/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chrome's trace event format, JSON that many programs read. Functions
 * (render/export/export-slices.h) and system calls are begin and end events, which must nest on
 * each track; all other events are instants. A function without a recorded end is marked. Viewers
 * load the whole file into memory, so this is for parts of a trace.
 *
 * System calls have a track next to that of their task's functions, because the entry event of a
 * call is written inside a function that returns before the call does. If there are user functions,
 * all of these nest on one track.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/stream/task-key.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "read/event-table.h"
#include "read/context/tasks.h"
#include "render/export/export-call.h"
#include "render/export/export-field.h"
#include "render/export/export-slices.h"
#include "render/export.h"
#include "render/kit/json.h"
#include "render/report/report-json.h"
#include "symbols/probe/probed-functions.h"

/* Numbers of tracks other than tasks: the idle task of a CPU, and the system calls of a task. */
#define TRACK_IDLE  (INT64_C(1) << 23)
#define TRACK_CALLS (INT64_C(1) << 24)
/* Events larger than this are written without their fields. */
#define JSON_MAX (SINK_LINE_MAX / 4)

enum chrome_kind {
	CHROME_INSTANT,
	CHROME_CALL,
};

struct chrome_plan {
	const struct event_format *format; /* NULL: unknown event */
	enum chrome_kind kind;
	bool is_entry; /* a function entry */
	enum export_call_kind call;
	const struct event_field *function, *depth, *number;
};

/* The open slices on the tracks of a task. */
struct chrome_task {
	int64_t key; /* its number + 1; 0: an empty slot */
	bool in_call;
	bool in_calls; /* the track of its system calls has been named */
};

struct chrome_cpu {
	struct export_call call;
	int64_t task; /* number of the task that ran last; -1: none */
	uint64_t time; /* of its last event */
};

struct chrome {
	struct arena arena;
	struct chrome_plan **plans; /* by event ID */
	struct chrome_plan unknown;
	struct chrome_task *tasks; /* a hash table, at most half full */
	size_t n_tasks, cap_tasks;
	struct chrome_cpu *cpus;
	size_t n_cpus;
	struct slices slices; /* with user functions, system calls are also slices */
	const struct chrome_plan *plan; /* plan of the current event, and the event */
	const struct fathom_event *event;
	struct strbuf name;
	struct strbuf buf;
	struct json json;
	bool any; /* an object was written */
	bool nomem;
};

static const struct chrome_plan *export_chrome_make_plan(struct export *export, unsigned id)
{
	struct chrome *chrome = export->state;
	struct event_entry *entry = event_table_find(report_events(export->input->report), id);
	struct chrome_plan *plan = &chrome->unknown;
	const struct event_format *format;

	if (entry) {
		plan = arena_zalloc(&chrome->arena, 1, sizeof(*plan));
		if (!plan) {
			chrome->nomem = true;
			return &chrome->unknown;
		}
		format = plan->format = entry->format;
		plan->call = export_call_kind(format, &plan->number);
		plan->function = event_field_find(format, "func");
		plan->depth = event_field_find(format, "depth");
		plan->is_entry = str_eq(format->system, "ftrace") && plan->function &&
				 plan->depth && !str_eq(format->name, "funcgraph_exit");
		if (plan->call)
			plan->kind = CHROME_CALL;
	}
	chrome->plans[id] = plan;
	return plan;
}

/* Passes an object to the output. */
static void export_chrome_put_object(struct chrome *chrome, struct text *text)
{
	chrome->nomem |= chrome->buf.err != 0;
	text_str(text, chrome->any ? ",\n" : "\n");
	text_bytes(text, strbuf_str(&chrome->buf), chrome->buf.len);
	strbuf_clear(&chrome->buf);
	json_init(&chrome->json, &chrome->buf, false);
	chrome->any = true;
}

static void begin_object(struct chrome *chrome, const char *phase, int64_t task, int64_t track)
{
	json_begin_object(&chrome->json, NULL);
	json_string(&chrome->json, "ph", phase);
	json_s64(&chrome->json, "pid", task);
	json_s64(&chrome->json, "tid", track);
}

static void write_name(struct chrome *chrome, const char *what, int64_t task, int64_t track,
		       const char *name, struct text *text)
{
	begin_object(chrome, "M", task, track);
	json_string(&chrome->json, "name", what);
	json_begin_object(&chrome->json, "args");
	json_string(&chrome->json, "name", name);
	json_end_object(&chrome->json);
	json_end_object(&chrome->json);
	export_chrome_put_object(chrome, text);
}

static void name_task(struct export *export, int64_t number, const struct fathom_event *event,
		      struct text *text)
{
	struct chrome *chrome = export->state;
	const struct tasks *tasks = report_tasks(export->input->report);
	char idle[24];
	const char *name;

	if (event->pid > 0) {
		if (!tasks_know(tasks, event->pid))
			return;
		name = tasks_find(tasks, event->pid)->comm;
	} else {
		snprintf(idle, sizeof(idle), "swapper/%" PRIu32, event->cpu);
		name = idle;
	}
	write_name(chrome, "process_name", number, number, name, text);
	write_name(chrome, "thread_name", number, number, name, text);
}

static struct chrome_task *export_chrome_find_slot(struct chrome_task *slots, size_t cap,
						   int64_t key)
{
	size_t i = hash_u32((uint32_t)key, hash_seed()) & (cap - 1);

	while (slots[i].key && slots[i].key != key)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static bool grow_tasks(struct chrome *chrome)
{
	size_t cap = chrome->cap_tasks ? 2 * chrome->cap_tasks : 64;
	struct chrome_task *slots = mem_zalloc(cap, sizeof(slots[0]));

	if (!slots)
		return false;
	for (size_t i = 0; i < chrome->cap_tasks; i++)
		if (chrome->tasks[i].key)
			*export_chrome_find_slot(slots, cap, chrome->tasks[i].key) =
				chrome->tasks[i];
	free(chrome->tasks);
	chrome->tasks = slots;
	chrome->cap_tasks = cap;
	return true;
}

static struct chrome_task *export_chrome_get_task(struct export *export, int64_t number,
						  const struct fathom_event *event,
						  struct text *text)
{
	struct chrome *chrome = export->state;
	struct chrome_task *task;

	if (2 * chrome->n_tasks >= chrome->cap_tasks && !grow_tasks(chrome)) {
		chrome->nomem = true;
		return NULL;
	}
	task = export_chrome_find_slot(chrome->tasks, chrome->cap_tasks, number + 1);
	if (!task->key) {
		task->key = number + 1;
		chrome->n_tasks++;
		name_task(export, number, event, text);
	}
	return task;
}

static struct chrome_cpu *export_chrome_get_cpu(struct chrome *chrome, uint32_t cpu)
{
	size_t cap = chrome->n_cpus;

	if (cpu >= chrome->n_cpus) {
		if (mem_reserve(&chrome->cpus, &cap, cpu + (size_t)1, sizeof(chrome->cpus[0])) <
		    0) {
			chrome->nomem = true;
			return NULL;
		}
		memset(&chrome->cpus[chrome->n_cpus], 0,
		       (cap - chrome->n_cpus) * sizeof(chrome->cpus[0]));
		for (; chrome->n_cpus < cap; chrome->n_cpus++)
			chrome->cpus[chrome->n_cpus].task = -1;
	}
	return &chrome->cpus[cpu];
}

static void write_end(struct chrome *chrome, int64_t task, int64_t track, uint64_t time,
		      struct text *text)
{
	begin_object(chrome, "E", task, track);
	json_thousandths(&chrome->json, "ts", time);
	json_end_object(&chrome->json);
	export_chrome_put_object(chrome, text);
}

static void export_chrome_end_call(struct chrome *chrome, struct chrome_task *task, uint64_t time,
				   struct text *text)
{
	if (task->in_call)
		write_end(chrome, task->key - 1, task->key - 1 + TRACK_CALLS, time, text);
	task->in_call = false;
}

/*
 * Ends all slices on a CPU that lost events. They may have ended at any time since, so they are
 * shown up to the last event before the loss.
 */
static void end_all(struct chrome *chrome, const struct chrome_cpu *cpu, struct text *text)
{
	struct chrome_task *task;

	if (cpu->task < 0 || !chrome->cap_tasks)
		return;
	task = export_chrome_find_slot(chrome->tasks, chrome->cap_tasks, cpu->task + 1);
	if (!task->key)
		return;
	export_chrome_end_call(chrome, task, cpu->time, text);
}

static void export_chrome_put_fields(struct export *export, const struct chrome_plan *plan,
				     const struct fathom_event *event)
{
	struct chrome *chrome = export->state;
	const struct event_format *format = plan->format;
	size_t before;

	for (uint32_t i = 0; format && i < format->n_fields; i++) {
		const struct event_field *field = &format->fields[i];

		if (field->is_common || field == plan->function || field == plan->depth)
			continue;
		before = chrome->buf.len;
		report_json_field(&chrome->json, field, format, event);
		if (chrome->buf.len > JSON_MAX) {
			chrome->buf.len = before;
			export->shortened++;
			break;
		}
	}
}

/* Writes a begin event or an instant. */
static void write_named(struct export *export, const struct chrome_plan *plan, const char *phase,
			const char *name, const char *category, int64_t task, int64_t track,
			const struct fathom_event *event, struct text *text)
{
	struct chrome *chrome = export->state;

	begin_object(chrome, phase, task, track);
	json_thousandths(&chrome->json, "ts", event->time);
	json_string(&chrome->json, "name", name);
	json_string(&chrome->json, "cat", category);
	if (*phase == 'i')
		json_string(&chrome->json, "s", "t");
	json_begin_object(&chrome->json, "args");
	json_u64(&chrome->json, "cpu", event->cpu);
	export_chrome_put_fields(export, plan, event);
	json_end_object(&chrome->json);
	json_end_object(&chrome->json);
	export_chrome_put_object(chrome, text);
}

static void write_instant(struct export *export, const struct chrome_plan *plan,
			  const struct chrome_task *task, const struct fathom_event *event,
			  struct text *text)
{
	const struct probed_function *function = report_user_function(export->input->report, event);
	const char *name = plan->format ? plan->format->name : "unknown";

	export->unknown += !plan->format;
	/* A user function whose end was not recorded. */
	if (function)
		name = function->name;
	write_named(export, plan, "i", name, plan->format ? plan->format->system : "unknown",
		    task->key - 1, task->key - 1, event, text);
}

static void write_call(struct export *export, const struct chrome_plan *plan,
		       struct chrome_cpu *cpu, struct chrome_task *task,
		       const struct fathom_event *event, struct text *text)
{
	struct chrome *chrome = export->state;
	int64_t number = task->key - 1;
	uint64_t call;
	char buf[32];
	const char *name = export_call_name(plan->format);

	if (!export_field_number(plan->format, plan->number, event, &call) ||
	    export_call_repeats(&cpu->call, plan->call, event, call)) {
		write_instant(export, plan, task, event, text);
		return;
	}
	export_chrome_end_call(chrome, task, event->time, text);
	if (plan->call == EXPORT_CALL_EXIT)
		return;
	if (!task->in_calls)
		write_name(chrome, "thread_name", number, number + TRACK_CALLS, "system calls",
			   text);
	task->in_calls = task->in_call = true;
	if (!name) {
		snprintf(buf, sizeof(buf), "sys_%" PRIu64, call);
		name = buf;
	}
	write_named(export, plan, "B", name, "syscall", number, number + TRACK_CALLS, event, text);
}

/* Numbers of tracks are those of tasks; see export_chrome_write_event(). */
static int64_t slice_track(const struct nest_task *task)
{
	return task->key > 0 ? task->key : TRACK_IDLE + task_key_cpu(task->key);
}

/*
 * Arguments recorded by the kernel are in the current event, although the call may have begun
 * earlier.
 */
static void export_chrome_put_arguments(struct export *export, uint32_t frame)
{
	struct chrome *chrome = export->state;
	struct nest *nest = &chrome->slices.nest;
	const struct chrome_plan *plan = chrome->plan;
	uint64_t address;

	if (plan->is_entry &&
	    export_field_number(plan->format, plan->function, chrome->event, &address) &&
	    calls_func(nest->calls, address) == nest->frames[frame].func)
		export_chrome_put_fields(export, plan, chrome->event);
}

static void export_chrome_slice_opened(void *data, const struct nest_task *task, uint32_t frame,
				       uint64_t time)
{
	struct export *export = data;
	struct chrome *chrome = export->state;
	int64_t track = slice_track(task);

	strbuf_clear(&chrome->name);
	nest_put_name(&chrome->slices.nest, frame, &chrome->name);
	chrome->nomem |= chrome->name.err != 0;
	begin_object(chrome, "B", track, track);
	json_thousandths(&chrome->json, "ts", time);
	json_string(&chrome->json, "name", strbuf_str(&chrome->name));
	json_string(&chrome->json, "cat", slices_category(&chrome->slices, frame));
	json_begin_object(&chrome->json, "args");
	json_u64(&chrome->json, "cpu", task->mark.cpu);
	if (chrome->slices.nest.frames[frame].is_cut)
		json_bool(&chrome->json, "incomplete", true);
	export_chrome_put_arguments(export, frame);
	json_end_object(&chrome->json);
	json_end_object(&chrome->json);
	export_chrome_put_object(chrome, &export->sink->text);
	sink_flush_if_full(export->sink);
}

static void export_chrome_slice_closed(void *data, const struct nest_task *task, uint32_t frame,
				       uint64_t time)
{
	struct export *export = data;
	int64_t track = slice_track(task);

	write_end(export->state, track, track, time, &export->sink->text);
	sink_flush_if_full(export->sink);
}

static void export_chrome_write_event(void *data, struct report_input *input,
				      struct fathom_event *event, struct text *text)
{
	struct export *export = data;
	struct chrome *chrome = export->state;
	const struct chrome_plan *plan = chrome->plans[event->id];
	struct chrome_cpu *cpu = export_chrome_get_cpu(chrome, event->cpu);
	int64_t number = event->pid > 0 ? event->pid : TRACK_IDLE + event->cpu;
	struct chrome_task *task;

	if (!cpu)
		return;
	if (event->missed)
		end_all(chrome, cpu, text);
	if (!event->data) {
		slices_take(&chrome->slices, event);
		return;
	}
	if (!plan)
		plan = export_chrome_make_plan(export, event->id);
	task = export_chrome_get_task(export, number, event, text);
	if (!task)
		return;
	export->events++;
	chrome->plan = plan;
	chrome->event = event;
	if (slices_take(&chrome->slices, event)) {
		/* Otherwise, the slices include it. */
	} else if (plan->kind == CHROME_CALL && !chrome->slices.has_users) {
		write_call(export, plan, cpu, task, event, text);
	} else {
		write_instant(export, plan, task, event, text);
	}
	cpu->task = number;
	cpu->time = event->time;
}

static void export_chrome_take_first(void *data, struct report_input *input,
				     struct fathom_event *event, struct text *text)
{
	struct export *export = data;
	struct chrome *chrome = export->state;

	slices_take_first(&chrome->slices, event);
}

static int export_chrome_prepare(struct export *export, struct fathom_err *err)
{
	struct chrome *chrome = export->state;

	chrome->slices.spans = (struct call_spans)CALL_SPANS_NONE;
	return call_spans_open(&chrome->slices.spans, err);
}

static int export_chrome_begin(struct export *export, struct fathom_err *err)
{
	struct chrome *chrome = export->state;

	json_init(&chrome->json, &chrome->buf, false);
	slices_begin(&chrome->slices, export, export_chrome_slice_opened,
		     export_chrome_slice_closed);
	chrome->plans = mem_zalloc(EVENT_TABLE_IDS, sizeof(void *));
	if (!chrome->plans)
		return err_nomem(err);
	text_str(&export->sink->text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return 0;
}

/* System calls that are still open remain so: their end is not in the trace. */
static int export_chrome_end(struct export *export, struct fathom_err *err)
{
	struct chrome *chrome = export->state;

	chrome->nomem |= nest_finish(&chrome->slices.nest) < 0;
	text_str(&export->sink->text, "\n]}\n");
	if (chrome->nomem)
		return err_nomem(err);
	return call_spans_failed(chrome->slices.spans.err, err);
}

static void export_chrome_done(struct export *export)
{
	struct chrome *chrome = export->state;

	free(chrome->plans);
	free(chrome->tasks);
	free(chrome->cpus);
	slices_done(&chrome->slices);
	strbuf_done(&chrome->name);
	strbuf_done(&chrome->buf);
	arena_done(&chrome->arena);
}

const struct export_output export_chrome = {
	.name = "chrome",
	.suffix = ".json",
	.summary = "Chrome trace JSON: Perfetto, Firefox Profiler, speedscope, Tracy",
	.open = "open it at https://ui.perfetto.dev or in chrome://tracing",
	.state_size = sizeof(struct chrome),
	.prepare = export_chrome_prepare,
	.begin = export_chrome_begin,
	.first = export_chrome_take_first,
	.event = export_chrome_write_event,
	.end = export_chrome_end,
	.done = export_chrome_done,
};
