/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/event-pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/bytes.h"

int event_pages_init(struct event_pages *pages, struct trace_out_stream *streams, size_t n)
{
	pages->layout =
		page_layout_default(sizeof(long), n ? streams[0].page_size : 4096, BYTES_HOST_BIG);
	pages->cpus = mem_zalloc(n, sizeof(*pages->cpus));
	if (!pages->cpus)
		return -ENOMEM;
	pages->n = n;
	for (size_t i = 0; i < n; i++) {
		struct event_pages_cpu *cpu = &pages->cpus[i];

		cpu->stream = &streams[i];
		cpu->page = mem_alloc(pages->layout.size);
		if (!cpu->page)
			return -ENOMEM;
		page_build_begin(&cpu->build, &pages->layout, cpu->page);
	}
	return 0;
}

void event_pages_done(struct event_pages *pages)
{
	for (size_t i = 0; i < pages->n; i++)
		free(pages->cpus[i].page);
	free(pages->cpus);
	*pages = (struct event_pages){ 0 };
}

int event_pages_cpu(const struct event_pages *pages, uint32_t number)
{
	for (size_t i = 0; i < pages->n; i++)
		if (pages->cpus[i].stream->cpu == number)
			return (int)i;
	return -ENODEV;
}

/* Writes the current page, unless it is empty, and starts the next one. */
static int end_page(struct event_pages *pages, struct event_pages_cpu *cpu)
{
	int r;

	if (!cpu->build.events && !cpu->missed)
		return 0;
	page_build_end(&cpu->build, cpu->missed);
	cpu->missed = 0;
	r = trace_out_append(cpu->stream, cpu->page);
	page_build_begin(&cpu->build, &pages->layout, cpu->page);
	return r;
}

/* Events of a CPU can overtake each other slightly, if one interrupts another. */
static uint64_t in_order(const struct page_build *build, uint64_t time)
{
	return build->events && time < build->time ? build->time : time;
}

int event_pages_put(struct event_pages *pages, size_t cpu, uint64_t time, const void *event,
		    uint32_t size)
{
	struct event_pages_cpu *to = &pages->cpus[cpu];
	uint8_t *room;
	int r = 0;

	time = in_order(&to->build, time);
	room = page_build_event(&to->build, time, size);
	if (!room) {
		r = end_page(pages, to);
		room = page_build_event(&to->build, time, size);
	}
	if (!room || r < 0)
		return r < 0 ? r : -E2BIG;
	memcpy(room, event, size);
	return 0;
}

/* Lost events are recorded at the start of the next page. */
int event_pages_lose(struct event_pages *pages, size_t cpu, uint64_t time, uint64_t lost)
{
	struct event_pages_cpu *to = &pages->cpus[cpu];
	int r = to->build.events ? end_page(pages, to) : 0;

	/* A page that remains empty has at least this timestamp. */
	to->build.start = time;
	to->missed += lost;
	return r;
}

int event_pages_flush(struct event_pages *pages)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < pages->n; i++)
		r = end_page(pages, &pages->cpus[i]);
	return r;
}
