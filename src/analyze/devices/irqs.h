/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interrupts: number and duration of handler runs; device interrupts by number and handler, per-CPU
 * interrupts by vector, softirqs by kind; and how long softirqs waited after being raised.
 *
 * A run has a time only if its entry and exit were recorded on the same CPU without lost events in
 * between. A run across a border of the window has a partial time. The waiting time of a softirq is
 * known only if it cannot have been raised earlier: after the first event and after each gap, only
 * once it has run.
 *
 * Uses memory per handler and CPU. If it is exhausted, @nomem is set, and runs are missing. Names
 * are valid until irqs_done(). Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_DEVICES_IRQS_H
#define FATHOM_ANALYZE_DEVICES_IRQS_H

#include "analyze/stream/decoded-event.h"
#include "analyze/sums/latency.h"
#include "base/u64-map.h"

#define IRQS_ALL_CPUS UINT32_MAX

enum irq_kind {
	IRQ_DEVICE,
	IRQ_VECTOR, /* per-CPU interrupt: local timer, other CPUs */
	IRQ_SOFT,
};

struct irq_row {
	enum irq_kind kind;
	int64_t number;
	const char *name; /* of the handler, "local_timer", "NET_RX"; NULL if unknown */
	uint32_t cpu; /* IRQS_ALL_CPUS: all */
	uint32_t next; /* next row with this number: index + 1 */
	uint64_t cut; /* runs without entry or exit, in the recording or in the window */
	struct latency took;
	struct latency waited; /* softirqs: from raise to entry */
	/*
	 * Times of parts of runs and waits across the window's borders; not in @took and @waited.
	 */
	uint64_t took_partial, waited_partial;
};

/* Empty when zero-initialized. */
struct irqs {
	/* Set by the caller before the first event: */
	bool by_cpu; /* separate rows for each CPU */
	bool no_waits; /* events are missing from the recording, so that waits are unknown */
	bool is_filtered; /* some events are unwanted, and so may softirqs pending at the end be */
	uint64_t from; /* runs and waits are clipped here */

	bool is_early; /* the current event is before the window */
	struct u64_map numbers; /* kind, number and CPU -> index in @firsts */
	uint32_t *firsts; /* index in @list + 1 */
	size_t n_firsts, cap_firsts;
	struct irq_row *list;
	size_t n, cap;
	struct u64_map places; /* buffer and CPU -> index in @cpus */
	struct irqs_cpu *cpus;
	size_t n_cpus, cap_cpus;
	struct arena arena; /* of names */
	bool nomem; /* runs are missing */
};

/*
 * Call for every event, in chronological order, including unwanted ones: a run counts if its entry is
 * wanted.
 */
void irqs_feed(struct irqs *irqs, const struct decoded_event *decoded);
/* The kinds of events that are interrupts, for struct feed. */
#define IRQS_FILTERED                                                                           \
	(1ULL << DECODED_IRQ_ENTRY | 1ULL << DECODED_IRQ_EXIT | 1ULL << DECODED_SOFTIRQ_ENTRY | \
	 1ULL << DECODED_SOFTIRQ_EXIT)
/* Counts runs that are open at @to as cut. Returns 0, or -ENOMEM if runs are missing. */
int irqs_finish(struct irqs *irqs, uint64_t to);
/* Returns whether there is anything to show. */
bool irq_row_is_seen(const struct irq_row *row);
void irqs_done(struct irqs *irqs);

/* Returns the name of the first handler of that number, or NULL if unknown or @by_cpu. */
const char *irqs_name(const struct irqs *irqs, enum irq_kind kind, int64_t number);
/* Returns "NET_RX", or NULL for an unknown number. The string is static. */
const char *irqs_softirq_name(int64_t number);

#endif
