/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/perf/perf-ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/negative-errno.h"

#define RECORD_MAX 65536

int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	long fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? negative_errno() : (int)fd;
}

int perf_ring_init(struct perf_ring *ring, int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page;
	void *memory;

	while (size < bytes)
		size *= 2;
	*ring = (struct perf_ring){ .whole = mem_alloc(RECORD_MAX) };
	if (!ring->whole)
		return -ENOMEM;
	memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		int r = negative_errno();

		free(ring->whole);
		*ring = (struct perf_ring){ 0 };
		return r;
	}
	ring->head = memory;
	ring->data = (const uint8_t *)memory + page;
	ring->size = size;
	return 0;
}

void perf_ring_done(struct perf_ring *ring)
{
	if (ring->head)
		munmap(ring->head,
		       (size_t)(ring->data - (const uint8_t *)ring->head) + (size_t)ring->size);
	free(ring->whole);
	*ring = (struct perf_ring){ 0 };
}

static uint64_t perf_ring_head_of(const struct perf_ring *ring)
{
	return __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);
}

void perf_ring_mark(struct perf_ring *ring)
{
	ring->until = perf_ring_head_of(ring);
	ring->is_marked = true;
}

size_t perf_ring_next(struct perf_ring *ring, const uint8_t **ret_record)
{
	uint64_t head = ring->is_marked ? ring->until : perf_ring_head_of(ring);
	uint64_t offset = ring->at & (ring->size - 1), there = head - ring->at;
	struct perf_event_header header;
	uint64_t before;

	/* Records are aligned to 8 bytes, so headers never wrap around. */
	if (there < sizeof(header) || there > ring->size)
		return 0;
	memcpy(&header, ring->data + offset, sizeof(header));
	if (header.size < sizeof(header) || header.size > there)
		return 0;
	ring->at += header.size;
	before = ring->size - offset;
	if (header.size <= before) {
		*ret_record = ring->data + offset;
		return header.size;
	}
	memcpy(ring->whole, ring->data + offset, (size_t)before);
	memcpy(ring->whole + before, ring->data, header.size - (size_t)before);
	*ret_record = ring->whole;
	return header.size;
}

void perf_ring_rewind(struct perf_ring *ring)
{
	ring->at = ring->head->data_tail;
}

void perf_ring_release(struct perf_ring *ring)
{
	__atomic_store_n(&ring->head->data_tail, ring->at, __ATOMIC_RELEASE);
	ring->is_marked = false;
}
