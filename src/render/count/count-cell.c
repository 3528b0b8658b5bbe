/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/count/count-cell.h"

#include <inttypes.h>
#include <string.h>

#include "base/errno-name.h"
#include "base/quote.h"
#include "base/str.h"

/* Error numbers of the kernel are below this. */
#define ERRNO_MAX 4095

static void cell_put_address(const struct count_view *view, uint64_t address, struct strbuf *buf)
{
	const struct count_names *names = view->names;
	uint64_t start = address;
	const char *name = names ? names->function(names->data, address, &start) : NULL;

	if (!name)
		strbuf_addf(buf, "0x%" PRIx64, address);
	else if (address == start)
		quote_adds(buf, name);
	else
		quote_addf(buf, "%s+0x%" PRIx64, name, address - start);
}

static void cell_put_site(const struct count_view *view, uint64_t index, struct strbuf *buf)
{
	const struct count_site *site;

	if (index >= view->n_sites) {
		strbuf_addf(buf, "event %" PRIu64, index);
		return;
	}
	site = &view->sites[index];
	if (site->source->kind == COUNT_EVENT)
		quote_addf(buf, "%s:%s", site->format->system, site->format->name);
	else
		quote_adds(buf, site->format ? site->format->name : site->source->text);
}

/* Returns the name of the last component of a key: "ret" of "sys_exit.ret". */
static const char *cell_field(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

static void cell_put_number(const struct count_column *column, int64_t number, struct strbuf *buf)
{
	if (column->is_signed)
		strbuf_addf(buf, "%" PRId64, number);
	else
		strbuf_addf(buf, "%" PRIu64, (uint64_t)number);
}

/* Appends the name of an error: to negative results, and to what is called an error number. */
static void cell_put_error(const struct count_column *column, int64_t number, struct strbuf *buf)
{
	const char *field = cell_field(column->name), *name = NULL;

	if (number < 0 && number >= -ERRNO_MAX &&
	    (str_eq(field, "ret") || str_eq(field, "error") || str_eq(field, "result")))
		name = errno_name((int)-number);
	else if (str_eq(field, "errno") && number && number >= -ERRNO_MAX && number <= ERRNO_MAX)
		name = errno_name((int)(number < 0 ? -number : number));
	if (name)
		quote_addf(buf, " %s", name);
}

void count_cell_put_frame(const struct count_view *view, int64_t id, size_t i, uint64_t address,
			  struct strbuf *buf)
{
	const struct count_names *names = view->names;
	const char *name = names->frame ? names->frame(names->data, id, i, address) : NULL;

	if (name)
		quote_adds(buf, name);
	else
		cell_put_address(view, address, buf);
}

static void cell_put_stack(const struct count_view *view, int64_t id, struct strbuf *buf)
{
	const struct count_names *names = view->names;
	uint64_t addresses[COUNT_FRAMES_MAX];
	size_t n = names && id >= 0 ? names->stack(names->data, id, addresses, COUNT_FRAMES_MAX) :
				      0;

	for (size_t i = 0; i < n; i++) {
		if (i)
			strbuf_addc(buf, ';');
		count_cell_put_frame(view, id, i, addresses[i], buf);
	}
}

void count_cell_put_data(const struct count_view *view, const struct count_row *row,
			 const struct count_column *column, struct strbuf *buf)
{
	int64_t number = column->kind == COUNT_COLUMN_TEXT ? 0 : count_row_number(row, column);

	switch (column->kind) {
	case COUNT_COLUMN_NUMBER:
		cell_put_number(column, number, buf);
		break;
	case COUNT_COLUMN_TEXT:
		quote_adds(buf, count_row_text(row, column));
		break;
	case COUNT_COLUMN_ADDRESS:
		cell_put_address(view, (uint64_t)number, buf);
		break;
	case COUNT_COLUMN_EVENT:
		cell_put_site(view, (uint64_t)number, buf);
		break;
	case COUNT_COLUMN_STACK:
		cell_put_stack(view, number, buf);
		break;
	}
}

void count_cell_put(const struct count_view *view, const struct count_row *row,
		    const struct count_column *column, struct strbuf *buf)
{
	count_cell_put_data(view, row, column, buf);
	if (column->kind == COUNT_COLUMN_NUMBER)
		cell_put_error(column, count_row_number(row, column), buf);
}

bool count_cell_quantile(const struct count_row *row, unsigned part, uint64_t *ret_value)
{
	const uint64_t positive = spread_total(&row->spread), all = positive + row->negative;
	double rank = (double)all * part / 1000;

	if (!positive || rank < (double)row->negative)
		return false;
	part = (unsigned)((rank - (double)row->negative) * 1000 / (double)positive);
	*ret_value = row->negative ? spread_quantile(&row->spread, part) :
				     spread_quantile_within(&row->spread, part, row->sums.min,
							    row->sums.max);
	return true;
}

uint64_t count_cell_mean(const struct count_sums *sums, bool is_signed)
{
	if (!sums->count)
		return 0;
	return is_signed ? (uint64_t)((int64_t)sums->sum / (int64_t)sums->count) :
			   sums->sum / sums->count;
}
