/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/process/process-events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "kernel/perf/perf-ring.h"

/* Per CPU. Starting a program creates a kilobyte or two. */
#define RING_SIZE ((size_t)512 << 10)

/* PERF_RECORD_MISC_MMAP_BUILD_ID: the build ID replaces the inode. Missing in older headers. */
#define MISC_BUILD_ID (1 << 14)

struct cpu {
	int fd;
	struct perf_ring ring;
};

struct process_events {
	struct cpu *cpus;
	size_t n, next;
	int poll;
	bool timed, has_clock;
	clockid_t clock;
};

static const struct {
	const char *name;
	clockid_t clock;
	bool readable;
} clocks[] = {
	{ "mono", CLOCK_MONOTONIC, true },
	{ "mono_raw", CLOCK_MONOTONIC_RAW, true },
	{ "boot", CLOCK_BOOTTIME, true },
	{ "tai", CLOCK_TAI, true },
	/*
	 * perf's own clock, and clocks that differ from it by less than the time it takes to map a
	 * file.
	 */
	{ "local", 0, false },
	{ "global", 0, false },
	{ "perf", 0, false },
};

static uint32_t get_u32(const unsigned char *p, size_t at)
{
	uint32_t value;

	memcpy(&value, p + at, sizeof(value));
	return value;
}

static uint64_t get_u64(const unsigned char *p, size_t at)
{
	uint64_t value;

	memcpy(&value, p + at, sizeof(value));
	return value;
}

/* Offsets in records, after the header of 8 bytes: see perf_event_open(2). */
enum {
	PID_AT = 8,
	TID_AT = 12,
	FORK_PARENT_AT = 12,
	FORK_TID_AT = 16,
	FORK_TIME_AT = 24,
	FORK_SIZE = 32,
	MAP_START_AT = 16,
	MAP_LEN_AT = 24,
	MAP_OFFSET_AT = 32,
	MAP_INODE_AT = 48,
	MAP_ID_LEN_AT = 40,
	MAP_ID_AT = 44,
	MAP_PATH_AT = 72,
	COMM_SIZE = 24,
	LOST_AT = 16,
	/* PID, TID and time, appended to each record. */
	SAMPLE_SIZE = 16,
};

static bool process_events_parse_mapping(const unsigned char *p, size_t size, unsigned misc,
					 struct process_event *event)
{
	if (size < MAP_PATH_AT + 8 + SAMPLE_SIZE ||
	    !memchr(p + MAP_PATH_AT, '\0', size - MAP_PATH_AT - SAMPLE_SIZE))
		return false;
	event->kind = PROCESS_MAPPED;
	event->start = get_u64(p, MAP_START_AT);
	event->end = event->start + get_u64(p, MAP_LEN_AT);
	event->offset = get_u64(p, MAP_OFFSET_AT);
	event->path = (const char *)p + MAP_PATH_AT;
	if (misc & MISC_BUILD_ID) {
		event->build_id_len = p[MAP_ID_LEN_AT];
		if (event->build_id_len > PROCESS_BUILD_ID_MAX)
			return false;
		memcpy(event->build_id, p + MAP_ID_AT, event->build_id_len);
	} else {
		event->inode = get_u64(p, MAP_INODE_AT);
	}
	return true;
}

bool process_event_parse(const void *record, size_t size, struct process_event *ret_event)
{
	const unsigned char *p = record;
	struct process_event event = { 0 };
	struct perf_event_header header;

	if (size < sizeof(header) + SAMPLE_SIZE)
		return false;
	memcpy(&header, p, sizeof(header));
	event.pid = (int32_t)get_u32(p, PID_AT);
	event.tid = (int32_t)get_u32(p, TID_AT);
	event.time = get_u64(p, size - sizeof(uint64_t));
	switch (header.type) {
	case PERF_RECORD_MMAP2:
		if (!process_events_parse_mapping(p, size, header.misc, &event))
			return false;
		break;
	case PERF_RECORD_COMM:
		if (size < COMM_SIZE || !(header.misc & PERF_RECORD_MISC_COMM_EXEC))
			return false;
		event.kind = PROCESS_EXEC;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (size < FORK_SIZE + SAMPLE_SIZE)
			return false;
		event.kind = header.type == PERF_RECORD_FORK ? PROCESS_FORKED : PROCESS_ENDED;
		event.parent = (int32_t)get_u32(p, FORK_PARENT_AT);
		event.tid = (int32_t)get_u32(p, FORK_TID_AT);
		event.time = get_u64(p, FORK_TIME_AT);
		break;
	case PERF_RECORD_LOST:
		if (size < LOST_AT + sizeof(uint64_t) + SAMPLE_SIZE)
			return false;
		event.kind = PROCESS_LOST;
		event.lost = get_u64(p, LOST_AT);
		break;
	default:
		return false;
	}
	*ret_event = event;
	return true;
}

static int process_events_open(struct perf_event_attr *attr, int cpu)
{
	int fd = perf_open(attr, -1, cpu);

	/* Kernels before 5.12 have no build IDs. */
	if (fd == -EINVAL && attr->build_id) {
		attr->build_id = 0;
		fd = perf_open(attr, -1, cpu);
	}
	return fd;
}

static int process_events_open_cpu(struct process_events *events, struct perf_event_attr *attr,
				   int number)
{
	struct cpu *cpu = &events->cpus[events->n];
	struct epoll_event wanted = { .events = EPOLLIN };
	int r;

	cpu->fd = process_events_open(attr, number);
	if (cpu->fd < 0)
		return cpu->fd;
	events->n++;
	r = perf_ring_init(&cpu->ring, cpu->fd, RING_SIZE);
	if (r < 0)
		return r;
	if (epoll_ctl(events->poll, EPOLL_CTL_ADD, cpu->fd, &wanted) < 0)
		return negative_errno();
	return ioctl(cpu->fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ? negative_errno() : 0;
}

static void choose_clock(struct process_events *events, const char *clock,
			 struct perf_event_attr *attr)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (str_eq(clocks[i].name, clock)) {
			events->timed = true;
			events->has_clock = clocks[i].readable;
			events->clock = clocks[i].clock;
		}
	if (events->has_clock) {
		attr->use_clockid = 1;
		attr->clockid = events->clock;
	}
}

static int process_events_start(struct process_events *events, const char *clock)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY,
					.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
					.disabled = 1,
					.mmap = 1,
					.mmap2 = 1,
					.comm = 1,
					.comm_exec = 1,
					.task = 1,
					.sample_id_all = 1,
					.build_id = 1,
					/*
					 * Wake up for each event, while the process still exists.
					 */
					.watermark = 1,
					.wakeup_watermark = 1 };
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int r = 0;

	choose_clock(events, clock, &attr);
	events->cpus = mem_zalloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*events->cpus));
	if (!events->cpus)
		return -ENOMEM;
	events->poll = epoll_create1(EPOLL_CLOEXEC);
	if (events->poll < 0)
		return negative_errno();
	for (long cpu = 0; cpu < cpus && r == 0; cpu++) {
		r = process_events_open_cpu(events, &attr, (int)cpu);
		if (r == -ENODEV)
			r = 0; /* offline */
	}
	return r < 0 ? r : events->n ? 0 : -ENODEV;
}

int process_events_new(const char *clock, struct process_events **ret_events,
		       struct fathom_err *err)
{
	struct process_events *events = mem_zalloc(1, sizeof(*events));
	int r;

	if (!events)
		return err_nomem(err);
	events->poll = -1;
	r = process_events_start(events, clock);
	if (r < 0) {
		process_events_free(events);
		return err_set_errno(err, r, "cannot follow what processes map");
	}
	*ret_events = events;
	return 0;
}

void process_events_free(struct process_events *events)
{
	if (!events)
		return;
	for (size_t i = 0; i < events->n; i++) {
		perf_ring_done(&events->cpus[i].ring);
		close(events->cpus[i].fd);
	}
	if (events->poll >= 0)
		close(events->poll);
	free(events->cpus);
	free(events);
}

bool process_events_timed(const struct process_events *events)
{
	return events->timed;
}

int process_events_fd(const struct process_events *events)
{
	return events->poll;
}

uint64_t process_events_now(const struct process_events *events)
{
	return events->has_clock ? clock_ns(events->clock) : 0;
}

bool process_events_next(struct process_events *events, struct process_event *ret_event)
{
	for (size_t tried = 0; tried < events->n;) {
		struct perf_ring *ring = &events->cpus[events->next].ring;
		const uint8_t *record;
		size_t size = perf_ring_next(ring, &record);

		if (!size) {
			/*
			 * The path of the last event that was returned is in the ring, so release
			 * it only now.
			 */
			perf_ring_release(ring);
			events->next = (events->next + 1) % events->n;
			tried++;
		} else if (process_event_parse(record, size, ret_event)) {
			return true;
		}
	}
	return false;
}
