/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events as JSON, one object per line, or as CSV. Lines are appended to the text of the report's
 * sink, and cut at SINK_LINE_MAX.
 */
#ifndef FATHOM_RENDER_REPORT_REPORT_JSON_H
#define FATHOM_RENDER_REPORT_REPORT_JSON_H

#include "base/strbuf.h"
#include "format/event/event-format.h"
#include "render/kit/json-document.h"
#include "render/report/report-run.h"

/* The state of the writers below. Empty when zero-initialized; released with report_json_done(). */
struct report_json {
	struct strbuf buf;
};

/* Writers for struct report_run; @data is a struct report_json. */
void report_write_json(void *data, struct report_input *input, struct fathom_event *event,
		       struct text *text);
void report_write_csv(void *data, struct report_input *input, struct fathom_event *event,
		      struct text *text);
/* Appends the line with the names of the columns. */
void report_write_csv_head(struct text *text);
/* Appends the last line: what is missing. */
void report_write_json_end(struct report_json *state, const struct completeness *completeness,
			   struct text *text);
/* Appends a field of an event to the open object. */
void report_json_field(struct json *json, const struct event_field *field,
		       const struct event_format *format, const struct fathom_event *event);
void report_json_done(struct report_json *json);

#endif
