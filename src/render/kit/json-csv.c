/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/json-csv.h"

#include <string.h>

#include "base/str.h"
#include "render/kit/csv.h"

#define MEMBERS 1 /* the depth of members of the document */

void json_csv_head(struct json_csv *csv, struct strbuf *buf)
{
	for (const char *p = csv->columns; *p; p++)
		strbuf_addc(buf, *p == ' ' ? ',' : *p);
	strbuf_addc(buf, '\n');
}

/* Returns the cell of a member of a row, or NULL if it is not a column. */
static struct strbuf *json_csv_cell(struct json_csv *csv, const char *key)
{
	const char *word = csv->columns;

	for (size_t i = 0; key && i < JSON_CSV_COLUMNS_MAX && *word; i++) {
		size_t len = strcspn(word, " ");

		if (strlen(key) == len && memcmp(key, word, len) == 0)
			return &csv->cells[i];
		word += len + (word[len] == ' ');
	}
	return NULL;
}

void json_csv_begin(struct json_csv *csv, unsigned depth, const char *key, bool is_array)
{
	if (depth == MEMBERS && key && str_eq(key, csv->member))
		csv->row = is_array ? MEMBERS + 2 : MEMBERS + 1;
	else if (csv->row && depth == csv->row && is_array)
		csv->list = json_csv_cell(csv, key);
}

static void json_csv_put_row(struct json_csv *csv, struct strbuf *buf)
{
	const char *word = csv->columns;

	for (size_t i = 0; i < JSON_CSV_COLUMNS_MAX && *word; i++) {
		struct strbuf *cell = &csv->cells[i];

		if (i)
			strbuf_addc(buf, ',');
		csv_put_bare(buf, strbuf_str(cell));
		if (cell->err)
			buf->err = cell->err;
		strbuf_clear(cell);
		word += strcspn(word, " ");
		word += *word == ' ';
	}
	strbuf_addc(buf, '\n');
}

void json_csv_end(struct json_csv *csv, unsigned depth, struct strbuf *buf)
{
	if (!csv->row)
		return;
	if (depth == csv->row)
		csv->list = NULL;
	if (depth + 1 == csv->row)
		json_csv_put_row(csv, buf);
	if (depth == MEMBERS)
		csv->row = 0;
}

void json_csv_value(struct json_csv *csv, unsigned depth, const char *key, const char *value,
		    size_t len)
{
	struct strbuf *cell = NULL;

	if (csv->row && depth == csv->row)
		cell = json_csv_cell(csv, key);
	else if (csv->list && depth == csv->row + 1)
		cell = csv->list;
	if (!cell)
		return;
	if (cell == csv->list && cell->len)
		strbuf_addc(cell, ';');
	strbuf_add(cell, value, len);
}

void json_csv_done(struct json_csv *csv)
{
	for (size_t i = 0; i < JSON_CSV_COLUMNS_MAX; i++)
		strbuf_done(&csv->cells[i]);
}
