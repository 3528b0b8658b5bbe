/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interrupts: how often their handlers ran and for how long, those of devices by number and
 * handler, the CPU's own by vector, software interrupts by their kind; and how long those waited that
 * were raised.
 *
 * A run has a time only when both its ends were seen on its CPU and no events were lost there
 * between. Of one that began before the window, or goes on when that ends, the part inside has one. A software interrupt is known to have waited only when it is known that nobody had raised
 * it before: not until it was seen to run once, from the first event and from each gap on.
 */
#ifndef FATHOM_ANALYZE_DEVICES_IRQS_H
#define FATHOM_ANALYZE_DEVICES_IRQS_H

#include "analyze/stream/decoded-event.h"
#include "analyze/sums/latency.h"
#include "base/u64-map.h"

#define IRQS_ALL_CPUS UINT32_MAX

enum irq_kind {
	IRQ_DEVICE,
	IRQ_VECTOR, /* of the CPU itself: its timer, other CPUs */
	IRQ_SOFT,
};

struct irq_row {
	enum irq_kind kind;
	int64_t number;
	const char *name; /* of the handler, "local_timer", "NET_RX"; NULL: not known */
	uint32_t cpu; /* IRQS_ALL_CPUS: of all together */
	uint32_t next; /* the next one of this number; + 1 */
	uint64_t cut; /* runs of which an end is missing, or not in the window */
	struct latency took;
	struct latency waited; /* software interrupts, from being raised to running */
	/* Time of parts of runs and waits that reach beyond the window; not in those two. */
	uint64_t took_partial, waited_partial;
};

/* Zero-initialised is empty. */
struct irqs {
	/* Set before the first event: */
	bool by_cpu; /* a row for each CPU */
	bool no_waits; /* some events are not in the recording, so it is not known who waited */
	bool is_filtered; /* some events are unwanted: what has not begun by the end may be */
	uint64_t from; /* runs and waits are clipped there */

	bool is_early; /* what is fed is before the window */
	struct u64_map numbers; /* by kind, number and CPU; places in @firsts */
	uint32_t *firsts; /* places in @list */
	size_t n_firsts, cap_firsts;
	struct irq_row *list;
	size_t n, cap;
	struct u64_map places; /* by buffer and CPU, in @cpus */
	struct irqs_cpu *cpus;
	size_t n_cpus, cap_cpus;
	struct arena arena; /* names */
	bool nomem; /* something is missing */
};

/*
 * To be fed with all events, in order of time, those that are unwanted as well: a run
 * counts when its beginning is wanted.
 */
void irqs_feed(struct irqs *irqs, const struct decoded_event *decoded);
/* Which of them are interrupts, for struct feed. */
#define IRQS_FILTERED                                                                           \
	(1ULL << DECODED_IRQ_ENTRY | 1ULL << DECODED_IRQ_EXIT | 1ULL << DECODED_SOFTIRQ_ENTRY | \
	 1ULL << DECODED_SOFTIRQ_EXIT)
/* Runs that have not ended at @to are counted as cut. -ENOMEM when something is missing, else 0. */
int irqs_finish(struct irqs *irqs, uint64_t to);
/* Is there something to tell of it? */
bool irq_row_is_seen(const struct irq_row *row);
void irqs_done(struct irqs *irqs);

/* The name of the first handler of that number; NULL: none is known. */
const char *irqs_name(const struct irqs *irqs, enum irq_kind kind, int64_t number);
/* "NET_RX"; NULL for a number that no software interrupt has. */
const char *irqs_softirq_name(int64_t number);

#endif
