/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events with their meaning and fields: the input of all analyses. The meaning of a format is
 * determined at its first event; events without the fields that a meaning requires are
 * DECODED_OTHER.
 *
 * A decoded event points to the raw event and into its data, and is valid only as long as they are:
 * until the function that receives it returns. Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_DECODED_EVENT_H
#define FATHOM_ANALYZE_STREAM_DECODED_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/cursor.h>

#include "base/str.h"
#include "format/event/prev-state.h"
#include "read/event-table.h"

enum decoded_kind {
	DECODED_OTHER,
	DECODED_CALL, /* entry of a function */
	DECODED_RETURN, /* its exit */
	DECODED_FUNCTION, /* entry of a function whose exit is not recorded */
	DECODED_SWITCH, /* a CPU switches to another task */
	DECODED_WAKING, /* a task is about to be woken */
	DECODED_WAKEUP, /* it is runnable now */
	DECODED_WAKEUP_NEW, /* the same for a new task */
	DECODED_IRQ_ENTRY,
	DECODED_IRQ_EXIT,
	DECODED_SOFTIRQ_ENTRY,
	DECODED_SOFTIRQ_EXIT,
	DECODED_SOFTIRQ_RAISE, /* it is marked as pending */
	DECODED_SYSCALL_ENTRY,
	DECODED_SYSCALL_EXIT,
	DECODED_BLOCK_INSERT, /* a request is queued for a block device; keep these five together */
	DECODED_BLOCK_MERGE, /* it was merged into another one */
	DECODED_BLOCK_ISSUE, /* it was passed to the device */
	DECODED_BLOCK_REQUEUE, /* the device returned it unfinished */
	DECODED_BLOCK_COMPLETE, /* the device completed it or a part of it */
	DECODED_FORK,
	DECODED_EXEC,
	DECODED_TASK_EXIT,
	DECODED_NEW_TASK, /* created by the current task */
	DECODED_FAULT, /* page fault */
	DECODED_SIGNAL, /* delivered to the current task */
	DECODED_SIGNAL_SENT, /* sent to @signal.pid, or not sent because it is ignored */
	DECODED_OOM_KILL, /* out of memory: the process of @task.pid is killed */
	DECODED_PATH, /* a system call looks up a path */
	/*
	 * A program writes text: @path has its first part and the descriptor, decoded_part()
	 * returns all.
	 */
	DECODED_WRITTEN,
	/* The kernel answers a netlink request, perhaps with an error; see @netlink. */
	DECODED_NETLINK,
	/* The kernel's message about an error that it is about to return; see @path. */
	DECODED_SAID,
	DECODED_URING, /* an io_uring is created; @uring, as in the next two */
	DECODED_URING_SUBMIT, /* a request is submitted */
	/* a request is complete; the current task need not be the submitter */
	DECODED_URING_COMPLETE,
	DECODED_CAPABILITY, /* the kernel checks a capability of the task, @amount */
	DECODED_PROBE, /* a kernel probe is hit; for this and the next, see probe-calls.h */
	DECODED_PROBE_RETURN, /* the same at the exit of a function */
	DECODED_USER, /* entry or exit of a user function; see user-calls.h */
	DECODED_TIMER_ENTRY, /* a timer callback starts */
	DECODED_TIMER_EXIT,
	DECODED_SAMPLE, /* a CPU sample; see format/event/sample-event.h */
	DECODED_USER_STACK, /* the user stack of the current task; see @sample */
};

/* Scheduling states of a task. */
enum task_state {
	TASK_STATE_UNKNOWN,
	TASK_STATE_RUNNING, /* on a CPU */
	TASK_STATE_RUNNABLE, /* waiting for a CPU */
	TASK_STATE_SLEEPING, /* waiting, interruptible by signals */
	TASK_STATE_BLOCKED, /* waiting, uninterruptible: mostly for a disk */
	TASK_STATE_IDLE, /* a kernel thread without work */
	TASK_STATE_STOPPED, /* by a signal or a debugger, or parked */
	TASK_STATE_DEAD,
	TASK_STATES,
};

/* What the CPU executes: a task, or an interrupt on top of one. */
enum decoded_context {
	CONTEXT_TASK,
	CONTEXT_HARDIRQ,
	CONTEXT_SOFTIRQ,
};

/* The fate of a sent signal, TRACE_SIGNAL_* in the kernel. */
enum signal_result {
	SIGNAL_RESULT_QUEUED,
	SIGNAL_RESULT_IGNORED,
	SIGNAL_RESULT_PENDING, /* dropped: one of its kind was pending already */
	SIGNAL_RESULT_FAILED, /* the queue is full */
	SIGNAL_RESULT_NO_INFO, /* queued, without information about its sender */
};

/* A string in the event, not NUL-terminated. NULL if unknown. */
struct decoded_name {
	const char *s;
	size_t len;
};

struct decoded_event {
	enum decoded_kind kind;
	const struct fathom_event *event; /* has time, CPU and pid */
	const struct event_entry *entry; /* NULL: the format is unknown */
	bool unwanted; /* do not count it; see struct feed */
	bool early; /* before the window: changes states, is not counted; see struct feed */
	bool late; /* after the window: may reveal states, is not counted */
	/* OTHER: it was merged into a call as its arguments or result; see probe-join.h */
	bool joined;
	union {
		struct {
			uint64_t func;
			uint64_t duration; /* RETURN: by the time stamps of the tracer */
			/* RETURN: time stamp of the exit, clock "local"; 0 if unknown */
			uint64_t end;
			int64_t result; /* RETURN, if @has_more */
			int depth;
			/* Has the result; CALL: has arguments after the other fields. */
			bool has_more;
			/* CALL: the event with the arguments; NULL: @event */
			const struct fathom_event *more;
			bool is_user; /* a user function */
			bool is_end; /* USER: it is an exit */
			bool no_start; /* of a user function: the time of entry is unknown */
			unsigned users; /* number of open user functions around it */
			uint64_t stack; /* USER: stack pointer; 0 if unknown */
		} call;
		struct {
			/* State in which it leaves the CPU; RUNNABLE: preempted. */
			enum task_state prev;
			bool is_preempted; /* known to have been preempted ("R+") */
			int32_t prev_pid, next_pid;
			struct decoded_name prev_name, next_name;
		} sched;
		struct {
			int32_t pid; /* the task that is woken, created, killed or exits */
			uint64_t flags; /* NEW_TASK: of clone() */
			/* Of @pid; unset for NEW_TASK, TASK_EXIT and OOM_KILL. */
			struct decoded_name name;
			enum decoded_context context; /* of the waker */
		} task;
		struct {
			/* In the event, not NUL-terminated; WRITTEN: NULL if unknown. */
			const char *text;
			size_t len;
			size_t parts; /* WRITTEN: number of parts; 0: @text is all */
			/* PATH: directory descriptor or AT_FDCWD; WRITTEN: descriptor */
			int64_t dir;
			/* EXEC: of the thread that called execve(); usually the same */
			int32_t old_pid;
		} path;
		struct {
			int32_t error; /* positive errno; 0: success */
			uint16_t type; /* of the request */
			struct decoded_name text; /* the kernel's message about the error */
			const struct event_field *head; /* the request; see decoded_byte() */
		} netlink;
		struct {
			/* @data: the program's identification of the request. */
			uint64_t ring, data;
			uint64_t request; /* the kernel's identification; 0 if unknown */
			int32_t result; /* COMPLETE: negative if it failed */
			uint8_t operation; /* SUBMIT */
			bool is_polled; /* SUBMIT: by the kernel's submission queue thread */
		} uring;
		struct {
			uint64_t value; /* an address or a capability */
			uint64_t error; /* FAULT: error code of the CPU; 0 if unknown */
		} amount;
		struct {
			int32_t number;
			/* SENT: the receiving thread, or a thread of the receiving process */
			int32_t pid;
			int32_t code; /* si_code, if @has_code */
			int32_t result; /* SENT: enum signal_result; 0 if not recorded */
			bool has_code;
			bool has_action; /* SIGNAL: @handler and @flags are valid */
			uint64_t handler, flags; /* of sigaction() */
		} signal;
		struct {
			int64_t number; /* of the system call or interrupt */
			uint64_t first; /* ENTRY: first argument */
			int64_t result; /* EXIT */
			int32_t old_pid; /* EXIT: pid of the thread at the entry; 0: the same */
		} call_number;
		struct {
			uint64_t ns; /* time represented by the sample */
			int32_t process;
			uint32_t kernel; /* number of innermost frames that are kernel functions */
			uint64_t end; /* why the stack ends here: enum sample_end */
			const struct event_field *stack; /* see decoded_frame() */
		} sample;
		struct {
			uint64_t sector;
			uint32_t device; /* major << 20 | minor */
			uint32_t sectors;
			uint32_t bytes; /* INSERT, ISSUE */
			int32_t error; /* COMPLETE: 0, or a negative errno */
			char operation; /* R, W, D for discard, F for flush, N for others */
			enum decoded_context context;
		} block;
	};
};

/* Returns whether the event is outside the window: it reveals states, but is not counted. */
static inline bool decoded_is_outside(const struct decoded_event *decoded)
{
	return decoded->early || decoded->late;
}

/*
 * Returns whether events were lost before this one. Lost samples do not count: they have a buffer
 * of their own.
 */
static inline bool decoded_has_gap(const struct decoded_event *decoded)
{
	return decoded->event->missed && decoded->kind != DECODED_SAMPLE;
}

/*
 * Returns the previous pid of the task: a thread that calls execve() takes over the pid of the
 * first thread of its process. Known from the sched_process_exec event or the end of the call.
 * Returns 0 if the pid is unchanged, or if that is unknown.
 */
static inline int32_t decoded_old_pid(const struct decoded_event *decoded)
{
	int32_t old_pid = 0;

	if (decoded->kind == DECODED_EXEC)
		old_pid = decoded->path.old_pid;
	else if (decoded->kind == DECODED_SYSCALL_EXIT)
		old_pid = decoded->call_number.old_pid;
	return old_pid > 0 && old_pid != decoded->event->pid ? old_pid : 0;
}

/*
 * FAULT: returns whether the program itself accessed the page, rather than the kernel on its
 * behalf.
 */
static inline bool decoded_is_fault_of_program(const struct decoded_event *decoded)
{
	return !decoded->entry || str_eq(decoded->entry->format->name, "page_fault_user");
}

struct decode_plan;

/* Initialize to zero, except for @table, which must outlive the decoder. */
struct event_decoder {
	struct event_table *table;
	bool plain; /* decode nothing: all events are DECODED_OTHER */
	struct decode_plan **plans; /* by id */
	struct arena arena;
	bool nomem; /* some events were decoded as DECODED_OTHER for lack of memory */
};

void event_decoder_read(struct event_decoder *reader, const struct fathom_event *event,
			struct decoded_event *ret);
/* Interprets the prev_state of a sched_switch with the state letters of its kernel. */
enum task_state task_state_of(const struct prev_states *states, uint64_t bits);
/*
 * Returns "openat" for an event of the syscalls system, or NULL if the event is not named after a
 * call, as in raw_syscalls. The string belongs to the event table.
 */
const char *decoded_syscall_name(const struct decoded_event *decoded);
/* Reads argument @i of a system call from its entry. Returns false if it was not recorded. */
bool decoded_syscall_argument(const struct decoded_event *decoded, unsigned i, uint64_t *ret_value);
/*
 * WRITTEN: finds part @i of the text, in the event and not NUL-terminated. Returns false if
 * unknown.
 */
bool decoded_part(const struct decoded_event *decoded, size_t i, const char **ret_text,
		  size_t *ret_len);
/* NETLINK: reads byte @i of the request. Returns false if it was not recorded. */
bool decoded_byte(const struct decoded_event *decoded, size_t i, uint8_t *ret_byte);
/*
 * SAMPLE, USER_STACK: reads the address of frame @i, counted from the innermost. Returns false if
 * there is none.
 */
bool decoded_frame(const struct decoded_event *decoded, size_t i, uint64_t *ret_address);
void event_decoder_done(struct event_decoder *reader);

#endif
