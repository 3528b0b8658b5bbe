/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events in a layout chosen by the user: a list of columns, or a template. A column is one of the
 * names for all events (time, cpu, pid, comm, system, event, buffer, text) or a field, FIELD or
 * EVENT.FIELD. A column that an event lacks is written as "-".
 */
#ifndef FATHOM_RENDER_REPORT_REPORT_FIELDS_H
#define FATHOM_RENDER_REPORT_REPORT_FIELDS_H

#include "base/arena.h"
#include "base/u64-map.h"
#include "render/report/report-run.h"

struct report_column;
struct report_found;

/* Empty when zero-initialized. */
struct report_fields {
	struct arena arena;
	struct report_column *columns;
	size_t n, cap;
	struct u64_map formats; /* formats seen so far, by address */
	struct report_found *found; /* for each of them */
	size_t n_found, cap_found;
};

/* Adds the columns "NAME,...", aligned. Returns 0 or a negative errno. */
int report_fields_list(struct report_fields *fields, const char *list, struct fathom_err *err);
/*
 * Adds the columns of a template: text with %(NAME) or %(NAME:WIDTH), where a negative width aligns
 * to the left, %%, \n, \t and \\. Each event ends with a line break, which the template need not
 * contain. Returns 0 or a negative errno.
 */
int report_fields_template(struct report_fields *fields, const char *text, struct fathom_err *err);
/* Fails with -ENOENT if a column is a field that no event of the report has. */
int report_fields_check(const struct report_fields *fields, struct report *report,
			struct fathom_err *err);
/* A writer for struct report_run; @data is a struct report_fields. */
void report_write_fields(void *data, struct report_input *input, struct fathom_event *event,
			 struct text *text);
void report_fields_done(struct report_fields *fields);

#endif
