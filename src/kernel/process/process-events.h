/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What processes do with their memory, told by the kernel when it happens: a file is mapped to be
 * executed, a program or a thread is started, a process ends. Comes from an event of perf that counts nothing, on
 * each CPU, so that no process is too short-lived. Needs the rights of perf for the whole system.
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
	PROCESS_EXEC, /* another program; all mappings are gone */
	PROCESS_FORKED, /* a process, or a thread when @pid is that of the parent */
	PROCESS_ENDED, /* a thread of it; the process when @tid is @pid */
	PROCESS_LOST, /* @lost events, the ring was full */
};

struct process_event {
	enum process_event_kind kind;
	int32_t pid, tid;
	int32_t parent; /* PROCESS_FORKED: its process */
	uint64_t time; /* of the clock that was asked for */
	uint64_t start, end, offset; /* PROCESS_MAPPED, and the rest */
	uint64_t inode; /* 0: the kernel told the build-id instead */
	uint8_t build_id[PROCESS_BUILD_ID_MAX];
	uint8_t build_id_len; /* 0: unknown */
	const char *path; /* "//anon", "[vdso]"; valid until the next one is read */
	uint64_t lost;
};

struct process_events;

/*
 * Starts listening. @clock is the name of a clock of tracing; process_events_timed() says whether the times are of
 * this clock. 0 or a negative errno: without the right, or in a kernel without perf.
 */
int process_events_new(const char *clock, struct process_events **ret_events,
		       struct fathom_err *err);
void process_events_free(struct process_events *events);
bool process_events_timed(const struct process_events *events);
/* Readable when something has happened. */
int process_events_fd(const struct process_events *events);
/* The next one of a CPU, of any; those of one CPU come in the order of time. False: there is none now. */
bool process_events_next(struct process_events *events, struct process_event *ret_event);
/* Now, on that clock; 0 when it is none that programs can read. */
uint64_t process_events_now(const struct process_events *events);

/* What a record of the kernel says; false: nothing of the above. For process_events_next(). */
bool process_event_parse(const void *record, size_t size, struct process_event *ret_event);

#endif
