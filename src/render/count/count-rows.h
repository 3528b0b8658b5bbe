/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of the result as a table, from which text and CSV are printed. */
#ifndef FATHOM_RENDER_COUNT_COUNT_ROWS_H
#define FATHOM_RENDER_COUNT_COUNT_ROWS_H

#include "render/count/count-view.h"
#include "render/kit/table.h"

#define COUNT_ROW_COLUMNS_MAX (COUNT_KEYS_MAX + 9)

/*
 * Fills @table, whose columns are stored in @columns. In the text, stacks are not columns. The
 * caller releases it with table_done(). With @is_data, numbers have no names.
 */
void count_rows_fill(const struct count_view *view, bool is_data,
		     struct table_column columns[COUNT_ROW_COLUMNS_MAX], struct table *table);
/* Returns events per second, in thousandths, and whether they are known. */
bool count_rows_rate(const struct count_view *view, const struct count_row *row,
		     uint64_t *ret_rate);

#endif
