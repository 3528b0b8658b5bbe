/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A table of numbers and names, from which the text, the JSON and the CSV of a command are
 * made, so that they say the same. Cells are added row by row, in the order of the columns.
 * Running out of memory is remembered, so that a caller adds many times and looks once.
 */
#ifndef FATHOM_RENDER_KIT_TABLE_H
#define FATHOM_RENDER_KIT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

enum table_kind {
	TABLE_COUNT,
	TABLE_NS, /* a time that something took */
	TABLE_TIME, /* when something was */
	TABLE_RATE, /* thousandths a second */
	TABLE_BYTES,
	TABLE_NUMBER, /* with a sign, such as a pid */
	TABLE_BOOL,
	TABLE_TEXT,
	TABLE_CUT, /* a count that stands in words behind the row, where there is something to say */
};

struct table_column {
	const char *key; /* in JSON and CSV; NULL: not there */
	const char *title; /* in the text; NULL: not there */
	enum table_kind kind;
};

struct table_cell {
	bool is_null; /* nothing is known */
	union {
		uint64_t number;
		const char *text;
	};
};

/* Zero-initialised with the columns set is empty. */
struct table {
	const struct table_column *columns;
	size_t n_columns;
	bool raw_times; /* those of TABLE_TIME are no nanoseconds */
	struct table_cell *cells;
	size_t n, cap; /* cells */
	struct arena arena; /* texts */
	bool nomem;
};

void table_number(struct table *table, uint64_t value);
/* @text is copied; NULL becomes a null. */
void table_text(struct table *table, const char *text);
void table_null(struct table *table);
/* The number, or a null where it is not known. */
void table_known(struct table *table, uint64_t value, bool known);
size_t table_rows(const struct table *table);

/*
 * Sorts by the column of that key, the largest numbers or the first names first; what is equal by
 * the column of @then, and so on by its columns from the last on. Unknown keys change nothing.
 */
void table_sort(struct table *table, const char *key, const char *then);

/* The text of the first @rows rows (0: all), with titles. 0 or -ENOMEM. */
int table_print(const struct table *table, size_t rows, struct out *out);
/* Adds all rows as an array of objects. */
void table_json(const struct table *table, struct json *json, const char *key, size_t rows);
/* All rows below a line with the keys. 0 or -ENOMEM. */
int table_print_csv(const struct table *table, size_t rows, struct out *out);
void table_done(struct table *table);

/* "1234.567890", with nine digits behind the point if @exact; as it is if @raw. Returns @buf. */
#define TIME_TEXT_SIZE 32
const char *time_text(uint64_t time, bool raw, bool exact, char buf[TIME_TEXT_SIZE]);

#endif
