/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/report/report-fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "format/event/event-value.h"
#include "render/report/report-parts.h"

#define WIDTH_MAX    200
#define ELEMENTS_MAX 4096
#define NAMES	     "time, cpu, pid, comm, system, event, buffer, text"

enum report_column_kind {
	COLUMN_LITERAL,
	COLUMN_TIME,
	COLUMN_CPU,
	COLUMN_PID,
	COLUMN_COMM,
	COLUMN_SYSTEM,
	COLUMN_EVENT,
	COLUMN_BUFFER,
	COLUMN_TEXT,
	COLUMN_FIELD,
};

struct report_column {
	enum report_column_kind kind;
	const char *name; /* of the field; or the literal text */
	const char *event; /* that the field belongs to; NULL: any */
	size_t len;
	int width; /* negative: aligned to the left */
};

/* For a format, the field of each column, or NULL. */
struct report_found {
	const struct event_field **fields;
};

/* The names that apply to all events, and their widths in a list. */
static const struct {
	const char *name;
	enum report_column_kind kind;
	int width;
} report_columns[] = {
	{ "time", COLUMN_TIME, 14 },	  { "cpu", COLUMN_CPU, 3 },
	{ "pid", COLUMN_PID, 7 },	  { "comm", COLUMN_COMM, -16 },
	{ "system", COLUMN_SYSTEM, -12 }, { "event", COLUMN_EVENT, -24 },
	{ "buffer", COLUMN_BUFFER, -12 }, { "text", COLUMN_TEXT, 0 },
};

static struct report_column *report_fields_add(struct report_fields *fields, const char *text,
					       size_t len, struct fathom_err *err)
{
	struct report_column *column;

	if (mem_reserve(&fields->columns, &fields->cap, fields->n + 1, sizeof(fields->columns[0])) <
	    0) {
		err_nomem(err);
		return NULL;
	}
	column = &fields->columns[fields->n];
	*column = (struct report_column){ .name = arena_strndup(&fields->arena, text, len),
					  .len = len };
	if (!column->name) {
		err_nomem(err);
		return NULL;
	}
	fields->n++;
	return column;
}

static int report_fields_name(struct report_fields *fields, const char *text, size_t len,
			      struct report_column **ret_column, struct fathom_err *err)
{
	struct report_column *column;
	const char *dot;

	if (!len)
		return err_set(err, -EINVAL,
			       "empty column name: expected one of " NAMES ", or a field");
	column = report_fields_add(fields, text, len, err);
	if (!column)
		return -ENOMEM;
	*ret_column = column;
	for (size_t i = 0; i < ARRAY_SIZE(report_columns); i++)
		if (str_eq(column->name, report_columns[i].name)) {
			column->kind = report_columns[i].kind;
			column->width = report_columns[i].width;
			return 0;
		}
	column->kind = COLUMN_FIELD;
	dot = strchr(column->name, '.');
	if (!dot)
		return 0;
	column->event = arena_strndup(&fields->arena, column->name, (size_t)(dot - column->name));
	column->name = dot + 1;
	return column->event ? 0 : err_nomem(err);
}

static int report_fields_literal(struct report_fields *fields, const char *text, size_t len,
				 struct fathom_err *err)
{
	return !len || report_fields_add(fields, text, len, err) ? 0 : -ENOMEM;
}

int report_fields_list(struct report_fields *fields, const char *list, struct fathom_err *err)
{
	struct report_column *column;

	for (;; list++) {
		size_t len = strcspn(list, ",");
		int r = report_fields_name(fields, list, len, &column, err);

		if (r == 0 && list[len])
			r = report_fields_literal(fields, " ", 1, err);
		if (r < 0)
			return r;
		list += len;
		if (!*list)
			break;
	}
	/* The last column has no blanks after it. */
	if (column->width < 0)
		column->width = 0;
	return 0;
}

/* "%(NAME)" or "%(NAME:WIDTH)"; *@text is moved to its end. */
static int report_fields_placeholder(struct report_fields *fields, const char **text,
				     struct fathom_err *err)
{
	const char *name = *text + 2, *end = strchr(name, ')');
	size_t len = strcspn(name, ":)");
	struct report_column *column;
	char *rest;
	long width;
	int r;

	if (!end)
		return err_set(err, -EINVAL, "unclosed '%%(' in the template: expected '%%(NAME)'");
	r = report_fields_name(fields, name, len, &column, err);
	if (r < 0)
		return r;
	column->width = 0;
	*text = end + 1;
	if (name[len] != ':')
		return 0;
	width = strtol(name + len + 1, &rest, 10);
	if (rest != end || rest == name + len + 1 || width < -WIDTH_MAX || width > WIDTH_MAX)
		return err_set(err, -EINVAL,
			       "invalid width of '%s' in the template: expected -%d to %d",
			       column->name, WIDTH_MAX, WIDTH_MAX);
	column->width = (int)width;
	return 0;
}

int report_fields_template(struct report_fields *fields, const char *text, struct fathom_err *err)
{
	int r = 0;

	while (r == 0 && *text) {
		size_t len = strcspn(text, "%\\");

		r = report_fields_literal(fields, text, len, err);
		text += len;
		if (r < 0 || !*text)
			break;
		if (text[0] == '%' && text[1] == '(') {
			r = report_fields_placeholder(fields, &text, err);
			continue;
		}
		if (text[0] == '%' && text[1] != '%')
			return err_set(
				err, -EINVAL,
				"invalid '%%' in the template: expected '%%(NAME)' or '%%%%'");
		if (text[0] == '\\' && text[1] == 'n')
			r = report_fields_literal(fields, "\n", 1, err);
		else if (text[0] == '\\' && text[1] == 't')
			r = report_fields_literal(fields, "\t", 1, err);
		else if (text[0] == text[1])
			r = report_fields_literal(fields, text, 1, err);
		else
			return err_set(err, -EINVAL,
				       "invalid '\\' in the template: expected \\n, \\t or \\\\");
		text += 2;
	}
	/* report_write_fields() ends the line. */
	if (r == 0 && fields->n) {
		struct report_column *last = &fields->columns[fields->n - 1];

		if (last->kind == COLUMN_LITERAL && last->name[last->len - 1] == '\n')
			last->len--;
	}
	return r;
}

static bool report_fields_found(const struct report_column *column, struct report *report)
{
	struct event_table *events = report_events(report);

	for (size_t i = 0; i < events->n; i++) {
		const struct event_format *format =
			event_table_format(events, &events->entries[i], NULL);

		if (format && (!column->event || str_eq(column->event, format->name)) &&
		    event_field_find(format, column->name))
			return true;
	}
	return false;
}

int report_fields_check(const struct report_fields *fields, struct report *report,
			struct fathom_err *err)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct report_column *column = &fields->columns[i];

		if (column->kind != COLUMN_FIELD || report_fields_found(column, report))
			continue;
		if (column->event)
			return err_set(err, -ENOENT,
				       "no event '%s' with a field '%s' in the file; use "
				       "--event='%s' to show its fields",
				       column->event, column->name, column->event);
		return err_set(
			err, -ENOENT,
			"no event in the file has a field '%s': expected a field, or one of " NAMES,
			column->name);
	}
	return 0;
}

static void report_fields_put_number(enum event_value_kind kind, uint64_t number, struct text *text)
{
	if (kind == EVENT_VALUE_ADDRESS) {
		text_str(text, "0x");
		text_hex(text, number);
	} else if (kind == EVENT_VALUE_SIGNED) {
		text_s64(text, (int64_t)number);
	} else {
		text_u64(text, number);
	}
}

/* Returns false if the event has no such field, or if the record is truncated. */
static bool report_fields_put_field(const struct event_format *format,
				    const struct event_field *field,
				    const struct fathom_event *event, struct text *text)
{
	struct event_value value;

	if (!event_value_read(format, field, event->data, event->size, &value))
		return value.kind == EVENT_VALUE_ELEMENTS;
	switch (value.kind) {
	case EVENT_VALUE_STRING:
		quote_text(text, (const char *)value.bytes, value.size);
		break;
	case EVENT_VALUE_ELEMENTS:
		for (size_t i = 0; i < value.n && i < ELEMENTS_MAX; i++) {
			if (i)
				text_char(text, ',');
			report_fields_put_number(value.element, event_value_element(&value, i),
						 text);
		}
		break;
	case EVENT_VALUE_BITS:
	case EVENT_VALUE_BYTES:
		for (size_t i = 0; i < value.size; i++)
			text_hex_byte(text, value.bytes[i], false);
		break;
	default:
		report_fields_put_number(value.kind, value.number, text);
		break;
	}
	return true;
}

static const struct event_field *report_fields_find(const struct report_column *column,
						    const struct event_format *format)
{
	if (column->kind != COLUMN_FIELD || (column->event && !str_eq(column->event, format->name)))
		return NULL;
	return event_field_find(format, column->name);
}

/* Returns the field of each column in events of this format, found once per format; NULL if out of memory. */
static const struct event_field *const *report_fields_of(struct report_fields *fields,
							 const struct event_format *format)
{
	struct report_found *found = u64_map_element(&fields->formats, (uintptr_t)format,
						     &fields->found, &fields->n_found,
						     &fields->cap_found, sizeof(*found));

	if (!found)
		return NULL;
	if (!found->fields) {
		found->fields =
			arena_zalloc(&fields->arena, fields->n, sizeof(const struct event_field *));
		for (size_t i = 0; found->fields && i < fields->n; i++)
			found->fields[i] = report_fields_find(&fields->columns[i], format);
	}
	return found->fields;
}

/* Returns false if the event does not have it. */
static bool report_fields_put(const struct report_column *column, const struct event_field *field,
			      struct report_input *input, struct fathom_event *event,
			      const struct event_format *format, struct text *text)
{
	const struct task *task;
	struct fathom_trace_buffer buffer;

	switch (column->kind) {
	case COLUMN_LITERAL:
		text_bytes(text, column->name, column->len);
		return true;
	case COLUMN_TIME:
		report_time_text(input->report, event->buffer, event->time, text);
		return true;
	case COLUMN_CPU:
		text_u64(text, event->cpu);
		return true;
	case COLUMN_BUFFER:
		if (fathom_trace_buffer(input->trace, event->buffer, &buffer) < 0 || !*buffer.name)
			return false;
		quote_text_str(text, buffer.name);
		return true;
	case COLUMN_PID:
		text_s64(text, event->pid);
		return true;
	case COLUMN_COMM:
		task = tasks_find(report_tasks(input->report), event->pid);
		quote_text(text, task->comm, task->len);
		return true;
	case COLUMN_SYSTEM:
	case COLUMN_EVENT:
		if (!format)
			return false;
		quote_text_str(text, column->kind == COLUMN_EVENT ? format->name : format->system);
		return true;
	case COLUMN_TEXT:
		report_event_text(input->report, event, text);
		return true;
	default:
		break;
	}
	return field && report_fields_put_field(format, field, event, text);
}

void report_write_fields(void *data, struct report_input *input, struct fathom_event *event,
			 struct text *text)
{
	struct report_fields *fields = data;
	const struct event_entry *entry;
	const struct event_format *format;
	const struct event_field *const *found;

	/* This only reports lost events, at the end of a CPU. */
	if (!event->data)
		return;
	entry = event_table_find(report_events(input->report), event->id);
	format = entry ? entry->format : NULL;
	found = format ? report_fields_of(fields, format) : NULL;
	for (size_t i = 0; i < fields->n; i++) {
		const struct report_column *column = &fields->columns[i];
		const struct event_field *field = NULL;
		size_t start = text_len(text);

		if (format)
			field = found ? found[i] : report_fields_find(column, format);
		if (!report_fields_put(column, field, input, event, format, text)) {
			text_truncate(text, start);
			text_char(text, '-');
		}
		if (column->width)
			text_pad(text, start,
				 (size_t)(column->width < 0 ? -column->width : column->width),
				 column->width < 0);
	}
	text_char(text, '\n');
}

void report_fields_done(struct report_fields *fields)
{
	u64_map_done(&fields->formats);
	free(fields->found);
	free(fields->columns);
	arena_done(&fields->arena);
}
