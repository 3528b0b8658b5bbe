/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tries a plan: tracing is enabled for a moment, and the kernel counts the events. The buffers are
 * cleared afterwards. This measures what system-wide function tracing will cost.
 */
#include "record/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "record/rings/cpu-stats.h"
#include "record/session/session.h"

#define LOOK_MS	    100
#define MANY	    1000 /* functions */
#define FILTER_SIZE 65536 /* bytes of the list to read: enough to decide */

/* set_ftrace_filter is "#### all functions enabled ####", or has a line for each function. */
static bool has_many(const struct plan_buffer *buffer)
{
	_cleanup_free_ char *text = mem_zalloc(FILTER_SIZE, 1);
	_cleanup_close_ int fd =
		openat(buffer->place->fd, "set_ftrace_filter", O_RDONLY | O_CLOEXEC);
	size_t len = 0, n = 0;
	ssize_t got;

	if (!text || fd < 0)
		return true;
	while (len < FILTER_SIZE - 1 && (got = read(fd, text + len, FILTER_SIZE - 1 - len)) > 0)
		len += (size_t)got;
	if (text[0] == '#' || !len)
		return true;
	for (const char *line = text; (line = strchr(line, '\n')); line++)
		n++;
	return n >= MANY || len == FILTER_SIZE - 1;
}

bool plan_may_look(const struct plan *plan)
{
	bool of_functions = false;

	if (plan->n_pids)
		return false;
	for (size_t i = 0; i < plan->n; i++) {
		const struct plan_buffer *buffer = &plan->buffers[i];

		of_functions |= plan_traces_functions(buffer);
		/* Trying would trigger what should happen once, later. */
		for (size_t k = 0; k < buffer->n_events; k++)
			if (buffer->events[k].triggers.n)
				return false;
	}
	return of_functions;
}

static bool plan_look_is_large(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan_traces_functions(&plan->buffers[i]) && has_many(&plan->buffers[i]))
			return true;
	return false;
}

/* Returns how many events the kernel has created so far, including those read or lost. */
static uint64_t plan_look_count_events(const struct plan_buffer *buffer)
{
	_cleanup_free_ uint32_t *cpus = NULL;
	uint64_t events = 0;
	size_t n = 0;

	if (cpu_list_read(buffer->place->fd, &cpus, &n) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct cpu_stats stats;

		if (cpu_stats_read(buffer->place->fd, cpus[i], &stats, NULL) == 0)
			events += stats.entries + stats.read + cpu_stats_lost(&stats);
	}
	return events;
}

static int switch_all(const struct plan *plan, const int *fds, const char *value)
{
	int r = 0;

	for (size_t i = 0; i < plan->n; i++)
		if (write(fds[i], value, 1) < 0)
			r = negative_errno();
	return r;
}

int plan_try(const struct plan *plan, int (*work)(void *data), void *data, uint64_t *ret_events,
	     struct fathom_err *err)
{
	_cleanup_free_ int *fds = mem_zalloc(plan->n, sizeof(*fds));
	int r;

	if (!fds)
		return err_nomem(err);
	r = plan_open_switches(plan, fds, err);
	if (r < 0)
		return r;
	r = switch_all(plan, fds, "1");
	if (r == 0)
		r = work(data);
	switch_all(plan, fds, "0");
	for (size_t i = 0; i < plan->n; i++) {
		ret_events[i] = plan_look_count_events(&plan->buffers[i]);
		if (file_write(plan->buffers[i].place->fd, "trace", O_TRUNC, "\n") < 0)
			r = -EIO;
		close(fds[i]);
	}
	return r < 0 ? err_set_errno(err, r, "cannot measure the overhead of tracing") : 0;
}

static int pause_a_moment(void *data)
{
	static const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	uint64_t *took = data, begin = clock_ns(CLOCK_MONOTONIC);

	nanosleep(&pause, NULL);
	*took = clock_ns(CLOCK_MONOTONIC) - begin;
	return 0;
}

int plan_look(const struct plan *plan, double scale, struct overhead_cost *ret_cost,
	      struct fathom_err *err)
{
	_cleanup_free_ uint64_t *events = mem_zalloc(plan->n, sizeof(*events));
	struct overhead_sums begin = { 0 }, end = { 0 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int r;

	if (!events)
		return err_nomem(err);
	if (!plan_look_is_large(plan))
		return 0;
	r = plan_try(plan, pause_a_moment, &end.time_ns, events, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < plan->n; i++) {
		end.events += events[i];
		end.events_ns +=
			(double)events[i] * scale * event_price_ns(plan, &plan->buffers[i]);
	}
	*ret_cost = overhead_between(&begin, &end, cpus > 0 ? (unsigned)cpus : 1);
	return 1;
}
