/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One table of a JSON document as CSV. A command writes its document as always, and the functions of
 * json.h pass each value on to this: only those of one member are kept, so that CSV and JSON have
 * the same values. Used through json_document_begin_csv().
 *
 * An array in a row becomes a list separated by ";"; arrays of objects and objects in a row are
 * left out. A null, and a member that a row lacks, is an empty field.
 */
#ifndef FATHOM_RENDER_KIT_JSON_CSV_H
#define FATHOM_RENDER_KIT_JSON_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

#define JSON_CSV_COLUMNS_MAX 32

/* Initialized with the first two members; released with json_csv_done(). */
struct json_csv {
	/* An array of the document, of which each object is a row, or an object, the only row. */
	const char *member;
	const char *columns; /* members of rows, separated by spaces */
	struct strbuf cells[JSON_CSV_COLUMNS_MAX]; /* of the current row */
	unsigned row; /* the depth of values of rows; 0: outside of the member */
	struct strbuf
		*list; /* the cell of the current array; NULL: not in one, or it has no column */
};

/* Appends the line with the names of the columns. */
void json_csv_head(struct json_csv *csv, struct strbuf *buf);
/* An object or array begins, or ends, at this depth; the document itself is at depth 0. */
void json_csv_begin(struct json_csv *csv, unsigned depth, const char *key, bool is_array);
void json_csv_end(struct json_csv *csv, unsigned depth, struct strbuf *buf);
void json_csv_value(struct json_csv *csv, unsigned depth, const char *key, const char *value,
		    size_t len);
void json_csv_done(struct json_csv *csv);
#define _cleanup_json_csv_ __attribute__((cleanup(json_csv_done)))

#endif
