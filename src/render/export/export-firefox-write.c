/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the file for the Firefox Profiler. A table is an object with an array for each column.
 * Threads come first; the tables that they share follow, because these are complete only then.
 *
 * Strings are numbered: first the names of functions and system calls, by frame, then task states,
 * then names of events.
 */
#include <inttypes.h>
#include <string.h>

#include "render/export/export-firefox.h"
#include "render/kit/json.h"
#include "render/waits/waker.h"

/* The version of the format. Newer viewers read older versions. */
#define VERSION "60"

static const char head[] =
	"{\"meta\":{\"version\":31,\"preprocessedProfileVersion\":" VERSION
	",\"interval\":0.001,\"startTime\":0,\"processType\":0,\"product\":\"fathom\","
	"\"importedFrom\":\"fathom " FATHOM_VERSION "\",\"stackwalk\":1,\"symbolicated\":true,"
	"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\n\"categories\":["
	"{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"System call\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Interrupt\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Asleep\",\"color\":\"transparent\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Scheduler\",\"color\":\"green\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Event\",\"color\":\"purple\",\"subcategories\":[\"Other\"]}],\n"
	"\"markerSchema\":["
	"{\"name\":\"syscall\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
	"\"tooltipLabel\":\"{marker.name} = {marker.data.result}\","
	"\"tableLabel\":\"{marker.data.arguments} = {marker.data.result}\","
	"\"fields\":[{\"key\":\"result\",\"label\":\"Result\",\"format\":\"string\"},"
	"{\"key\":\"arguments\",\"label\":\"Arguments\",\"format\":\"string\"},"
	"{\"key\":\"cpu\",\"label\":\"CPU\",\"format\":\"integer\"}]},\n"
	"{\"name\":\"state\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
	"\"tableLabel\":\"{marker.data.why}\","
	"\"fields\":[{\"key\":\"why\",\"label\":\"Why\",\"format\":\"string\"},"
	"{\"key\":\"cpu\",\"label\":\"CPU\",\"format\":\"integer\"}]},\n"
	"{\"name\":\"event\",\"display\":[\"marker-chart\",\"marker-table\"],"
	"\"tableLabel\":\"{marker.data.text}\","
	"\"fields\":[{\"key\":\"text\",\"label\":\"Event\",\"format\":\"string\"},"
	"{\"key\":\"cpu\",\"label\":\"CPU\",\"format\":\"integer\"}]}]";

struct writer {
	struct export *export;
	struct fox *fox;
	struct sink *sink;
	struct text *text;
	struct json json;
	uint64_t base; /* times are relative to this */
	bool any; /* the open array has an element */
};

static void begin_column(struct writer *w, const char *name)
{
	text_str(w->text, "\n\"");
	text_str(w->text, name);
	text_str(w->text, "\":[");
	w->any = false;
}

static void export_firefox_write_next(struct writer *w)
{
	sink_flush_if_full(w->sink);
	if (w->any)
		text_char(w->text, ',');
	w->any = true;
}

static void export_firefox_write_put_number(struct writer *w, uint64_t number)
{
	export_firefox_write_next(w);
	text_u64(w->text, number);
}

/* Writes null for FOX_NONE. */
static void put_index(struct writer *w, uint32_t index)
{
	export_firefox_write_next(w);
	if (index == FOX_NONE)
		text_str(w->text, "null");
	else
		text_u64(w->text, index);
}

/* Writes nanoseconds as milliseconds. */
static void export_firefox_write_put_time(struct writer *w, uint64_t time)
{
	static const struct text_number six = {
		.width = 6, .precision = -1, .base = 10, .zero = true
	};
	struct text_number rest = six;

	export_firefox_write_next(w);
	text_u64(w->text, time / 1000000);
	text_char(w->text, '.');
	rest.value = time % 1000000;
	text_number(w->text, &rest);
}

/* Clocks may go back to before the first event. */
static uint64_t export_firefox_write_since(const struct writer *w, uint64_t time)
{
	return time > w->base ? time - w->base : 0;
}

/* Writes the same value for all @n rows. */
static void put_column(struct writer *w, const char *name, const char *value, size_t n)
{
	begin_column(w, name);
	for (size_t i = 0; i < n; i++) {
		export_firefox_write_next(w);
		text_str(w->text, value);
	}
	text_str(w->text, "],");
}

static void put_length(struct writer *w, uint64_t n)
{
	text_str(w->text, "\n\"length\":");
	text_u64(w->text, n);
	text_char(w->text, '}');
	sink_flush_if_full(w->sink);
}

/* Passes the JSON to the output. */
static void export_firefox_write_put_json(struct writer *w)
{
	w->fox->nomem |= w->fox->buf.err != 0;
	text_bytes(w->text, strbuf_str(&w->fox->buf), w->fox->buf.len);
	strbuf_clear(&w->fox->buf);
}

static void export_firefox_write_put_samples(struct writer *w, const struct fox_task *task)
{
	static const char *const columns[] = { "stack", "time", "weight" };
	struct fox_sample sample;

	text_str(w->text, ",\n\"samples\":{\"weightType\":\"tracing-ms\",");
	for (size_t i = 0; i < 3; i++) {
		struct spool_reader reader = { .stream = task->samples };

		begin_column(w, columns[i]);
		while (spool_read(&w->fox->spool, &reader, &sample, sizeof(sample))) {
			if (i == 0)
				put_index(w, sample.stack);
			else
				export_firefox_write_put_time(
					w, i == 1 ? export_firefox_write_since(w, sample.start) :
						    sample.duration);
		}
		text_str(w->text, "],");
	}
	put_length(w, task->n_samples);
}

static void export_firefox_write_put_result(struct json *json, int64_t result)
{
	const char *name = result < 0 && result > -4096 ? strerrorname_np((int)-result) : NULL;
	char buf[48];

	snprintf(buf, sizeof(buf), "%" PRId64 "%s%s", result, name ? " " : "", name ?: "");
	json_string(json, "result", buf);
}

static void put_marker_data(struct writer *w, const struct fox_marker *marker, const char *text)
{
	static const char *const types[] = { "syscall", "state", "event" };
	static const char *const keys[] = { "arguments", "why", "text" };

	export_firefox_write_next(w);
	strbuf_clear(&w->fox->buf);
	json_init(&w->json, &w->fox->buf, false);
	json_begin_object(&w->json, NULL);
	json_string(&w->json, "type", types[marker->kind]);
	if (marker->kind == FOX_MARKER_SYSCALL)
		export_firefox_write_put_result(&w->json, marker->result);
	json_string_len(&w->json, keys[marker->kind], text, marker->len);
	json_u64(&w->json, "cpu", marker->cpu);
	json_end_object(&w->json);
	export_firefox_write_put_json(w);
}

static uint64_t marker_name(const struct fox *fox, const struct fox_marker *marker)
{
	switch (marker->kind) {
	case FOX_MARKER_SYSCALL:
		return marker->name;
	case FOX_MARKER_STATE:
		return fox->nest.n_frames + marker->name;
	default:
		return fox->nest.n_frames + TASK_STATES + marker->name;
	}
}

enum column {
	COLUMN_NAME,
	COLUMN_START,
	COLUMN_END,
	COLUMN_PHASE,
	COLUMN_CATEGORY,
	COLUMN_DATA,
	COLUMNS,
};

static void put_marker(struct writer *w, enum column column, const struct fox_marker *marker,
		       const char *text)
{
	static const enum fox_category categories[] = { FOX_SYSCALL, FOX_SCHEDULER, FOX_EVENT };
	bool is_instant = marker->kind == FOX_MARKER_EVENT;

	switch (column) {
	case COLUMN_NAME:
		export_firefox_write_put_number(w, marker_name(w->fox, marker));
		break;
	case COLUMN_START:
		export_firefox_write_put_time(w, export_firefox_write_since(w, marker->start));
		break;
	case COLUMN_END:
		if (is_instant)
			put_index(w, FOX_NONE);
		else
			export_firefox_write_put_time(w,
						      export_firefox_write_since(w, marker->end));
		break;
	case COLUMN_PHASE:
		export_firefox_write_put_number(w, !is_instant);
		break;
	case COLUMN_CATEGORY:
		export_firefox_write_put_number(w, categories[marker->kind]);
		break;
	default:
		put_marker_data(w, marker, text);
		break;
	}
}

static void put_markers(struct writer *w, const struct fox_task *task)
{
	static const char *const columns[COLUMNS] = { "name",  "startTime", "endTime",
						      "phase", "category",  "data" };

	text_str(w->text, ",\n\"markers\":{");
	for (enum column i = 0; i < COLUMNS; i++) {
		struct spool_reader reader = { .stream = task->markers };
		struct fox_marker marker;
		char text[FOX_TEXT_MAX];

		begin_column(w, columns[i]);
		while (spool_read(&w->fox->spool, &reader, &marker, sizeof(marker)) &&
		       spool_read(&w->fox->spool, &reader, text, marker.len))
			put_marker(w, i, &marker, text);
		text_str(w->text, "],");
	}
	put_length(w, task->n_markers);
}

static void put_thread(struct writer *w, uint32_t number)
{
	const struct nest_task *task = w->fox->nest.tasks[number];
	struct strbuf name = { 0 };
	char pid[24];

	nest_put_task(task, report_tasks(w->export->input->report), &name);
	snprintf(pid, sizeof(pid), "%" PRId64, task->key);
	strbuf_clear(&w->fox->buf);
	json_init(&w->json, &w->fox->buf, false);
	json_begin_object(&w->json, NULL);
	json_string(&w->json, "name", strbuf_str(&name));
	json_string(&w->json, "processName", strbuf_str(&name));
	json_string(&w->json, "processType", "default");
	json_bool(&w->json, "isMainThread", true);
	/* Processes must have a name; idle tasks are not processes. */
	json_string(&w->json, "pid", task->key > 0 ? pid : strbuf_str(&name));
	if (task->key > 0)
		json_s64(&w->json, "tid", task->key);
	else
		json_string(&w->json, "tid", strbuf_str(&name));
	json_u64(&w->json, "processStartupTime", 0);
	json_null(&w->json, "processShutdownTime");
	json_u64(&w->json, "registerTime", 0);
	json_null(&w->json, "unregisterTime");
	json_begin_array(&w->json, "pausedRanges");
	json_end_array(&w->json);
	w->fox->nomem |= name.err != 0;
	strbuf_done(&name);
	export_firefox_write_put_json(w);
	export_firefox_write_put_samples(w, &w->fox->tasks[number]);
	put_markers(w, &w->fox->tasks[number]);
	text_char(w->text, '}');
}

static void put_stacks(struct writer *w)
{
	const struct fox *fox = w->fox;

	text_str(w->text, "\"stackTable\":{");
	begin_column(w, "prefix");
	for (size_t i = 0; i < fox->n_stacks; i++)
		put_index(w, fox->stacks[i].below);
	text_str(w->text, "],");
	begin_column(w, "frame");
	for (size_t i = 0; i < fox->n_stacks; i++)
		export_firefox_write_put_number(w, 2 * (uint64_t)fox->stacks[i].frame +
							   fox->stacks[i].inherits);
	text_str(w->text, "],");
	put_length(w, fox->n_stacks);
}

/* Each function has two rows: one with its own category, one with that of its caller. */
static void export_firefox_write_put_frames(struct writer *w)
{
	const struct nest *nest = &w->fox->nest;
	size_t n = 2 * nest->n_frames;

	text_str(w->text, ",\n\"frameTable\":{");
	begin_column(w, "func");
	for (size_t i = 0; i < n; i++)
		export_firefox_write_put_number(w, i / 2);
	text_str(w->text, "],");
	begin_column(w, "category");
	for (uint32_t i = 0; i < n; i++)
		put_index(w, i % 2 ? FOX_NONE : fox_category(nest, i / 2));
	text_str(w->text, "],");
	put_column(w, "address", "-1", n);
	put_column(w, "inlineDepth", "0", n);
	put_column(w, "subcategory", "null", n);
	put_column(w, "nativeSymbol", "null", n);
	put_column(w, "innerWindowID", "null", n);
	put_column(w, "line", "null", n);
	put_column(w, "column", "null", n);
	put_length(w, n);
}

static void export_firefox_write_put_functions(struct writer *w)
{
	size_t n = w->fox->nest.n_frames;

	text_str(w->text, ",\n\"funcTable\":{");
	begin_column(w, "name");
	for (size_t i = 0; i < n; i++)
		export_firefox_write_put_number(w, i);
	text_str(w->text, "],");
	put_column(w, "isJS", "false", n);
	put_column(w, "relevantForJS", "false", n);
	put_column(w, "resource", "-1", n);
	put_column(w, "source", "null", n);
	put_column(w, "lineNumber", "null", n);
	put_column(w, "columnNumber", "null", n);
	put_length(w, n);
}

static void export_firefox_write_put_string(struct writer *w, const char *s)
{
	export_firefox_write_next(w);
	strbuf_clear(&w->fox->buf);
	json_init(&w->json, &w->fox->buf, false);
	json_begin_array(&w->json, NULL);
	json_string(&w->json, NULL, s);
	/* A single value is not a document, so skip the bracket before it. */
	w->fox->nomem |= w->fox->buf.err != 0;
	if (w->fox->buf.len > 1)
		text_bytes(w->text, w->fox->buf.s + 1, w->fox->buf.len - 1);
}

static void export_firefox_write_put_strings(struct writer *w)
{
	const struct fox *fox = w->fox;
	struct strbuf name = { 0 };

	text_char(w->text, ',');
	begin_column(w, "stringArray");
	for (uint32_t i = 0; i < fox->nest.n_frames; i++) {
		strbuf_clear(&name);
		nest_put_name(&fox->nest, i, &name);
		w->fox->nomem |= name.err != 0;
		export_firefox_write_put_string(w, strbuf_str(&name));
	}
	for (enum task_state i = 0; i < TASK_STATES; i++)
		export_firefox_write_put_string(w, state_word(i));
	for (uint32_t i = 0; i < fox->events.n; i++)
		export_firefox_write_put_string(w, fox->event_names[i]);
	text_char(w->text, ']');
	strbuf_done(&name);
}

void fox_write(struct export *export, struct fox *fox)
{
	struct writer w = { .export = export,
			    .fox = fox,
			    .sink = export->sink,
			    .text = &export->sink->text,
			    .base = fox->first_state };
	uint64_t most = 0, shown = 0;

	for (size_t i = 0; i < fox->n_tasks; i++) {
		if (fox->nest.tasks[i]->first < w.base)
			w.base = fox->nest.tasks[i]->first;
		if (fox->tasks[i].n_samples > most) {
			most = fox->tasks[i].n_samples;
			shown = i;
		}
	}
	text_str(w.text, head);
	/* Show the task with the most calls first. */
	if (fox->n_tasks) {
		text_str(w.text, ",\n\"initialSelectedThreads\":[");
		text_u64(w.text, shown);
		text_char(w.text, ']');
	}
	text_str(w.text, "},\n\"libs\":[],\n\"threads\":[");
	for (uint32_t i = 0; i < fox->n_tasks; i++) {
		text_str(w.text, i ? ",\n" : "\n");
		put_thread(&w, i);
	}
	text_str(w.text, "],\n\"shared\":{");
	put_stacks(&w);
	export_firefox_write_put_frames(&w);
	export_firefox_write_put_functions(&w);
	text_str(w.text, ",\n\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],"
			 "\"length\":0},\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
			 "\"name\":[],\"functionSize\":[],\"length\":0},\n"
			 "\"sources\":{\"uuid\":[],\"filename\":[],\"length\":0}");
	export_firefox_write_put_strings(&w);
	text_str(w.text, "}}\n");
}
