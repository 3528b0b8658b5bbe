/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "kernel/perf/bpf-code.h"

#define BINS	    (COUNT_BIN_NEGATIVE + 1)
#define OPEN_MAX    10240 /* begins at a time */
#define STACKS_MAX  16384 /* different stacks */
#define ENTRY_EXTRA 64 /* what the kernel needs for an entry, about */
#define OPEN_KEY    16

/* Whether any begin has this column. */
static bool count_layout_is_of_begin(const struct count_site *sites, size_t n, int key)
{
	for (size_t i = 0; i < n; i++) {
		const struct count_from *from = key < 0 ? &sites[i].value : &sites[i].keys[key];

		if (sites[i].is_begin && from->fact != COUNT_FACT_NONE)
			return true;
	}
	return false;
}

int count_layout_init(struct count_layout *layout, const struct count_plan *plan,
		      const struct count_columns *columns, const struct count_site *sites, size_t n,
		      bool is_traced, struct fathom_err *err)
{
	uint32_t frame = 8;

	*layout = (struct count_layout){
		.has_bins = plan->what == COUNT_HIST,
		.is_array = columns->n_keys == 0,
		.value_size = columns->has_value ? sizeof(struct count_sums) : sizeof(uint64_t),
		.by_thread = !is_traced,
	};
	for (size_t i = 0; i < n; i++) {
		layout->is_paired |= sites[i].is_begin;
		if (sites[i].pair.fact != COUNT_FACT_NONE)
			layout->by_thread = false;
	}
	for (size_t i = 0; i < columns->n_keys; i++) {
		if (columns->keys[i].kind == COUNT_COLUMN_STACK)
			layout->has_stacks = true;
		if (count_layout_is_of_begin(sites, n, (int)i)) {
			layout->frame_keys[i] = frame;
			frame += columns->keys[i].size;
		}
	}
	if (columns->has_value && count_layout_is_of_begin(sites, n, -1)) {
		layout->frame_value = frame;
		frame += 8;
	}
	layout->frame_size = frame;
	layout->key_size = layout->is_array ? 4 : columns->key_size + (layout->has_bins ? 8 : 0);
	if (columns->key_size > COUNT_KEY_BYTES_MAX)
		return err_set(err, -E2BIG,
			       "too many keys: texts need %d bytes and numbers 8, and all keys "
			       "together can have at most %d",
			       COUNT_TEXT_SIZE, COUNT_KEY_BYTES_MAX);
	return 0;
}

/* Counts the CPUs in a list like "0-3,8". */
static unsigned count_cpus_in(const char *list)
{
	unsigned n = 0;

	while (*list) {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (end == list)
			break;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (to >= from)
			n += (unsigned)(to - from + 1);
		list = *end ? end + 1 : end;
	}
	return n;
}

static unsigned count_possible_cpus(void)
{
	char line[256];
	unsigned n = 0;

	if (file_read_line(AT_FDCWD, "/sys/devices/system/cpu/possible", line, sizeof(line)) >= 0)
		n = count_cpus_in(line);
	return n ? n : (unsigned)sysconf(_SC_NPROCESSORS_CONF);
}

static uint32_t count_open_size(const struct count_layout *layout)
{
	return layout->by_thread ? 8 + COUNT_NESTED_MAX * layout->frame_size : layout->frame_size;
}

static uint32_t count_sums_entries(const struct count_layout *layout, uint32_t max_keys)
{
	if (layout->is_array)
		return layout->has_bins ? BINS : 1;
	return max_keys;
}

static uint64_t count_maps_price(const struct count_maps *maps, const struct count_layout *layout,
				 uint32_t max_keys)
{
	uint64_t bytes =
		(uint64_t)count_sums_entries(layout, max_keys) *
		(ENTRY_EXTRA + layout->key_size + (uint64_t)maps->n_cpus * layout->value_size);

	if (layout->is_paired)
		bytes += (uint64_t)OPEN_MAX * (ENTRY_EXTRA + OPEN_KEY + count_open_size(layout));
	if (layout->has_stacks)
		bytes += (uint64_t)STACKS_MAX * (ENTRY_EXTRA + COUNT_STACK_DEPTH * 8);
	return bytes;
}

static int count_map_new(int *fd, enum bpf_map_type type, uint32_t key_size, uint32_t value_size,
			 uint32_t n, struct fathom_err *err)
{
	*fd = bpf_map_new(type, key_size, value_size, n, "fathom_count");
	if (*fd == -EPERM)
		return err_set(err, -EPERM,
			       "permission denied: counting in the kernel needs root, or the "
			       "capabilities CAP_BPF and CAP_PERFMON");
	return *fd < 0 ? err_set_errno(err, *fd, "cannot create a BPF map") : 0;
}

int count_maps_init(struct count_maps *maps, const struct count_layout *layout, uint32_t max_keys,
		    uint64_t max_memory, struct fathom_err *err)
{
	int r;

	*maps = (struct count_maps)COUNT_MAPS_NONE;
	maps->n_cpus = count_possible_cpus();
	maps->bytes = count_maps_price(maps, layout, max_keys);
	if (maps->bytes > max_memory)
		return err_set(err, -E2BIG,
			       "counting %" PRIu32 " keys on %u CPUs needs %" PRIu64
			       " MB, more than the limit of %" PRIu64
			       " MB: see --max-keys and --max-memory",
			       max_keys, maps->n_cpus, maps->bytes >> 20, max_memory >> 20);
	r = count_map_new(&maps->sums,
			  layout->is_array ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_PERCPU_HASH,
			  layout->key_size, layout->value_size,
			  count_sums_entries(layout, max_keys), err);
	if (r == 0)
		r = count_map_new(&maps->losses, BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, COUNT_LOSSES,
				  err);
	if (r == 0 && layout->is_paired)
		r = count_map_new(&maps->open, BPF_MAP_TYPE_HASH, OPEN_KEY, count_open_size(layout),
				  OPEN_MAX, err);
	/* The initial value of frames, which is too large for a stack frame. */
	if (r == 0 && layout->is_paired && layout->by_thread)
		r = count_map_new(&maps->empty, BPF_MAP_TYPE_ARRAY, 4, count_open_size(layout), 1,
				  err);
	if (r == 0 && layout->has_stacks)
		r = count_map_new(&maps->stacks, BPF_MAP_TYPE_STACK_TRACE, 4, COUNT_STACK_DEPTH * 8,
				  STACKS_MAX, err);
	if (r < 0)
		count_maps_done(maps);
	return r;
}

void count_maps_done(struct count_maps *maps)
{
	int *const all[] = { &maps->sums, &maps->open, &maps->empty, &maps->losses, &maps->stacks };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (*all[i] >= 0)
			close(*all[i]);
		*all[i] = -1;
	}
}

static int count_map_get(int map, const void *key, void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = bpf_ptr(key);
	attr.value = bpf_ptr(value);
	return bpf_call(BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr));
}

/* Stores the key after @key, or the first one if that is NULL. */
static int count_map_next(int map, const void *key, void *next)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = bpf_ptr(key);
	attr.next_key = bpf_ptr(next);
	return bpf_call(BPF_MAP_GET_NEXT_KEY, &attr, sizeof(attr));
}

/* Calls @take for each entry until it fails. @size is that of the value, over all CPUs. */
static int count_map_walk(int map, uint32_t key_size, size_t size,
			  int (*take)(void *data, const void *key, const void *value), void *data)
{
	_cleanup_free_ uint8_t *keys = mem_zalloc(2, key_size);
	_cleanup_free_ void *value = mem_zalloc(1, size);
	uint8_t *key = keys, *next;
	int r;

	if (!keys || !value)
		return -ENOMEM;
	next = keys + key_size;
	r = count_map_next(map, NULL, key);
	while (r == 0) {
		int got = count_map_get(map, key, value);

		if (got == 0)
			got = take(data, key, value);
		else if (got == -ENOENT)
			got = 0;
		if (got < 0)
			return got;
		r = count_map_next(map, key, next);
		memcpy(key, next, key_size);
	}
	return r == -ENOENT ? 0 : r;
}

struct count_maps_reading {
	const struct count_maps *maps;
	const struct count_layout *layout;
	bool is_signed;
	count_taker *take;
	void *data;
};

static bool count_is_less(uint64_t a, uint64_t b, bool is_signed)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static int count_maps_take(void *data, const void *key, const void *value)
{
	const struct count_maps_reading *reading = data;
	const struct count_layout *layout = reading->layout;
	const size_t n = layout->value_size / sizeof(uint64_t);
	struct count_sums total = { 0 };
	uint64_t bin = COUNT_BIN_NONE;

	for (unsigned cpu = 0; cpu < reading->maps->n_cpus; cpu++) {
		struct count_sums sums = { 0 };

		memcpy(&sums, (const uint64_t *)value + cpu * n, layout->value_size);
		if (!sums.count)
			continue;
		if (!total.count || count_is_less(sums.min, total.min, reading->is_signed))
			total.min = sums.min;
		if (!total.count || count_is_less(total.max, sums.max, reading->is_signed))
			total.max = sums.max;
		total.count += sums.count;
		total.sum += sums.sum;
	}
	if (!total.count)
		return 0;
	if (layout->has_bins && layout->is_array) {
		uint32_t at;

		memcpy(&at, key, sizeof(at));
		bin = at;
	} else if (layout->has_bins) {
		memcpy(&bin, (const uint8_t *)key + layout->key_size - 8, sizeof(bin));
	}
	return reading->take(reading->data, key, (unsigned)bin, &total);
}

int count_maps_read(const struct count_maps *maps, const struct count_layout *layout,
		    bool is_signed, count_taker *take, void *data)
{
	struct count_maps_reading reading = { maps, layout, is_signed, take, data };

	return count_map_walk(maps->sums, layout->key_size,
			      (size_t)maps->n_cpus * layout->value_size, count_maps_take, &reading);
}

struct count_open_count {
	const struct count_layout *layout;
	uint64_t n;
};

static int count_maps_take_open(void *data, const void *key, const void *value)
{
	struct count_open_count *count = data;
	uint64_t depth = 1;

	(void)key;
	if (count->layout->by_thread)
		memcpy(&depth, value, sizeof(depth));
	count->n += depth;
	return 0;
}

int count_maps_losses(const struct count_maps *maps, const struct count_layout *layout,
		      struct count_losses *ret_losses)
{
	struct count_open_count open = { .layout = layout };
	struct count_losses losses = { 0 };
	uint64_t *const places[COUNT_LOSSES] = {
		[COUNT_LOSS_FULL] = &losses.full,
		[COUNT_LOSS_UNPAIRED] = &losses.unpaired,
		[COUNT_LOSS_NOT_BEGUN] = &losses.not_begun,
		[COUNT_LOSS_UNREAD] = &losses.unread,
		[COUNT_LOSS_NO_STACK] = &losses.no_stack,
	};
	_cleanup_free_ uint64_t *values = mem_zalloc(maps->n_cpus, sizeof(*values));
	int r = 0;

	if (!values)
		return -ENOMEM;
	for (uint32_t i = 0; i < COUNT_LOSSES; i++) {
		r = count_map_get(maps->losses, &i, values);
		if (r < 0)
			return r;
		for (unsigned cpu = 0; cpu < maps->n_cpus; cpu++)
			*places[i] += values[cpu];
	}
	if (layout->is_paired)
		r = count_map_walk(maps->open, OPEN_KEY, count_open_size(layout),
				   count_maps_take_open, &open);
	losses.open = open.n;
	if (r == 0)
		*ret_losses = losses;
	return r;
}

size_t count_maps_stack(const struct count_maps *maps, int64_t id, uint64_t *addresses, size_t max)
{
	uint64_t all[COUNT_STACK_DEPTH] = { 0 };
	uint32_t key = (uint32_t)id;
	size_t n = 0;

	if (id < 0 || maps->stacks < 0 || count_map_get(maps->stacks, &key, all) < 0)
		return 0;
	while (n < max && n < COUNT_STACK_DEPTH && all[n]) {
		addresses[n] = all[n];
		n++;
	}
	return n;
}
