/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What analyses are fed with: events whose meaning is known, their fields read. Which
 * event of a trace means what is found out once, when its first one comes.
 */
#ifndef FATHOM_ANALYZE_HAPPENING_H
#define FATHOM_ANALYZE_HAPPENING_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/cursor.h>

#include "read/event-table.h"

enum happening_kind {
	HAPPENING_OTHER,
	HAPPENING_CALL, /* a function begins */
	HAPPENING_RETURN, /* it ends */
	HAPPENING_SWITCH, /* a CPU goes on with another task */
	HAPPENING_WAKING, /* a task is about to be woken */
	HAPPENING_WAKEUP, /* it can run now */
	HAPPENING_IRQ_ENTRY,
	HAPPENING_IRQ_EXIT,
	HAPPENING_SOFTIRQ_ENTRY,
	HAPPENING_SOFTIRQ_EXIT,
	HAPPENING_SYSCALL_ENTRY,
	HAPPENING_SYSCALL_EXIT,
	HAPPENING_FORK,
	HAPPENING_EXEC,
	HAPPENING_TASK_EXIT,
	HAPPENING_NEW_TASK, /* by the one whose event it is */
	HAPPENING_FAULT, /* a page that is not there is touched */
	HAPPENING_SIGNAL, /* one is delivered */
	HAPPENING_DISK, /* a request goes to a device */
	HAPPENING_PATH, /* a file is looked for by its path, in a system call */
};

struct happening {
	enum happening_kind kind;
	const struct fathom_event *event; /* time, CPU and pid are there */
	const struct event_entry *entry; /* NULL: no format describes it */
	union {
		struct {
			uint64_t func;
			uint64_t duration; /* RETURN, ns by the kernel's own account */
			int depth;
		} call;
		struct {
			int64_t prev_state;
			int32_t prev_pid, next_pid;
		} sched;
		struct {
			int32_t pid; /* who is woken, forked, or ends */
			uint64_t flags; /* NEW_TASK: of clone() */
		} task;
		struct {
			const char *text; /* PATH, EXEC: not terminated, in the event */
			size_t len;
			int64_t dir; /* PATH: the descriptor that it starts from, or AT_FDCWD */
		} path;
		struct {
			uint64_t value; /* an address, a signal, bytes */
		} amount;
		struct {
			int64_t number; /* of the call; of the interrupt */
			uint64_t first; /* ENTRY: the first argument of the call */
			int64_t result; /* EXIT */
		} call_number;
	};
};

/* Was the event recorded in an interrupt, and not by the task that it names? */
bool happening_in_irq(const struct happening *happening);

struct happening_plan;

/* Zero-initialised with @table set, which must outlive it. Not for several threads. */
struct happening_reader {
	struct event_table *table;
	struct happening_plan **plans; /* by id */
	struct arena arena;
	bool nomem; /* some events were taken for others than they are */
};

void happening_read(struct happening_reader *reader, const struct fathom_event *event,
		    struct happening *ret);
void happening_reader_done(struct happening_reader *reader);

#endif
