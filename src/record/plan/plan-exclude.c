/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeps the recorder out of its own recording, but not the interrupts that occur while it runs.
 *
 * While a task of set_event_notrace_pid runs on a CPU, the kernel discards all events there, those
 * of interrupts included, and does not count them as lost. So this list is only used for buffers
 * whose events never come from interrupts. In others, each event gets a filter that discards the
 * event if its context is one of these tasks and no interrupt. It costs the kernel more than the
 * list, therefore events that a recorder rarely causes have none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "record/plan/plan-parts.h"
#include "record/session/session.h"

/* TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ and TRACE_FLAG_NMI of the kernel. */
#define IN_INTERRUPT "common_flags & 0x58"

/*
 * Systems of which moving a page to the file causes no event, or a few. Most are about devices, for
 * which the current task can also work on behalf of others.
 */
static const struct {
	const char *system;
	bool in_interrupts;
} few[] = {
	{ "block", true }, { "irq", true },    { "irq_vectors", true },
	{ "napi", true },  { "net", true },    { "nvme", true },
	{ "power", true }, { "raw_syscalls" }, { "sched", true },
	{ "scsi", true },  { "signal", true }, { "skb", true },
	{ "syscalls" },	   { "task" },	       { "tcp", true },
	{ "timer", true }, { "udp", true },    { "workqueue", true },
};

/* Returns the index in few[] of the system of @event, "SYSTEM:EVENT", or -1. */
static int plan_exclude_find(const char *event, size_t len)
{
	const char *colon = memchr(event, ':', len);
	size_t system = colon ? (size_t)(colon - event) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(few); i++)
		if (strlen(few[i].system) == system && !memcmp(few[i].system, event, system))
			return (int)i;
	return -1;
}

bool plan_has_interrupts(const char *events)
{
	for (size_t len; *events; events += len + (events[len] == '\n')) {
		int i;

		len = strcspn(events, "\n");
		if (!len)
			continue;
		i = plan_exclude_find(events, len);
		if (i < 0 || few[i].in_interrupts)
			return true;
	}
	return false;
}

static int plan_exclude_compare(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

void plan_exclude_filter(struct strbuf *filter, const pid_t *pids, size_t n)
{
	/* First what holds for most tasks: the kernel evaluates no more than it must. */
	strbuf_addf(filter, "common_pid < %d || common_pid > %d || " IN_INTERRUPT, (int)pids[0],
		    (int)pids[n - 1]);
	for (size_t i = 1; i < n; i++) {
		if (pids[i] == pids[i - 1] + 2)
			strbuf_addf(filter, " || common_pid == %d", (int)pids[i] - 1);
		else if (pids[i] > pids[i - 1] + 2)
			strbuf_addf(filter, " || (common_pid > %d && common_pid < %d)",
				    (int)pids[i - 1], (int)pids[i]);
	}
}

/* Adds the filter to that of one event. */
static int plan_exclude_from(struct session *session, struct session_place *place,
			     const char *event, size_t len, const char *filter,
			     struct fathom_err *err)
{
	const char *colon = memchr(event, ':', len);
	_cleanup_strbuf_ struct strbuf both = { 0 };
	char path[PLAN_PATH_SIZE];

	if (!colon ||
	    snprintf(path, sizeof(path), "events/%.*s/%.*s/filter", (int)(colon - event), event,
		     (int)(event + len - colon - 1), colon + 1) >= (int)sizeof(path))
		return err_set(err, -EINVAL, "unexpected event '%.*s'", (int)len, event);
	strbuf_addc(&both, '(');
	if (knob_read(place->fd, path, &both) == 0 && both.len > 1)
		strbuf_addf(&both, ") && (%s)", filter);
	else
		strbuf_clear(&both);
	if (both.err)
		return err_nomem(err);
	return session_set(session, place, path, both.len ? strbuf_str(&both) : filter, err);
}

/* Sets the filter for all events that a recorder causes often. */
static int plan_exclude_by_filter(struct session *session, struct session_place *place,
				  const char *events, const pid_t *pids, size_t n,
				  struct fathom_err *err)
{
	_cleanup_free_ pid_t *sorted = mem_alloc((n ?: 1) * sizeof(*sorted));
	_cleanup_strbuf_ struct strbuf filter = { 0 };
	int r = 0;

	if (!sorted)
		return err_nomem(err);
	if (!n)
		return 0;
	memcpy(sorted, pids, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), plan_exclude_compare);
	plan_exclude_filter(&filter, sorted, n);
	if (filter.err)
		return err_nomem(err);
	for (size_t len; *events && r == 0; events += len + (events[len] == '\n')) {
		len = strcspn(events, "\n");
		if (len && plan_exclude_find(events, len) < 0)
			r = plan_exclude_from(session, place, events, len, strbuf_str(&filter),
					      err);
	}
	return r;
}

/* Returns whether the place records the events of certain tasks only, which are not ours. */
static bool plan_exclude_is_limited(const struct session_place *place)
{
	_cleanup_strbuf_ struct strbuf pids = { 0 };

	return knob_read(place->fd, "set_event_pid", &pids) == 0 && pids.len;
}

static int plan_exclude_events(struct session *session, struct session_place *place,
			       const pid_t *pids, size_t n, bool always, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf events = { 0 };
	bool in_interrupts;
	int r = file_read(place->fd, "set_event", &events);

	if (r == -ENOMEM || events.err)
		return err_nomem(err);
	in_interrupts = r < 0 || plan_has_interrupts(strbuf_str(&events));
	if (plan_exclude_is_limited(place))
		return 0;
	if (r == 0 && in_interrupts && !always) {
		r = plan_exclude_by_filter(session, place, strbuf_str(&events), pids, n, NULL);
		if (r == 0 || r == -ENOMEM)
			return r < 0 ? err_nomem(err) : 0;
	}
	/* A filter can become too long for the kernel. */
	r = session_exclude_pids(session, place, pids, n, SESSION_EXCLUDE_EVENTS, err);
	return r < 0 ? r : in_interrupts && r & SESSION_EXCLUDE_EVENTS;
}

int plan_exclude(struct plan *plan, struct session *session, const pid_t *pids, size_t n,
		 bool always, struct fathom_err *err)
{
	int hides = 0;

	for (size_t i = 0; i < plan->n; i++) {
		struct plan_buffer *buffer = &plan->buffers[i];
		int r = session_exclude_pids(session, buffer->place, pids, n,
					     SESSION_EXCLUDE_FUNCTIONS, err);

		if (r > 0 && plan_traces_functions(buffer))
			hides |= PLAN_HIDES_CALLS;
		if (r >= 0)
			r = plan_exclude_events(session, buffer->place, pids, n, always, err);
		if (r < 0)
			return r;
		if (r)
			hides |= PLAN_HIDES_EVENTS;
	}
	return hides;
}
