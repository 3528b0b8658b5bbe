/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeps the recorder out of its own recording. While an excluded task runs on a CPU, the kernel
 * discards all events there, those of interrupts included, and does not count them as lost. A
 * buffer is therefore recorded without exclusion if its events can come from interrupts, and if a
 * recorder causes so few of them that they do not fill the buffer by themselves.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "record/plan/plan-parts.h"
#include "record/session/session.h"

/* Systems of which moving a page to the file causes no event, or a few. */
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

bool plan_causes_few_events(const char *events)
{
	bool in_interrupts = false;

	for (size_t len; *events; events += len + (events[len] == '\n')) {
		int i;

		len = strcspn(events, "\n");
		if (!len)
			continue;
		i = plan_exclude_find(events, len);
		if (i < 0)
			return false;
		in_interrupts |= few[i].in_interrupts;
	}
	return in_interrupts;
}

int plan_exclude(struct plan *plan, struct session *session, const pid_t *pids, size_t n,
		 bool always, struct fathom_err *err)
{
	bool hides = false;

	for (size_t i = 0; i < plan->n; i++) {
		struct plan_buffer *buffer = &plan->buffers[i];
		_cleanup_strbuf_ struct strbuf events = { 0 };
		bool few_events = !always &&
				  file_read(buffer->place->fd, "set_event", &events) == 0 &&
				  plan_causes_few_events(strbuf_str(&events));
		int r;

		r = session_exclude_pids(
			session, buffer->place, pids, n,
			few_events ? SESSION_EXCLUDE_FUNCTIONS : SESSION_EXCLUDE_ALL, err);
		if (r < 0)
			return r;
		hides |= r & SESSION_EXCLUDE_EVENTS ||
			 (r & SESSION_EXCLUDE_FUNCTIONS && plan_traces_functions(buffer));
	}
	return hides;
}
