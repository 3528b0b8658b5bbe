/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples on their way into the pages of a recording, in their order, while an unwinder (record/unwind/unwinder.h) finds out who called.
 * Nothing waits for it but the samples themselves: one that there is no answer for in time is written with the
 * frame pointers that the kernel has followed, says so, and is counted. Memory is bounded.
 */
#ifndef FATHOM_RECORD_SAMPLES_SAMPLE_QUEUE_H
#define FATHOM_RECORD_SAMPLES_SAMPLE_QUEUE_H

#include "format/event/sample-event.h"
#include "record/file/event-pages.h"
#include "record/unwind/unwinder.h"

struct sample_queue;

/* Both must outlive it. */
int sample_queue_new(struct event_pages *pages, struct unwinder *unwinder,
		     struct sample_queue **ret_queue);
void sample_queue_free(struct sample_queue *queue);

/* Adds the event of the sample @record, of at most SAMPLE_SIZE_MAX bytes. 0 or a negative errno. */
int sample_queue_put(struct sample_queue *queue, const struct perf_layout *layout,
		     const struct perf_record *record, size_t cpu, const uint8_t *event,
		     uint32_t size);
/* So many were lost here. */
int sample_queue_lose(struct sample_queue *queue, size_t cpu, uint64_t time, uint64_t lost);
/* Takes the answers that are there and writes what is done; with @all, what is under way is waited for. */
int sample_queue_take(struct sample_queue *queue, bool all);
/* How many samples of programs ended so. */
uint64_t sample_queue_count(const struct sample_queue *queue, enum sample_end end);
/* How many of those with SAMPLE_END_LATE are so because the unwinder failed. */
uint64_t sample_queue_failed(const struct sample_queue *queue);

#endif
