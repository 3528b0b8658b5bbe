/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block requests as a table and a heat map, JSON or CSV. */
#ifndef FATHOM_RENDER_WAITS_IO_H
#define FATHOM_RENDER_WAITS_IO_H

#include "analyze/devices/io.h"
#include "render/kit/out.h"

/* IO_ORDERS has a word for each, in the same order. */
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
	size_t rows; /* show so many; 0: all */
	bool json, csv;
	bool with_map; /* in the text */
	bool ascii; /* the map has no other characters */
	bool raw_times; /* times are no nanoseconds */
};

/* 0 or -ENOMEM. The map may be folded to fit the output. */
int io_print(struct io *io, const struct io_view *view, struct out *out);

#endif
