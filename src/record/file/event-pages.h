/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes events that do not come from the kernel's rings to a recording, as pages of a separate
 * buffer. Uses a page of memory for each CPU, regardless of the duration. One thread may use it at
 * a time. Functions return 0 or a negative errno.
 */
#ifndef FATHOM_RECORD_FILE_EVENT_PAGES_H
#define FATHOM_RECORD_FILE_EVENT_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "format/page/page-build.h"
#include "record/file/trace-out.h"

struct event_pages_cpu {
	struct trace_out_stream *stream;
	struct page_build build;
	uint8_t *page;
	uint64_t missed; /* lost before the current page */
};

/* Empty when zero-initialized. Must not be moved. */
struct event_pages {
	struct page_layout layout;
	struct event_pages_cpu *cpus;
	size_t n;
};

/*
 * Each of the @n streams is a CPU; they must outlive the pages. Returns 0 or -ENOMEM; after a
 * failure, event_pages_done() still has to be called.
 */
int event_pages_init(struct event_pages *pages, struct trace_out_stream *streams, size_t n);
void event_pages_done(struct event_pages *pages);

/* Returns the index of CPU @number among the streams, or -ENODEV. */
int event_pages_cpu(const struct event_pages *pages, uint32_t number);
/*
 * Adds an event of @size bytes, in the byte order of this machine, to the CPU with this index.
 * @time is in ns of the buffer's clock; the events of a CPU are in chronological order, except for
 * small deviations, which are corrected. Returns -E2BIG if the event is larger than a page.
 */
int event_pages_put(struct event_pages *pages, size_t cpu, uint64_t time, const void *event,
		    uint32_t size);
/* Records that @lost events are missing after the last one of this CPU. */
int event_pages_lose(struct event_pages *pages, size_t cpu, uint64_t time, uint64_t lost);
/* Writes all pages, including partial ones. */
int event_pages_flush(struct event_pages *pages);

#endif
