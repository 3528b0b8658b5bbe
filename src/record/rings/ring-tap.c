/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An event appears in its ring slightly after its timestamp is taken. So what is read after the
 * clock showed T contains all events up to slightly before T. Here that margin is a whole round:
 * the limit is the clock at the start of the previous round, and all rings were read in between. A
 * ring that could not be emptied is only complete up to the start of its last page.
 */
#include "record/rings/ring-tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "format/bytes.h"
#include "record/rings/cpu-stats.h"

struct tap_ring {
	int place;
	uint32_t cpu;
	int raw; /* trace_pipe_raw */
	struct block_ring *to;
	uint64_t page_time; /* timestamp of the last page that was read */
	bool empty; /* was read to its end */
};

struct ring_tap {
	struct tap_ring *rings;
	size_t n;
	uint64_t clock; /* at the start of the last round */
	uint64_t until;
};

int ring_tap_new(const struct ring_tap_source *sources, size_t n, struct ring_tap **ret_tap,
		 struct fathom_err *err)
{
	_cleanup_ring_tap_ struct ring_tap *tap = mem_zalloc(1, sizeof(*tap));

	if (!tap)
		return err_nomem(err);
	tap->rings = mem_zalloc(n, sizeof(*tap->rings));
	if (!tap->rings)
		return err_nomem(err);
	for (; tap->n < n; tap->n++) {
		const struct ring_tap_source *source = &sources[tap->n];
		char path[64];
		int fd;

		snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", source->cpu);
		fd = openat(source->place, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			return err_set_errno(err, negative_errno(),
					     "cannot read the buffer of CPU %u%s", source->cpu,
					     errno == EBUSY ? ": another process reads it" : "");
		tap->rings[tap->n] =
			(struct tap_ring){ source->place, source->cpu, fd, source->to };
	}
	*ret_tap = TAKE_PTR(tap);
	return 0;
}

void ring_tap_free(struct ring_tap *tap)
{
	if (!tap)
		return;
	for (size_t i = 0; i < tap->n; i++)
		close(tap->rings[i].raw);
	free(tap->rings);
	free(tap);
}

/* Reads a page. Returns 1, 0 if there is none, or a negative errno. */
static int ring_tap_take_page(struct tap_ring *ring, uint8_t *room)
{
	size_t size = ring->to->size;
	ssize_t n;

	do
		n = read(ring->raw, room, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : negative_errno();
	if (n == 0)
		return 0;
	/* Zeroes contain no events. */
	memset(room + n, 0, size - (size_t)n);
	/* A page starts with its timestamp. */
	ring->page_time = load_u64(room, BYTES_HOST_BIG);
	block_ring_add(ring->to);
	return 1;
}

/*
 * Reads at most as much as there is room for: a ring that fills as fast as it is read must not
 * stall the others.
 */
static int ring_tap_take_ring(struct tap_ring *ring, struct fathom_err *err)
{
	int r = 1;

	ring->empty = false;
	for (uint8_t *room; r > 0 && (room = block_ring_room(ring->to));)
		r = ring_tap_take_page(ring, room);
	ring->empty = r == 0;
	return r < 0 ? err_set_errno(err, r, "cannot read the buffer of CPU %u", ring->cpu) : 0;
}

static int ring_tap_take_rings(struct ring_tap *tap, bool *ret_more, struct fathom_err *err)
{
	*ret_more = false;
	for (size_t i = 0; i < tap->n; i++) {
		int r = ring_tap_take_ring(&tap->rings[i], err);

		if (r < 0)
			return r;
		*ret_more |= !tap->rings[i].empty;
	}
	return 0;
}

/* Returns @until, or the time up to which the first ring that was not emptied is complete. */
static uint64_t known_until(const struct ring_tap *tap, uint64_t until)
{
	for (size_t i = 0; i < tap->n; i++) {
		const struct tap_ring *ring = &tap->rings[i];

		if (!ring->empty && ring->page_time < until)
			until = ring->page_time;
	}
	return until;
}

int ring_tap_take(struct ring_tap *tap, uint64_t *ret_until, struct fathom_err *err)
{
	struct cpu_stats stats;
	uint64_t before = tap->clock;
	bool more;
	int r = cpu_stats_read(tap->rings[0].place, tap->rings[0].cpu, &stats, NULL);

	if (r < 0)
		return err_set_errno(err, r, "cannot read the trace clock");
	r = ring_tap_take_rings(tap, &more, err);
	if (r < 0)
		return r;
	tap->clock = stats.now;
	before = known_until(tap, before);
	if (before > tap->until)
		tap->until = before;
	*ret_until = tap->until;
	return more;
}

int ring_tap_take_rest(struct ring_tap *tap, uint64_t *ret_until, struct fathom_err *err)
{
	bool more;
	int r = ring_tap_take_rings(tap, &more, err);

	if (r < 0)
		return r;
	tap->until = known_until(tap, UINT64_MAX);
	*ret_until = tap->until;
	return more;
}

uint64_t ring_tap_lost(const struct ring_tap *tap)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < tap->n; i++) {
		struct cpu_stats stats;

		if (cpu_stats_read(tap->rings[i].place, tap->rings[i].cpu, &stats, NULL) == 0)
			lost += cpu_stats_lost(&stats);
	}
	return lost;
}
