/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A profile for the Firefox Profiler, in its processed format. Each task is a thread. Its calls are
 * samples, one for each period in which no call began or ended, weighted by the length of the
 * period, so the call tree shows exact times. System calls, task states and all other events are
 * markers.
 *
 * The file has a column for each property of samples and markers, so these go through a temporary
 * file; memory is needed for tasks, functions and call paths only.
 */
#include "render/export/export-firefox.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

static void export_firefox_opened(void *data, const struct nest_task *task, uint32_t frame,
				  uint64_t time)
{
	struct fox *fox = data;
	struct fox_task *own = fox_get_task(fox, task);
	uint32_t stack;

	if (!own)
		return;
	/* The first call may have begun shortly before its event. */
	if (!own->n_samples && own->stack == FOX_NONE && time < own->since)
		own->since = time;
	fox_end_sample(fox, own, time, false);
	stack = fox_get_stack(fox, own->stack, frame);
	if (stack == FOX_NONE)
		fox->nomem = true;
	else
		own->stack = stack;
}

static void export_firefox_closed(void *data, const struct nest_task *task, uint32_t frame,
				  uint64_t time)
{
	struct fox *fox = data;
	struct fox_task *own = fox_get_task(fox, task);

	if (!own)
		return;
	fox_end_sample(fox, own, time, false);
	/* It was not opened if memory was exhausted. */
	if (own->stack != FOX_NONE && fox->stacks[own->stack].frame == frame)
		own->stack = fox->stacks[own->stack].below;
}

/* Prints the event as the kernel would. Returns the length. */
static size_t event_text(struct export *export, struct fathom_event *event, char *buf)
{
	struct text text;

	text_init(&text, buf, FOX_TEXT_MAX);
	report_event_text(export->input->report, event, &text);
	export->shortened += text.cut;
	return text_len(&text);
}

static void begin_call(struct export *export, struct fox_task *task, struct fathom_event *event)
{
	struct fox *fox = export->state;

	if (!task->arguments)
		task->arguments = arena_alloc(&fox->arena, FOX_TEXT_MAX);
	if (task->arguments)
		task->arguments_len = event_text(export, event, task->arguments);
	else
		fox->nomem = true;
}

static void export_firefox_end_call(struct fox *fox, const struct nest_task *nest,
				    struct fox_task *task, const struct decoded_event *decoded)
{
	struct fox_marker marker = { .start = nest->call_start,
				     .end = nest->last,
				     .kind = FOX_MARKER_SYSCALL,
				     .name = nest->call,
				     .cpu = decoded->event->cpu,
				     .result = decoded->call_number.result,
				     .len = (uint32_t)task->arguments_len };

	if (task->arguments)
		fox_add_marker(fox, task, marker, task->arguments);
}

/* Returns the index of the event's name, or FOX_NONE if memory is exhausted. */
static uint32_t event_name(struct fox *fox, const struct decoded_event *decoded)
{
	uint32_t known = fox->events.n, place;
	const struct event_format *format = decoded->entry ? decoded->entry->format : NULL;

	if (mem_reserve(&fox->event_names, &fox->cap_event_names, (size_t)known + 1,
			sizeof(*fox->event_names)) < 0)
		return FOX_NONE;
	place = u64_map_put(&fox->events, decoded->event->id);
	if (place != U64_MAP_NONE && place == known) {
		fox->event_names[place] =
			format ? arena_printf(&fox->arena, "%s:%s", format->system, format->name) :
				 "unknown";
		fox->nomem |= !fox->event_names[place];
	}
	return place;
}

static void export_firefox_mark_event(struct export *export, struct fox_task *task,
				      const struct decoded_event *decoded,
				      struct fathom_event *event)
{
	struct fox *fox = export->state;
	char buf[FOX_TEXT_MAX];
	struct fox_marker marker = { .start = event->time,
				     .kind = FOX_MARKER_EVENT,
				     .name = event_name(fox, decoded),
				     .cpu = event->cpu };

	if (marker.name == FOX_NONE) {
		fox->nomem = true;
		return;
	}
	export->unknown += !decoded->entry;
	if (decoded->entry)
		marker.len = (uint32_t)event_text(export, event, buf);
	fox_add_marker(fox, task, marker, buf);
}

static int export_firefox_prepare(struct export *export, struct fathom_err *err)
{
	struct fox *fox = export->state;

	fox->spool = (struct spool)SPOOL_NONE;
	fox->spans = (struct call_spans)CALL_SPANS_NONE;
	return spool_open(&fox->spool, err) ?: call_spans_open(&fox->spans, err);
}

static int export_firefox_begin(struct export *export, struct fathom_err *err)
{
	struct fox *fox = export->state;

	nest_begin(&fox->nest, export->input, &fox->spans, export_firefox_opened,
		   export_firefox_closed, fox);
	fox->first_state = UINT64_MAX;
	return 0;
}

static void export_firefox_take_decoded(void *data, const struct decoded_event *decoded)
{
	struct export *export = data;
	struct fox *fox = export->state;
	struct fathom_event event = *decoded->event;
	struct nest_task *nest;
	struct fox_task *task;
	enum nest_kind kind;

	nest = nest_feed(&fox->nest, decoded, &kind);
	task = nest ? fox_get_task(fox, nest) : NULL;
	if (!task)
		return;
	/* The start or end of a user function was already shown by an earlier event. */
	if (kind == NEST_FUNCTION && decoded->call.is_user)
		return;
	export->events++;
	if (kind == NEST_ENTRY)
		begin_call(export, task, &event);
	else if (kind == NEST_EXIT)
		export_firefox_end_call(fox, nest, task, decoded);
	else if (kind == NEST_OTHER && decoded->kind != DECODED_RETURN &&
		 decoded->kind != DECODED_USER)
		export_firefox_mark_event(export, task, decoded, &event);
}

static void export_firefox_take_first(void *data, struct report_input *input,
				      struct fathom_event *event, struct text *text)
{
	struct export *export = data;
	struct fox *fox = export->state;

	nest_take_first(&fox->nest, event);
}

static void export_firefox_take_event(void *data, struct report_input *input,
				      struct fathom_event *event, struct text *text)
{
	struct export *export = data;
	struct fox *fox = export->state;

	nest_take(&fox->nest, event, export_firefox_take_decoded, export);
}

static int export_firefox_end(struct export *export, struct fathom_err *err)
{
	struct fox *fox = export->state;
	int r;

	fox->nomem |= nest_finish(&fox->nest) < 0;
	r = fox_take_states(fox, export, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < fox->n_tasks; i++) {
		struct fox_task *task = &fox->tasks[i];
		uint64_t last = fox->nest.tasks[i]->last;

		fox_end_sample(fox, task, last > task->since ? last : task->since, true);
	}
	fox_write(export, fox);
	if (fox->nomem)
		return err_nomem(err);
	return call_spans_failed(fox->spool.err ?: fox->spans.err, err);
}

static void export_firefox_done(struct export *export)
{
	struct fox *fox = export->state;

	nest_done(&fox->nest);
	call_spans_done(&fox->spans);
	spool_done(&fox->spool);
	free(fox->tasks);
	free(fox->stacks);
	u64_map_done(&fox->paths);
	u64_map_done(&fox->events);
	free(fox->event_names);
	arena_done(&fox->arena);
	strbuf_done(&fox->buf);
}

const struct export_output export_firefox = {
	.name = "firefox",
	.suffix = ".firefox.json",
	.summary = "Firefox Profiler (calls, states and events of each task)",
	.open = "open it at https://profiler.firefox.com",
	.state_size = sizeof(struct fox),
	.prepare = export_firefox_prepare,
	.begin = export_firefox_begin,
	.first = export_firefox_take_first,
	.event = export_firefox_take_event,
	.end = export_firefox_end,
	.done = export_firefox_done,
};
