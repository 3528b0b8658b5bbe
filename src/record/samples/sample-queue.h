/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Queues samples on their way to the recording, in order, while the unwinder
 * (record/unwind/unwinder.h) finds the callers. Only samples wait for it, not the recorder: a
 * sample without a timely answer is written with the call chain that the kernel found, marked, and
 * counted. The queue has a fixed size of some megabytes. One thread may use it at a time.
 */
#ifndef FATHOM_RECORD_SAMPLES_SAMPLE_QUEUE_H
#define FATHOM_RECORD_SAMPLES_SAMPLE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event/sample-event.h"
#include "record/file/event-pages.h"

struct sample_queue;
struct unwinder;

/* Creates a queue; @pages and @unwinder must outlive it. Returns 0 or -ENOMEM. */
int sample_queue_new(struct event_pages *pages, struct unwinder *unwinder,
		     struct sample_queue **ret_queue);
void sample_queue_free(struct sample_queue *queue);

/*
 * Adds the event of the sample @record, of at most SAMPLE_SIZE_MAX bytes; both are copied. @cpu is
 * an index, as for event_pages_put(). Returns 0 or a negative errno of writing.
 */
int sample_queue_put(struct sample_queue *queue, const struct perf_layout *layout,
		     const struct perf_record *record, size_t cpu, const uint8_t *event,
		     uint32_t size);
/* Adds a gap of @lost samples. Returns 0 or a negative errno. */
int sample_queue_lose(struct sample_queue *queue, size_t cpu, uint64_t time, uint64_t lost);
/*
 * Processes the answers that have arrived, and writes the samples at the head of the queue that are
 * complete; with @all, waits for pending answers and writes all. Returns 0 or a negative errno.
 */
int sample_queue_take(struct sample_queue *queue, bool all);
/* Returns how many user stacks ended in this way. */
uint64_t sample_queue_count(const struct sample_queue *queue, enum sample_end end);
/* Returns how many of those with SAMPLE_END_LATE are due to a failure of the unwinder. */
uint64_t sample_queue_failed(const struct sample_queue *queue);

#endif
