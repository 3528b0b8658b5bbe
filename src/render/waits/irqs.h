/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interrupts as a table, JSON or CSV. */
#ifndef FATHOM_RENDER_WAITS_IRQS_H
#define FATHOM_RENDER_WAITS_IRQS_H

#include "analyze/devices/irqs.h"
#include "render/kit/out.h"

/* IRQS_ORDERS has a word for each, in the same order. */
#define IRQS_ORDERS "total count max wait name"
enum irqs_order {
	IRQS_BY_TOTAL,
	IRQS_BY_COUNT,
	IRQS_BY_MAX,
	IRQS_BY_WAIT, /* the longest */
	IRQS_BY_NAME,
};

struct irqs_view {
	enum irqs_order order;
	size_t rows; /* show so many; 0: all */
	bool json, csv;
	bool raw_times; /* times are no nanoseconds */
};

/* 0 or -ENOMEM. */
int irqs_print(const struct irqs *irqs, const struct irqs_view *view, struct out *out);

#endif
