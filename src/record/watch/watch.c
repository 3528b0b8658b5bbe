/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/watch/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "kernel/perf/watch-raw.h"
#include "record/rings/cpu-rings.h"

/* How late a record may appear in the ring after its timestamp was taken. */
#define SETTLE_NS 20000000ULL

/* A record to be delivered later. */
struct waiting {
	uint64_t time, number;
	size_t at, size; /* in @bytes */
};

struct watch {
	struct breakpoint *list;
	int *programs; /* by breakpoint */
	unsigned n;
	int map, counter;
	struct perf_layout layout;
	struct cpu_rings rings;
	struct watch_set {
		int fd;
		unsigned which; /* index in @list */
	} * events; /* breakpoints that are set */
	size_t n_events, cap_events;
	struct strbuf bytes;
	struct waiting *waiting;
	size_t n_waiting, cap_waiting;
	uint64_t number;
	/* Hits received of each breakpoint, and those of them in the kernel. */
	uint64_t seen[WATCH_BREAKPOINTS_MAX], seen_kernel[WATCH_BREAKPOINTS_MAX];
};

struct watch_opening {
	struct watch *watch;
	const struct watch_options *options;
};

void watch_free(struct watch *watch)
{
	if (!watch)
		return;
	for (size_t i = 0; i < watch->n_events; i++)
		close(watch->events[i].fd);
	for (unsigned i = 0; watch->programs && i < watch->n; i++)
		if (watch->programs[i] >= 0)
			close(watch->programs[i]);
	cpu_rings_done(&watch->rings);
	if (watch->map >= 0)
		close(watch->map);
	if (watch->counter >= 0)
		close(watch->counter);
	strbuf_done(&watch->bytes);
	free(watch->waiting);
	free(watch->events);
	free(watch->programs);
	free(watch->list);
	free(watch);
}

static int watch_open_ring(void *data, unsigned cpu)
{
	const struct watch_options *options = ((struct watch_opening *)data)->options;

	return breakpoint_output(cpu, options->stacks, (uint32_t)(options->ring_bytes / 4));
}

static int watch_announce_ring(void *data, unsigned cpu, int fd)
{
	return breakpoint_map_set(((struct watch_opening *)data)->watch->map, cpu, fd);
}

static int open_rings(struct watch *watch, const struct watch_options *options,
		      struct fathom_err *err)
{
	struct watch_opening opening = { watch, options };

	return cpu_rings_open(&watch->rings,
			      &(struct cpu_rings_options){ .bytes = options->ring_bytes,
							   .open = watch_open_ring,
							   .announce = watch_announce_ring,
							   .data = &opening },
			      err);
}

static int make_programs(struct watch *watch, const struct watch_options *options,
			 struct fathom_err *err)
{
	watch->list = mem_dup(options->list, options->n * sizeof(*options->list));
	watch->programs = mem_zalloc(options->n, sizeof(*watch->programs));
	if (!watch->list || !watch->programs)
		return err_nomem(err);
	watch->n = options->n;
	for (unsigned i = 0; i < watch->n; i++)
		watch->programs[i] = -1;
	for (unsigned i = 0; i < watch->n; i++) {
		watch->programs[i] =
			breakpoint_program(&watch->list[i], watch->map, watch->counter, i);
		if (watch->programs[i] < 0)
			return cpu_rings_refused(watch->programs[i], "loading a BPF program", err);
	}
	return 0;
}

int watch_new(const struct watch_options *options, struct watch **ret_watch, struct fathom_err *err)
{
	_cleanup_(watch_free_p) struct watch *watch = mem_zalloc(1, sizeof(*watch));
	int r;

	if (!watch)
		return err_nomem(err);
	watch->map = watch->counter = -1;
	watch->rings = (struct cpu_rings)CPU_RINGS_NONE;
	if (options->n > WATCH_BREAKPOINTS_MAX)
		return err_set(err, -E2BIG, "too many watchpoints: expected at most %d",
			       WATCH_BREAKPOINTS_MAX);
	watch->layout =
		(struct perf_layout){ .sample_type = breakpoint_sample_type(options->stacks),
				      .id_all = true,
				      .big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	watch->map = breakpoint_map((unsigned)sysconf(_SC_NPROCESSORS_CONF));
	watch->counter = breakpoint_counter(options->n);
	if (watch->map < 0 || watch->counter < 0)
		return cpu_rings_refused(watch->map < 0 ? watch->map : watch->counter,
					 "creating a BPF map", err);
	r = make_programs(watch, options, err);
	if (r == 0)
		r = open_rings(watch, options, err);
	if (r < 0)
		return r;
	*ret_watch = TAKE_PTR(watch);
	return 0;
}

/* Counts the breakpoints of the kernel, or of programs. */
static unsigned watch_count_of(const struct watch *watch, bool is_kernel)
{
	unsigned n = 0;

	for (unsigned i = 0; i < watch->n; i++)
		n += watch->list[i].is_kernel == is_kernel;
	return n;
}

/* No debug register is free for breakpoint @which, of which @had of those needed are set. */
static int no_slot(const struct watch *watch, unsigned which, unsigned had, pid_t pid, int cpu,
		   struct fathom_err *err)
{
	int left = breakpoint_slots(&watch->list[which], pid, cpu);
	unsigned n = (unsigned)(left < 0 ? 0 : left) + had;
	unsigned needed = watch_count_of(watch, watch->list[which].is_kernel);

	return err_set(
		err, -ENOSPC,
		"not enough debug registers: %u %s needed, %u %s free%s; watch fewer bytes, or stop "
		"the debugger, perf or fathom session that uses them",
		needed, needed == 1 ? "is" : "are", n, n == 1 ? "is" : "are",
#if defined(__x86_64__)
		" of the 4 that a CPU has"
#else
		""
#endif
	);
}

static int not_set(const struct watch *watch, int code, unsigned which, struct fathom_err *err)
{
	if (code != -EINVAL && code != -EOPNOTSUPP)
		return cpu_rings_refused(code, "setting a hardware breakpoint", err);
	return err_set(err, code, "the kernel cannot watch address %#llx: is it a %s address?",
		       (unsigned long long)watch->list[which].address,
		       watch->list[which].is_kernel ? "kernel" : "program");
}

/* Sets the breakpoints of the kernel, or of programs. */
static int add_events(struct watch *watch, bool is_kernel, pid_t pid, int cpu,
		      struct fathom_err *err)
{
	unsigned had = 0;

	if (mem_reserve(&watch->events, &watch->cap_events, watch->n_events + watch->n,
			sizeof(*watch->events)) < 0)
		return err_nomem(err);
	for (unsigned i = 0; i < watch->n; i++) {
		int fd;

		if (watch->list[i].is_kernel != is_kernel)
			continue;
		fd = breakpoint_open(&watch->list[i], pid, cpu, watch->programs[i]);
		if (fd == -ESRCH)
			return fd;
		if (fd == -ENOSPC)
			return no_slot(watch, i, had, pid, cpu, err);
		if (fd < 0)
			return not_set(watch, fd, i, err);
		watch->events[watch->n_events++] = (struct watch_set){ fd, i };
		had++;
	}
	return 0;
}

int watch_add_task(struct watch *watch, pid_t tid, struct fathom_err *err)
{
	return add_events(watch, false, tid, -1, err);
}

int watch_add_cpus(struct watch *watch, struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < watch->rings.n; i++)
		r = add_events(watch, true, -1, (int)watch->rings.list[i].cpu, err);
	return r;
}

int watch_switch(struct watch *watch, bool on, struct fathom_err *err)
{
	for (size_t i = 0; i < watch->n_events; i++) {
		int r = breakpoint_switch(watch->events[i].fd, on);

		if (r < 0)
			return err_set_errno(err, r,
					     "cannot enable or disable a hardware "
					     "breakpoint");
	}
	return 0;
}

int watch_fd(const struct watch *watch)
{
	return watch->rings.poll;
}

static void count_hit(struct watch *watch, const struct perf_record *record)
{
	struct watch_raw raw;

	if (record->raw_size < sizeof(raw))
		return;
	memcpy(&raw, record->raw, sizeof(raw));
	if (raw.which >= watch->n)
		return;
	watch->seen[raw.which]++;
	if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		watch->seen_kernel[raw.which]++;
}

static int watch_keep(struct watch *watch, const uint8_t *bytes, size_t size)
{
	struct perf_record record;

	if (perf_record_parse(&watch->layout, bytes, size, &record) <= 0)
		return 0;
	if (record.kind == PERF_SAMPLE)
		count_hit(watch, &record);
	if (mem_reserve(&watch->waiting, &watch->cap_waiting, watch->n_waiting + 1,
			sizeof(*watch->waiting)) < 0)
		return -ENOMEM;
	watch->waiting[watch->n_waiting++] =
		(struct waiting){ record.time, watch->number++, watch->bytes.len, size };
	strbuf_add(&watch->bytes, bytes, size);
	return watch->bytes.err;
}

static int watch_compare(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Removes the first @n records, and moves the bytes of the others to the front. */
static int watch_forget(struct watch *watch, size_t n)
{
	_cleanup_strbuf_ struct strbuf rest = { 0 };
	size_t left = watch->n_waiting - n;

	for (size_t i = 0; i < left; i++) {
		struct waiting *w = &watch->waiting[i];

		*w = watch->waiting[n + i];
		strbuf_add(&rest, strbuf_str(&watch->bytes) + w->at, w->size);
		w->at = rest.len - w->size;
	}
	if (rest.err)
		return rest.err;
	watch->n_waiting = left;
	strbuf_clear(&watch->bytes);
	strbuf_add(&watch->bytes, strbuf_str(&rest), rest.len);
	return watch->bytes.err;
}

static int watch_hand_out(struct watch *watch, uint64_t until, watch_fn fn, void *data)
{
	size_t n = 0;

	if (watch->n_waiting)
		qsort(watch->waiting, watch->n_waiting, sizeof(*watch->waiting), watch_compare);
	for (; n < watch->n_waiting && watch->waiting[n].time <= until; n++) {
		const struct waiting *w = &watch->waiting[n];
		struct perf_record record;

		if (perf_record_parse(&watch->layout,
				      (const uint8_t *)strbuf_str(&watch->bytes) + w->at, w->size,
				      &record) > 0)
			fn(data, &watch->layout, &record);
	}
	return watch_forget(watch, n);
}

int watch_take(struct watch *watch, bool last, watch_fn fn, void *data)
{
	uint64_t until = last ? UINT64_MAX : clock_ns(CLOCK_MONOTONIC) - SETTLE_NS;

	for (size_t i = 0; i < watch->rings.n; i++) {
		struct perf_ring *ring = &watch->rings.list[i].ring;
		const uint8_t *record;
		size_t size;

		while ((size = perf_ring_next(ring, &record))) {
			int r = watch_keep(watch, record, size);

			if (r < 0)
				return r;
		}
		perf_ring_release(ring);
	}
	return watch_hand_out(watch, until, fn, data);
}

/*
 * Returns how many hits the BPF programs caused themselves, by reading the value at each hit in
 * user memory. Whether the kernel reads all bytes at once, or one by one with a hit each, depends
 * on the kernel, but is always the same.
 */
static uint64_t own_hits(const struct watch *watch, unsigned i, uint64_t runs, uint64_t counted)
{
	/* In kernel mode, breakpoints are disabled while a hit is handled. */
	uint64_t reads = runs > watch->seen_kernel[i] ? runs - watch->seen_kernel[i] : 0;
	uint64_t each;

	if (watch->list[i].is_kernel || watch->list[i].access != BREAKPOINT_READ_WRITE || !reads ||
	    counted <= runs)
		return 0;
	each = (counted - runs) / reads;
	if (each < 1)
		each = 1;
	if (each > watch->list[i].length)
		each = watch->list[i].length;
	return reads * each;
}

int watch_lost(const struct watch *watch, uint64_t *ret_lost, struct fathom_err *err)
{
	uint64_t counted[WATCH_BREAKPOINTS_MAX] = { 0 }, runs[WATCH_BREAKPOINTS_MAX] = { 0 };
	uint64_t lost = 0;
	int r = breakpoint_counter_read(watch->counter, runs);

	for (size_t i = 0; r == 0 && i < watch->n_events; i++) {
		uint64_t n = 0;

		r = breakpoint_count(watch->events[i].fd, &n);
		counted[watch->events[i].which] += n;
	}
	if (r < 0)
		return err_set_errno(err, r, "cannot read the number of hits");
	for (unsigned i = 0; i < watch->n; i++) {
		uint64_t all = runs[i] + own_hits(watch, i, runs[i], counted[i]);

		/* Hits that did not fit into a ring, and those for which no program could run. */
		lost += runs[i] > watch->seen[i] ? runs[i] - watch->seen[i] : 0;
		lost += counted[i] > all ? counted[i] - all : 0;
	}
	*ret_lost = lost;
	return 0;
}
