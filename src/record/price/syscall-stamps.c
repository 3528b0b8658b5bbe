/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/price/syscall-stamps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/order.h"
#include "format/page/page.h"
#include "record/rings/cpu-stats.h"
#include "record/file/metadata.h"

struct stamps {
	uint16_t entry, exit; /* event IDs */
	uint64_t begin; /* of the call in progress on this CPU */
	bool is_open; /* a call is in progress */
	uint64_t *took;
	size_t n, cap;
};

static int syscall_stamps_read_id(int place, const char *event, const char *name, uint16_t *ret_id)
{
	char path[128], line[16];
	int r;

	snprintf(path, sizeof(path), "events/syscalls/%s_%s/id", event, name);
	r = file_read_line(place, path, line, sizeof(line));
	if (r < 0)
		return r;
	*ret_id = (uint16_t)strtoul(line, NULL, 10);
	return 0;
}

static int syscall_stamps_take_event(struct stamps *stamps, uint16_t id, uint64_t time)
{
	if (id == stamps->entry) {
		stamps->is_open = true;
		stamps->begin = time;
	} else if (id == stamps->exit && stamps->is_open) {
		stamps->is_open = false;
		if (mem_reserve(&stamps->took, &stamps->cap, stamps->n + 1, sizeof(*stamps->took)) <
		    0)
			return -ENOMEM;
		stamps->took[stamps->n++] = time - stamps->begin;
	}
	return 0;
}

static int syscall_stamps_take_page(struct stamps *stamps, const struct page_layout *layout,
				    const uint8_t *page, uint32_t size)
{
	struct page_head head = page_head_read(layout, page, size);
	struct page_iter it = { .time = head.time, .pos = layout->data_offset, .end = head.end };
	struct page_event event;
	int r = 0;

	if (head.missed)
		stamps->is_open = false;
	while (r == 0 && page_iter_next(&it, page, BYTES_HOST_BIG, &event) > 0)
		if (event.size >= sizeof(uint16_t))
			r = syscall_stamps_take_event(
				stamps, load_u16(page + event.data, BYTES_HOST_BIG), event.time);
	return r;
}

static int syscall_stamps_take_ring(struct stamps *stamps, const struct page_layout *layout,
				    int place, uint32_t cpu)
{
	_cleanup_free_ uint8_t *page = mem_alloc(layout->size);
	_cleanup_close_ int fd = -1;
	char path[64];
	ssize_t n;
	int r = 0;

	if (!page)
		return -ENOMEM;
	snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	fd = openat(place, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return negative_errno();
	stamps->is_open = false;
	while (r == 0 && (n = read(fd, page, layout->size)) > 0)
		r = syscall_stamps_take_page(stamps, layout, page, (uint32_t)n);
	return r;
}

int syscall_stamps_take(int place, const char *name, double *ret_ns)
{
	struct stamps stamps = { 0 };
	_cleanup_free_ uint32_t *cpus = NULL;
	_cleanup_free_ uint64_t *took = NULL;
	struct page_layout layout;
	uint32_t page_size;
	size_t n_cpus = 0, middle;
	int r = syscall_stamps_read_id(place, "sys_enter", name, &stamps.entry);

	if (r == 0)
		r = syscall_stamps_read_id(place, "sys_exit", name, &stamps.exit);
	if (r == 0)
		r = metadata_page_size(place, &page_size, NULL);
	if (r == 0)
		r = cpu_list_read(place, &cpus, &n_cpus);
	if (r < 0)
		return r;
	layout = page_layout_default(sizeof(long), page_size, BYTES_HOST_BIG);
	for (size_t i = 0; i < n_cpus && r == 0; i++)
		r = syscall_stamps_take_ring(&stamps, &layout, place, cpus[i]);
	took = stamps.took;
	if (r < 0 || !stamps.n)
		return r < 0 ? r : -ENODATA;
	qsort(took, stamps.n, sizeof(*took), order_rising_u64);
	middle = stamps.n / 2;
	*ret_ns = (double)took[middle];
	return 0;
}
