/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values and keys of a row. */
#ifndef FATHOM_RENDER_COUNT_COUNT_CELL_H
#define FATHOM_RENDER_COUNT_COUNT_CELL_H

#include "base/strbuf.h"
#include "render/count/count-view.h"

#define COUNT_FRAMES_MAX 127

/* Appends a key, quoted. Stacks are a list of functions, innermost first, separated by ';'. */
void count_cell_put(const struct count_view *view, const struct count_row *row,
		    const struct count_column *column, struct strbuf *buf);
/* The same, but numbers without a name. */
void count_cell_put_data(const struct count_view *view, const struct count_row *row,
			 const struct count_column *column, struct strbuf *buf);
/* Appends frame @i of a stack, quoted. */
void count_cell_put_frame(const struct count_view *view, int64_t id, size_t i, uint64_t address,
			  struct strbuf *buf);
/*
 * Returns whether the quantile of a distribution is known, and stores it. It is not if it is among
 * the negative values, of which only the number is known.
 */
bool count_cell_quantile(const struct count_row *row, unsigned part, uint64_t *ret_value);
/* The mean of the values: a signed number if the values are signed. */
uint64_t count_cell_mean(const struct count_sums *sums, bool is_signed);

#endif
