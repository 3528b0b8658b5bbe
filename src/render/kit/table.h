/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A table from which the text, JSON and CSV of a command are made, so that all have the same
 * contents. Cells are added row by row, in the order of the columns. If memory is exhausted, @nomem
 * is set and cells are missing: the functions that print text and CSV return -ENOMEM, but callers
 * of table_json() check @nomem themselves. Not thread-safe.
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
	TABLE_NS, /* a duration */
	TABLE_TIME, /* a timestamp */
	TABLE_RATE, /* thousandths per second */
	TABLE_BYTES,
	TABLE_NUMBER, /* signed, such as a process ID */
	TABLE_BOOL,
	TABLE_ADDRESS,
	TABLE_WORD, /* text in place of a number, aligned like one */
	TABLE_TEXT,
	TABLE_CUT, /* a count shown in parentheses after the row, unless it is 0 */
};

struct table_column {
	const char *key; /* in JSON and CSV; NULL: not shown there */
	const char *title; /* in the text; NULL: not shown there */
	enum table_kind kind;
	unsigned rank; /* if the width is too small, numbers of a higher rank are left out first */
	unsigned width; /* of numbers in the text; 0: that of their kind */
};

struct table_cell {
	bool is_null; /* unknown */
	union {
		uint64_t number;
		const char *text;
	};
};

/*
 * An empty table is zero-initialized except for its columns, which are not copied. Released with
 * table_done().
 */
struct table {
	const struct table_column *columns;
	size_t n_columns;
	bool raw_times; /* timestamps are not in nanoseconds */
	/* Appends lines to be printed below a row of the text; NULL: none. */
	void (*below)(void *data, size_t row, struct strbuf *buf);
	void *below_data;
	unsigned text_space; /* kept for the text at the end of rows; 0: what it needs, within limits */
	struct table_cell *cells;
	size_t n, cap; /* of @cells */
	struct arena arena; /* owns the texts of cells */
	bool nomem;
};

void table_number(struct table *table, uint64_t value);
/* Copies @text; NULL becomes a null. */
void table_text(struct table *table, const char *text);
void table_null(struct table *table);
/* Adds the number, or a null if it is not known. */
void table_known(struct table *table, uint64_t value, bool known);
size_t table_rows(const struct table *table);

/*
 * Sorts the rows by the column with this key: numbers in descending, names in ascending order. Ties
 * are broken by the column @then, then by the other columns, beginning with the last. Unknown keys
 * are ignored.
 */
void table_sort(struct table *table, const char *key, const char *then);

/*
 * Prints a line of titles and the first @rows rows (0: all), fitted to the width (see fit.h): of columns of the same
 * rank, the last is left out first; the first column always stays. Returns 0 or -ENOMEM.
 */
int table_print(const struct table *table, size_t rows, struct out *out);
/* Appends the first @rows rows (0: all) as an array of objects; an empty one if @nomem is set. */
void table_json(const struct table *table, struct json *json, const char *key, size_t rows);
/* Prints a line of keys and the first @rows rows (0: all). Returns 0 or -ENOMEM. */
int table_print_csv(const struct table *table, size_t rows, struct out *out);
void table_done(struct table *table);

/*
 * Formats nanoseconds as seconds, "1234.567890", with nine decimals if @exact; as an integer if
 * @raw. Returns @buf.
 */
#define TIME_TEXT_SIZE 32
const char *time_text(uint64_t time, bool raw, bool exact, char buf[TIME_TEXT_SIZE]);

#endif
