/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random trace files of every kind, to be written anew and compared. */
#ifndef FATHOM_TESTS_WRITE_RANDOM_TRACE_H
#define FATHOM_TESTS_WRITE_RANDOM_TRACE_H

#include "../read/events.h"
#include "base/cleanup.h"
#include "format/file/trace-file.h"

static const struct trace_config random_configs[] = {
	{ .version = 6, .page_size = 1024 },
	{ .version = 6, .page_size = 4096, .big_endian = true, .long_size = 4 },
	{ .version = 7, .page_size = 4096, .clock = "mono" },
	{ .version = 7, .page_size = 1024, .compression = COMPRESSION_ZLIB, .big_endian = true },
	{ .version = 7, .page_size = 1024, .compression = COMPRESSION_ZSTD, .chunk_pages = 3 },
};

/* Events on several CPUs and in several buffers, with losses and gaps of all kinds. */
static inline void random_trace(const struct trace_config *config, uint64_t seed, unsigned events,
				struct strbuf *ret_bytes)
{
	struct trace_writer *w = trace_writer_new(config);
	uint64_t times[3][4] = { { 0 } };

	trace_writer_buffer(w, "one");
	trace_writer_buffer(w, "two");
	trace_writer_option(w, TRACE_ID_OFFSET, "-12345", 7);
	trace_writer_option(w, TRACE_ID_DATE, "0x12345", 8);
	for (unsigned i = 0; i < events; i++) {
		unsigned b = (unsigned)(rnd(&seed) % 3), c = (unsigned)(rnd(&seed) % 4);
		struct page_writer *p = trace_writer_cpu(w, b, c * 2);
		uint64_t *time = &times[b][c];

		*time = (*time ?: 5000000000ULL) + (rnd(&seed) % 4) * 1000;
		if (rnd(&seed) % 50 == 0)
			*time += 1ULL << (27 + rnd(&seed) % 8);
		switch (rnd(&seed) % 40) {
		case 0:
			page_writer_lost(p, 1 + rnd(&seed) % 1000);
			break;
		case 1:
			page_writer_lost(p, PAGE_WRITER_LOST_UNKNOWN);
			break;
		case 2:
			page_writer_stamp(p, *time);
			break;
		case 3:
			page_writer_discard(p, *time, 4 + (uint32_t)(rnd(&seed) % 200));
			*time = p->time;
			break;
		case 4:
			page_writer_lost(p, 1 + rnd(&seed) % 1000);
			page_writer_empty_page(p, *time);
			break;
		}
		page_writer_event(p, *time, (uint16_t)(1 + rnd(&seed) % 50),
				  (int32_t)(rnd(&seed) % 30), 8 + (uint32_t)(rnd(&seed) % 60) * 4);
	}
	assert_int_equal(trace_writer_bytes(w, ret_bytes), 0);
	trace_writer_free(w);
}

static inline void save(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

/* All events of the file, and the number of faults found. */
static inline uint64_t read_events(const char *path, struct events *ret_events)
{
	struct fathom_trace *trace = open_or_fail(path, 0);
	struct fathom_cursor *cursor = cursor_or_fail(trace, NULL);
	uint64_t damage;

	*ret_events = (struct events){ 0 };
	events_read(ret_events, cursor);
	damage = fathom_trace_damage_count(trace);
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
	return damage;
}

/* Returns whether event @i of @a equals event @k of @b. Losses before it are ignored. */
static inline void same_event(const struct events *a, size_t i, const struct events *b, size_t k)
{
	const struct fathom_event *x = &a->list[i], *y = &b->list[k];

	assert_true(x->time == y->time);
	assert_int_equal(x->cpu, y->cpu);
	assert_int_equal(x->pid, y->pid);
	assert_int_equal(x->id, y->id);
	assert_int_equal(x->buffer, y->buffer);
	assert_int_equal(x->size, y->size);
	assert_int_equal(a->sums[i], b->sums[k]);
}

#endif
