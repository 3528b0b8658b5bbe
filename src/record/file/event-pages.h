/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes events that do not come from the kernel's rings into a recording, as pages of a buffer of their
 * own. Takes a page of memory for each CPU, however long it records.
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
	uint64_t missed; /* before the page that is being filled */
};

/* Zero-initialised is empty. It stays where it is. */
struct event_pages {
	struct page_layout layout;
	struct event_pages_cpu *cpus;
	size_t n;
};

/* @streams, of @n CPUs, must outlive it. 0 or -ENOMEM. */
int event_pages_init(struct event_pages *pages, struct trace_out_stream *streams, size_t n);
void event_pages_done(struct event_pages *pages);

/* The place of the CPU with this number among the streams; -ENODEV: it is not there. */
int event_pages_cpu(const struct event_pages *pages, uint32_t number);
/*
 * Adds an event, of @size bytes in the byte order of this machine, to the CPU with this place. Those of one CPU
 * come in the order of time, but for a little. 0 or a negative errno.
 */
int event_pages_put(struct event_pages *pages, size_t cpu, uint64_t time, const void *event,
		    uint32_t size);
/* So many were lost since the last one of this CPU. */
int event_pages_lose(struct event_pages *pages, size_t cpu, uint64_t time, uint64_t lost);
/* Writes pages that are not full, too. */
int event_pages_flush(struct event_pages *pages);

#endif
