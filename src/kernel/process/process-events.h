/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notifications of mappings, exec, fork and exit of all processes, as they happen. They come from a
 * dummy perf event on each CPU, so no process is too short-lived to be seen. Needs system-wide perf
 * privileges. One thread may use it at a time.
 */
#ifndef FATHOM_KERNEL_PROCESS_PROCESS_EVENTS_H
#define FATHOM_KERNEL_PROCESS_PROCESS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#define PROCESS_BUILD_ID_MAX 20

enum process_event_kind {
	PROCESS_MAPPED,
	PROCESS_EXEC, /* a new program; all mappings are gone */
	PROCESS_FORKED, /* a new process, or a thread if @pid equals @parent */
	PROCESS_ENDED, /* a thread has exited; the process, if @tid equals @pid */
	PROCESS_LOST, /* @lost events were dropped, the ring was full */
};

struct process_event {
	enum process_event_kind kind;
	int32_t pid, tid;
	int32_t parent; /* PROCESS_FORKED: the process that forked */
	uint64_t time; /* in ns, see process_events_new() */
	uint64_t start, end, offset; /* PROCESS_MAPPED, like the following fields */
	uint64_t inode; /* 0: the kernel reports the build ID instead */
	uint8_t build_id[PROCESS_BUILD_ID_MAX];
	uint8_t build_id_len; /* 0: unknown */
	const char *path; /* or "//anon", "[vdso]"; valid until the next event is read */
	uint64_t lost; /* PROCESS_LOST */
};

struct process_events;

/*
 * Starts listening on all online CPUs. @clock is the name of a trace clock; process_events_timed()
 * returns whether events have times of this clock. Returns 0 or a negative errno, for example if
 * privileges are missing.
 */
int process_events_new(const char *clock, struct process_events **ret_events,
		       struct fathom_err *err);
void process_events_free(struct process_events *events);
bool process_events_timed(const struct process_events *events);
/* Returns a descriptor that is readable when there are events. It belongs to @events. */
int process_events_fd(const struct process_events *events);
/*
 * Returns the next event of any CPU, or false if there is none at present. The events of a CPU are
 * in chronological order.
 */
bool process_events_next(struct process_events *events, struct process_event *ret_event);
/* Returns the current time of that clock in ns, or 0 if user space cannot read the clock. */
uint64_t process_events_now(const struct process_events *events);

/*
 * Parses a record of the kernel. Returns false if it is malformed or of another type. *@ret_event
 * points into @record. For process_events_next() and tests.
 */
bool process_event_parse(const void *record, size_t size, struct process_event *ret_event);

#endif
