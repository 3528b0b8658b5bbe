/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/machine/status.h"

#include <inttypes.h>
#include <string.h>

#include "base/quote.h"
#include "base/str.h"
#include "render/kit/duration.h"
#include "render/kit/json-document.h"

#define COLUMN 14 /* in which values begin */
/* If more events of a system are enabled, only this many are named. */
#define NAMED_MAX 8

static void status_put(struct out *out, const char *name, const char *value)
{
	out_printf(out, OUT_FAINT, "  %-*s", COLUMN - 2, name);
	out_wrap(out, COLUMN, COLUMN, value);
}

static size_t system_len(const char *event)
{
	return strcspn(event, ":");
}

/*
 * Appends the events of one system, beginning with event @i. Returns the index of the first event
 * of the next system.
 */
static size_t put_system(struct strbuf *text, const struct text_list *events, size_t i)
{
	size_t len = system_len(events->items[i]), end = i;

	while (end < events->count && system_len(events->items[end]) == len &&
	       strncmp(events->items[end], events->items[i], len) == 0)
		end++;
	quote_addf(text, "%.*s:", (int)len, events->items[i]);
	for (size_t k = i; k < end && k < i + NAMED_MAX; k++)
		quote_addf(text, " %s", events->items[k] + len + (events->items[k][len] == ':'));
	if (end - i > NAMED_MAX)
		quote_addf(text, " and %zu more", end - i - NAMED_MAX);
	return end;
}

static void status_print_events(struct out *out, const struct text_list *events)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *name = "events";

	if (!events->count) {
		status_put(out, name, "none");
		return;
	}
	for (size_t i = 0; i < events->count; name = "") {
		i = put_system(&text, events, i);
		status_put(out, name, strbuf_str(&text));
		strbuf_clear(&text);
	}
}

static void print_ring(struct out *out, const struct status_buffer *buffer)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (buffer->unused)
		quote_addf(&text, "%" PRIu64 " KB per CPU, %zu CPUs; not allocated yet",
			   buffer->size_kb, buffer->n_cpus);
	else if (!buffer->size_kb)
		quote_addf(&text, "%" PRIu64 " KB in all, different sizes for %zu CPUs",
			   buffer->total_kb, buffer->n_cpus);
	else
		quote_addf(&text, "%" PRIu64 " KB per CPU, %zu CPUs, %" PRIu64 " KB in all",
			   buffer->size_kb, buffer->n_cpus, buffer->total_kb);
	if (buffer->subbuf_kb > 4)
		quote_addf(&text, ", sub-buffers of %" PRIu64 " KB", buffer->subbuf_kb);
	if (buffer->entries)
		quote_addf(&text, "; %" PRIu64 " events", buffer->entries);
	else if (!buffer->unused)
		strbuf_adds(&text, "; empty");
	if (buffer->lost)
		quote_addf(&text, ", %" PRIu64 " lost", buffer->lost);
	status_put(out, "buffer", strbuf_str(&text));
}

/* Returns whether a setting is shown elsewhere. */
static bool status_is_known(const char *setting)
{
	return str_eq(setting, "trace_clock") || str_eq(setting, "buffer_size_kb");
}

static void status_print_settings(struct out *out, const struct pair_list *settings)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *name = "set";

	for (size_t i = 0; i < settings->count; i++) {
		if (status_is_known(settings->items[i].name))
			continue;
		quote_addf(&text, "%s: %s", settings->items[i].name, settings->items[i].text);
		status_put(out, name, strbuf_str(&text));
		strbuf_clear(&text);
		name = "";
	}
}

static void status_print_options(struct out *out, const struct settings *options)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	for (size_t i = 0; i < options->n; i++)
		quote_addf(&text, "%s%s%s", i ? " " : "", options->list[i].on ? "" : "no",
			   options->list[i].name);
	if (text.len)
		status_put(out, "options", strbuf_str(&text));
}

static void print_title(struct out *out, const struct status_buffer *buffer)
{
	const struct session_info *session = buffer->session;

	if (*buffer->state->name)
		out_printf(out, OUT_TITLE, "instance '%s'", buffer->state->name);
	else
		out_printf(out, OUT_TITLE, "top level");
	if (session)
		out_printf(out, OUT_PLAIN, ", session %s (%s): %s", session->id,
			   session_state_name(session->state), session->command);
	out_printf(out, OUT_PLAIN, "\n");
}

static void status_print_buffer(struct out *out, const struct status_buffer *buffer)
{
	const struct state_buffer *state = buffer->state;
	bool none = !*state->tracer || str_eq(state->tracer, "nop");
	char latency[DURATION_SIZE];

	print_title(out, buffer);
	status_put(out, "tracing", state->on ? "on" : "off");
	status_put(out, "tracer", none ? "none" : state->tracer);
	status_print_events(out, &state->events);
	status_print_settings(out, &state->settings);
	print_ring(out, buffer);
	status_put(out, "clock", buffer->clock);
	if (*buffer->cpumask)
		status_put(out, "CPUs", buffer->cpumask);
	if (buffer->max_latency_ns)
		status_put(out, "max latency", duration_text(buffer->max_latency_ns, latency));
	status_print_options(out, &buffer->options);
}

static void print_whole(struct out *out, const struct status *status)
{
	const struct text_list *events = &status->state.dynamic_events;

	if (events->count)
		out_printf(out, OUT_TITLE, "\ndynamic events\n");
	for (size_t i = 0; i < events->count; i++)
		out_printf(out, OUT_PLAIN, "  %s\n", events->items[i]);
	if (status->no_functions)
		out_printf(out, OUT_WARN,
			   "\nfunction tracing is disabled on this machine: "
			   "kernel.ftrace_enabled is 0\n");
	if (status->stack_tracer)
		out_printf(out, OUT_PLAIN,
			   "\nthe stack tracer is enabled; 'fathom stack' shows the deepest "
			   "stack\n");
	/* Until the first error, the file contains a comment. */
	if (strchr(strbuf_str(&status->errors), '['))
		out_printf(out, OUT_TITLE, "\nrecent kernel error messages\n");
	if (strchr(strbuf_str(&status->errors), '['))
		quote_print_lines(out->stream, strbuf_str(&status->errors));
}

void status_print(const struct status *status, const struct status_view *view, struct out *out)
{
	bool any = false;

	for (size_t i = 0; i < status->n; i++) {
		if (!view->shown[i])
			continue;
		if (any)
			out_printf(out, OUT_PLAIN, "\n");
		any = true;
		status_print_buffer(out, &status->buffers[i]);
	}
	if (view->whole)
		print_whole(out, status);
}

static void json_list(struct json *json, const char *key, const struct text_list *list)
{
	json_begin_array(json, key);
	for (size_t i = 0; i < list->count; i++)
		json_string(json, NULL, list->items[i]);
	json_end_array(json);
}

static void json_settings(struct json *json, const struct pair_list *settings)
{
	json_begin_array(json, "settings");
	for (size_t i = 0; i < settings->count; i++) {
		if (status_is_known(settings->items[i].name))
			continue;
		json_begin_object(json, NULL);
		json_string(json, "name", settings->items[i].name);
		json_string(json, "value", settings->items[i].text);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_options(struct json *json, const struct settings *options)
{
	if (!options->n)
		return;
	json_begin_object(json, "options");
	for (size_t i = 0; i < options->n; i++)
		json_bool(json, options->list[i].name, options->list[i].on);
	json_end_object(json);
}

static void json_buffer(struct json *json, const struct status_buffer *buffer)
{
	const struct state_buffer *state = buffer->state;

	json_begin_object(json, NULL);
	json_string(json, "instance", *state->name ? state->name : NULL);
	json_string(json, "session", buffer->session ? buffer->session->id : NULL);
	json_bool(json, "is_on", state->on);
	json_string(json, "tracer", state->tracer);
	json_list(json, "events", &state->events);
	json_settings(json, &state->settings);
	json_u64(json, "cpu_count", buffer->n_cpus);
	json_u64(json, "size_kb", buffer->size_kb);
	json_u64(json, "total_kb", buffer->total_kb);
	json_bool(json, "is_unused", buffer->unused);
	json_u64(json, "entry_count", buffer->entries);
	json_u64(json, "lost_event_count", buffer->lost);
	json_string(json, "clock", buffer->clock);
	json_string(json, "cpumask", *buffer->cpumask ? buffer->cpumask : NULL);
	if (buffer->max_latency_ns)
		json_u64(json, "max_latency_ns", buffer->max_latency_ns);
	else
		json_null(json, "max_latency_ns");
	json_options(json, &buffer->options);
	json_end_object(json);
}

void status_json(const struct status *status, const struct status_view *view, struct strbuf *buf)
{
	_cleanup_json_csv_ struct json_csv table = {
		.member = "buffers",
		.columns = "instance session is_on tracer events cpu_count size_kb total_kb "
			   "is_unused entry_count lost_event_count clock cpumask max_latency_ns"
	};
	struct json json;

	json_document_begin_csv(&json, buf, view->csv ? &table : NULL);
	json_begin_array(&json, "buffers");
	for (size_t i = 0; i < status->n; i++)
		if (view->shown[i])
			json_buffer(&json, &status->buffers[i]);
	json_end_array(&json);
	if (view->whole) {
		json_list(&json, "added_events", &status->state.dynamic_events);
		json_bool(&json, "functions_off", status->no_functions);
		json_bool(&json, "stack_tracer", status->stack_tracer);
		json_string(&json, "error_log", strbuf_str(&status->errors));
	}
	json_document_end(&json, NULL);
}
