/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders block requests as a table and a heat map, as JSON or as CSV. Durations are in
 * nanoseconds.
 */
#ifndef FATHOM_RENDER_WAITS_IO_H
#define FATHOM_RENDER_WAITS_IO_H

#include "analyze/devices/io.h"
#include "render/kit/out.h"

/* The words for enum io_order, in the same order. */
#define IO_ORDERS "total count bytes max device"
enum io_order {
	IO_BY_TOTAL,
	IO_BY_COUNT,
	IO_BY_BYTES,
	IO_BY_MAX,
	IO_BY_NAME,
};

struct io_view {
	enum io_order order;
	size_t rows; /* number of rows to show; 0: all */
	bool json, csv;
	bool with_map; /* show the heat map in the text */
	bool ascii; /* draw the map in ASCII */
	bool raw_times; /* timestamps are not in nanoseconds */
};

/* Returns 0 or -ENOMEM. Folds the map of @io to fit the width of the text. */
int io_print(struct io *io, const struct io_view *view, struct out *out);

#endif
