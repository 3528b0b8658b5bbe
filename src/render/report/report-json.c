/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/report/report-json.h"

#include <string.h>

#include "format/event/event-value.h"
#include "render/kit/csv.h"
#include "render/report/report-parts.h"

/* Longer arrays are truncated; an event is at most a page. */
#define ELEMENTS_MAX 65536
#define WORD_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static void report_json_put_number(struct json *json, const char *key, enum event_value_kind kind,
				   uint64_t number)
{
	switch (kind) {
	case EVENT_VALUE_BOOL:
		json_bool(json, key, number);
		break;
	case EVENT_VALUE_ADDRESS:
		json_address(json, key, number);
		break;
	case EVENT_VALUE_SIGNED:
		json_s64(json, key, (int64_t)number);
		break;
	default:
		json_u64(json, key, number);
		break;
	}
}

static void report_json_put_bytes(struct json *json, const char *key,
				  const struct event_value *value)
{
	static const char digits[] = "0123456789abcdef";
	char hex[1024];
	size_t n = 0;

	for (size_t i = 0; i < value->size && n + 2 <= sizeof(hex); i++) {
		hex[n++] = digits[value->bytes[i] >> 4];
		hex[n++] = digits[value->bytes[i] & 15];
	}
	json_string_len(json, key, hex, n);
}

/* An array, which is empty if the record is truncated. */
static void report_json_put_list(struct json *json, const char *key,
				 const struct event_value *value)
{
	json_begin_array(json, key);
	if (value->kind == EVENT_VALUE_ELEMENTS)
		for (size_t i = 0; i < value->n && i < ELEMENTS_MAX; i++)
			report_json_put_number(json, NULL, value->element,
					       event_value_element(value, i));
	else
		for (size_t bit = 0; event_value_next_bit(value, &bit); bit++)
			json_u64(json, NULL, bit);
	json_end_array(json);
}

void report_json_field(struct json *json, const struct event_field *field,
		       const struct event_format *format, const struct fathom_event *event)
{
	struct event_value value;
	bool is_whole = event_value_read(format, field, event->data, event->size, &value);

	if (value.kind == EVENT_VALUE_ELEMENTS || value.kind == EVENT_VALUE_BITS)
		report_json_put_list(json, field->name, &value);
	else if (!is_whole)
		json_null(json, field->name);
	else if (value.kind == EVENT_VALUE_STRING)
		json_string_len(json, field->name, (const char *)value.bytes, value.size);
	else if (value.kind == EVENT_VALUE_BYTES)
		report_json_put_bytes(json, field->name, &value);
	else
		report_json_put_number(json, field->name, value.kind, value.number);
}

static const char *buffer_name(const struct report_input *input, const struct fathom_event *event,
			       struct fathom_trace_buffer *buffer)
{
	return fathom_trace_buffer(input->trace, event->buffer, buffer) == 0 ? buffer->name : "";
}

static void report_json_put_lost(struct json *json, const struct fathom_event *event)
{
	if (event->missed == FATHOM_MISSED_UNKNOWN)
		json_null(json, "lost_before_count");
	else if (event->missed)
		json_u64(json, "lost_before_count", event->missed);
}

static void report_json_take_name(void *data, const char *field, const char *text, size_t len)
{
	json_string_len(data, field, text, len);
}

/* Writes the fields as numbers, and the names of numbers that have any. */
static void report_json_put_fields(struct json *json, struct report_input *input,
				   struct event_entry *entry, const struct fathom_event *event)
{
	const struct event_format *format = entry ? entry->format : NULL;
	const struct print_program *program =
		format ? event_table_program(report_events(input->report), entry, NULL) : NULL;

	json_begin_object(json, "fields");
	for (uint32_t i = 0; format && i < format->n_fields; i++)
		report_json_field(json, &format->fields[i], format, event);
	json_end_object(json);
	json_begin_object(json, "names");
	if (program)
		event_print_names(program, &input->report->env, event->data, event->size,
				  report_json_take_name, json);
	json_end_object(json);
}

void report_write_json(void *data, struct report_input *input, struct fathom_event *event,
		       struct text *text)
{
	struct report_json *state = data;
	struct fathom_trace_buffer buffer;
	struct event_entry *entry =
		event->data ? event_table_find(report_events(input->report), event->id) : NULL;
	const struct event_format *format = entry ? entry->format : NULL;
	struct json json;

	strbuf_clear(&state->buf);
	json_init(&json, &state->buf, false);
	json_begin_object(&json, NULL);
	json_u64(&json, "time_ns", event->time);
	json_u64(&json, "cpu", event->cpu);
	if (input->label)
		json_string(&json, "file", input->label);
	json_string(&json, "buffer", buffer_name(input, event, &buffer));
	report_json_put_lost(&json, event);
	if (event->data) {
		json_s64(&json, "pid", event->pid);
		json_string(&json, "comm",
			    tasks_find(report_tasks(input->report), event->pid)->comm);
		json_string(&json, "system", format ? format->system : NULL);
		json_string(&json, "event", format ? format->name : NULL);
		json_u64(&json, "id", event->id);
		report_json_put_fields(&json, input, entry, event);
		if (format)
			event_user_json(&json, input->report, format, event);
	}
	json_end_object(&json);
	json_end_document(&json);
	input->report->nomem |= state->buf.err != 0;
	text_bytes(text, strbuf_str(&state->buf), state->buf.len);
}

void report_write_json_end(struct report_json *state, const struct completeness *completeness,
			   struct text *text)
{
	struct json json;

	strbuf_clear(&state->buf);
	json_document_begin(&json, &state->buf, false);
	json_document_end(&json, completeness);
	text_bytes(text, strbuf_str(&state->buf), state->buf.len);
}

void report_json_done(struct report_json *json)
{
	strbuf_done(&json->buf);
}

void report_write_csv_head(struct text *text)
{
	text_str(text, "time_ns,cpu,pid,comm,buffer,lost_before_count,system,event,text\n");
}

/* Appends the text of the event without the head of its line. */
static void put_event_text(struct report_json *state, struct report_input *input,
			   struct fathom_event *event, struct text *text)
{
	char *room = strbuf_room(&state->buf, SINK_LINE_MAX / 4);
	struct text line;

	if (!room) {
		input->report->nomem = true;
		return;
	}
	text_init(&line, room, SINK_LINE_MAX / 4);
	report_event_text(input->report, event, &line);
	csv_text(text, line.s, text_len(&line));
}

/* Names of events are identifiers, but a crafted file may have others. */
static void put_bare(struct text *text, const char *name)
{
	if (name[strspn(name, WORD_LETTERS)])
		csv_text(text, name, strlen(name));
	else
		text_str(text, name);
}

void report_write_csv(void *data, struct report_input *input, struct fathom_event *event,
		      struct text *text)
{
	struct report_json *state = data;
	struct fathom_trace_buffer buffer;
	const struct task *task = tasks_find(report_tasks(input->report), event->pid);
	struct event_entry *entry = event_table_find(report_events(input->report), event->id);
	const char *name = buffer_name(input, event, &buffer);

	strbuf_clear(&state->buf);
	text_u64(text, event->time);
	text_char(text, ',');
	text_u64(text, event->cpu);
	text_char(text, ',');
	if (event->data)
		text_s64(text, event->pid);
	text_char(text, ',');
	if (event->data)
		csv_text(text, task->comm, task->len);
	text_char(text, ',');
	csv_text(text, name, strlen(name));
	text_char(text, ',');
	if (event->missed == FATHOM_MISSED_UNKNOWN)
		text_char(text, '?');
	else
		text_u64(text, event->missed);
	text_char(text, ',');
	if (event->data && entry) {
		put_bare(text, entry->format->system);
		text_char(text, ',');
		put_bare(text, entry->format->name);
	} else {
		text_char(text, ',');
	}
	text_char(text, ',');
	if (event->data)
		put_event_text(state, input, event, text);
	text_char(text, '\n');
}
