/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What analyses are fed with: events whose meaning is known, their fields read. Which
 * event of a trace means what is found out once, when its first one comes.
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
	DECODED_CALL, /* a function begins */
	DECODED_RETURN, /* it ends */
	DECODED_FUNCTION, /* one was called, and nothing tells of its end */
	DECODED_SWITCH, /* a CPU goes on with another task */
	DECODED_WAKING, /* a task is about to be woken */
	DECODED_WAKEUP, /* it can run now */
	DECODED_WAKEUP_NEW, /* so can one that was just made */
	DECODED_IRQ_ENTRY,
	DECODED_IRQ_EXIT,
	DECODED_SOFTIRQ_ENTRY,
	DECODED_SOFTIRQ_EXIT,
	DECODED_SOFTIRQ_RAISE, /* it shall run */
	DECODED_SYSCALL_ENTRY,
	DECODED_SYSCALL_EXIT,
	DECODED_BLOCK_INSERT, /* a request of a block device is queued; these stand together */
	DECODED_BLOCK_MERGE, /* it has become a part of another one */
	DECODED_BLOCK_ISSUE, /* the device gets it */
	DECODED_BLOCK_REQUEUE, /* the device gives it back */
	DECODED_BLOCK_COMPLETE, /* the device is done with it, or with a part */
	DECODED_FORK,
	DECODED_EXEC,
	DECODED_TASK_EXIT,
	DECODED_NEW_TASK, /* by the one whose event it is */
	DECODED_FAULT, /* a page that is not there is touched */
	DECODED_SIGNAL, /* one is delivered to the task whose event it is */
	DECODED_SIGNAL_SENT, /* one is sent to @signal.pid, or would be if it were not ignored */
	DECODED_OOM_KILL, /* memory has run out, and the process of @task.pid is killed for it */
	DECODED_PATH, /* a file is looked for by its path, in a system call */
	DECODED_WRITTEN, /* a program writes something; @path has the text and the descriptor, or see decoded_part() */
	DECODED_NETLINK, /* the kernel answers a netlink request of the task, perhaps with an error; @netlink */
	DECODED_SAID, /* the kernel has a text for the error that it is about to return; @path has it */
	DECODED_URING, /* a ring of io_uring is made; @uring, as for the next two */
	DECODED_URING_SUBMIT, /* it gets a request */
	DECODED_URING_COMPLETE, /* a request has ended, for which any task may be at work */
	DECODED_CAPABILITY, /* it is asked whether the task has one; @amount says which */
	DECODED_PROBE, /* a probe of the kernel is hit; see probe-calls.h for this and the next */
	DECODED_PROBE_RETURN, /* the same at the return of a function */
	DECODED_USER, /* a function of a program begins or ends; see user-calls.h */
	DECODED_TIMER_ENTRY, /* what a timer was set for is done */
	DECODED_TIMER_EXIT,
	DECODED_SAMPLE, /* a CPU was seen somewhere; see format/event/sample-event.h */
	DECODED_USER_STACK, /* where in its program the task is; @sample has the stack and the process */
};

/* What a task can be doing. */
enum task_state {
	TASK_STATE_UNKNOWN,
	TASK_STATE_RUNNING, /* on a CPU */
	TASK_STATE_RUNNABLE, /* waits for one */
	TASK_STATE_SLEEPING, /* waits for something, and a signal ends that */
	TASK_STATE_BLOCKED, /* the same, and none does; mostly a disk */
	TASK_STATE_IDLE, /* a thread of the kernel that has nothing to do */
	TASK_STATE_STOPPED, /* by a signal, a debugger, or parked */
	TASK_STATE_DEAD,
	TASK_STATES,
};

/* Who does something: a task, or an interrupt that came in its place. */
enum decoded_context {
	CONTEXT_TASK,
	CONTEXT_HARDIRQ,
	CONTEXT_SOFTIRQ,
};

/* What became of a signal when it was sent: TRACE_SIGNAL_* of the kernel. */
enum signal_result {
	SIGNAL_RESULT_QUEUED,
	SIGNAL_RESULT_IGNORED,
	SIGNAL_RESULT_PENDING, /* one of its kind was queued already: this one is dropped */
	SIGNAL_RESULT_FAILED, /* too many are queued */
	SIGNAL_RESULT_NO_INFO, /* queued, without information about its sender */
};

/* In the event, not terminated; NULL: not known. */
struct decoded_name {
	const char *s;
	size_t len;
};

struct decoded_event {
	enum decoded_kind kind;
	const struct fathom_event *event; /* time, CPU and pid are there */
	const struct event_entry *entry; /* NULL: no format describes it */
	bool unwanted; /* not to be counted; see struct feed */
	bool early; /* before the window: changes states, and is not counted; see struct feed */
	bool late; /* after it: may say what states were, and is not counted */
	bool joined; /* OTHER: a part of a call, which tells what is in it; see probe-join.h */
	union {
		struct {
			uint64_t func;
			uint64_t duration; /* RETURN, ns by the kernel's own account */
			uint64_t end; /* RETURN, by the kernel's clock "local"; 0: not known */
			int64_t result; /* RETURN, if @has_more */
			int depth;
			bool has_more; /* the result; CALL: arguments behind the other fields */
			const struct fathom_event *more; /* CALL: has the arguments; NULL: @event */
			bool is_user; /* a function of a program */
			bool is_end; /* USER: it ends */
			bool no_start; /* of a program: when it began is not known */
			unsigned users; /* functions of the program that are open around it */
			uint64_t stack; /* USER: the stack pointer; 0: not known */
		} call;
		struct {
			enum task_state prev; /* what it goes for; RUNNABLE: it was preempted */
			bool is_preempted; /* it is known not to have gone by itself ("R+") */
			int32_t prev_pid, next_pid;
			struct decoded_name prev_name, next_name;
		} sched;
		struct {
			int32_t pid; /* who is woken, forked, or ends */
			uint64_t flags; /* NEW_TASK: of clone() */
			struct decoded_name name; /* its; not for NEW_TASK and TASK_EXIT */
			enum decoded_context context; /* of who wakes */
		} task;
		struct {
			const char *
				text; /* not terminated, in the event; WRITTEN: NULL if not known */
			size_t len;
			size_t parts; /* WRITTEN: of which the text consists; 0: it is in @text */
			int64_t dir; /* PATH: the descriptor that it starts from, or AT_FDCWD; WRITTEN: that it goes to */
			int32_t old_pid; /* EXEC: of the thread that executed; mostly that of the event */
		} path;
		struct {
			int32_t error; /* positive; 0: it is done */
			uint16_t type; /* of the request */
			struct decoded_name text; /* what the kernel says of the error */
			const struct event_field *head; /* the request; see decoded_byte() */
		} netlink;
		struct {
			uint64_t ring, data; /* @data: by which the program knows the request */
			uint64_t request; /* by which the kernel does; 0: not known */
			int32_t result; /* COMPLETE: negative if it failed */
			uint8_t operation; /* SUBMIT */
			bool is_polled; /* SUBMIT: it was taken by a thread of the kernel, not by the program's */
		} uring;
		struct {
			uint64_t value; /* an address, a capability */
			uint64_t error; /* FAULT: what the CPU says of it; 0: not known */
		} amount;
		struct {
			int32_t number;
			int32_t pid; /* SENT: of the thread, or any thread of the process, that gets it */
			int32_t code; /* si_code, if @has_code: where it comes from */
			int32_t result; /* SENT: enum signal_result; 0 where it is not recorded */
			bool has_code;
			bool has_action; /* SIGNAL: @handler and @flags are known */
			uint64_t handler, flags; /* of sigaction() */
		} signal;
		struct {
			int64_t number; /* of the call; of the interrupt */
			uint64_t first; /* ENTRY: the first argument of the call */
			int64_t result; /* EXIT */
			int32_t old_pid; /* EXIT: of the thread that began it; 0: that of the event */
		} call_number;
		struct {
			uint64_t ns; /* time that it stands for */
			int32_t process;
			uint32_t kernel; /* of the frames the first so many are the kernel's */
			uint64_t end; /* why there are no more: enum sample_end */
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

/* Around the window: it says what states were, and is not counted. */
static inline bool decoded_is_outside(const struct decoded_event *decoded)
{
	return decoded->early || decoded->late;
}

/* Were events lost before it? Lost samples are no gap: they have a buffer of their own. */
static inline bool decoded_has_gap(const struct decoded_event *decoded)
{
	return decoded->event->missed && decoded->kind != DECODED_SAMPLE;
}

/*
 * The pid that the task had before: a thread that executes a program gets that of the first one, which the event of the
 * execution shows, or the end of the call. 0: it has the same, or it is not known.
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

/* FAULT: was it the program that touched the page, and not the kernel in its place? */
static inline bool decoded_is_fault_of_program(const struct decoded_event *decoded)
{
	return !decoded->entry || str_eq(decoded->entry->format->name, "page_fault_user");
}

struct decode_plan;

/* Zero-initialised with @table set, which must outlive it. Not for several threads. */
struct event_decoder {
	struct event_table *table;
	bool plain; /* all are DECODED_OTHER: what is inside of them does not matter */
	struct decode_plan **plans; /* by id */
	struct arena arena;
	bool nomem; /* some events were taken for others than they are */
};

void event_decoder_read(struct event_decoder *reader, const struct fathom_event *event,
			struct decoded_event *ret);
/* What the value of prev_state means by the list of its kernel. */
enum task_state task_state_of(const struct prev_states *states, uint64_t bits);
/* "openat" for an event of a system call that tells it ("sys_enter" does not), or NULL. */
const char *decoded_syscall_name(const struct decoded_event *decoded);
/* An argument of the call that begins; false: it has none. */
bool decoded_syscall_argument(const struct decoded_event *decoded, unsigned i, uint64_t *ret_value);
/* Part @i of what is written, not terminated, in the event; false: it is not known. */
bool decoded_part(const struct decoded_event *decoded, size_t i, const char **ret_text,
		  size_t *ret_len);
/* Byte @i of a netlink request; false: it is not known. */
bool decoded_byte(const struct decoded_event *decoded, size_t i, uint8_t *ret_byte);
/* The address of frame @i of a sample or a stack, from the innermost; false: it has no more. */
bool decoded_frame(const struct decoded_event *decoded, size_t i, uint64_t *ret_address);
void event_decoder_done(struct event_decoder *reader);

#endif
