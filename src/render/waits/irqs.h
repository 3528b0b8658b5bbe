/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Renders interrupts as a table, JSON or CSV. Durations are in nanoseconds. */
#ifndef FATHOM_RENDER_WAITS_IRQS_H
#define FATHOM_RENDER_WAITS_IRQS_H

#include "analyze/devices/irqs.h"
#include "render/kit/out.h"

/* The words for enum irqs_order, in the same order. */
#define IRQS_ORDERS "total count max wait name"
enum irqs_order {
	IRQS_BY_TOTAL,
	IRQS_BY_COUNT,
	IRQS_BY_MAX,
	IRQS_BY_WAIT, /* the longest delay */
	IRQS_BY_NAME,
};

struct irqs_view {
	enum irqs_order order;
	size_t rows; /* number of rows to show; 0: all */
	bool json, csv;
	bool raw_times; /* timestamps are not in nanoseconds */
};

/* Returns 0 or -ENOMEM. */
int irqs_print(const struct irqs *irqs, const struct irqs_view *view, struct out *out);

#endif
