/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properly nested calls of each task, for outputs that must close calls in reverse order: functions
 * recorded by function_graph, system calls around them, and user functions, if any, around those.
 * For each task, times never go back, and everything is closed at the end. Uses memory for tasks,
 * open calls and functions. Not thread-safe.
 *
 * The events for the entry and exit of a system call are written inside functions that are not part
 * of the call. The call is shown from the end of the former to the end of the latter function.
 *
 * Functions are the calls of `fathom tree`, with the same times (analyze/calls/calls.h): those
 * reported by the kernel, which are known only when a call ends. So there are two passes over all
 * events: the first collects the times (render/time/call-spans.h), the second shows the calls. A
 * call is omitted if its start was not recorded. If its end was not recorded, it has a separate
 * frame, and is shown up to the last event of its task while it was open, or to the end of the
 * trace. If the clock of events differs from that of call times, a call ends at its event. If a
 * thread executes a program and thereby changes its pid, open calls remain with the old pid.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_NEST_H
#define FATHOM_RENDER_EXPORT_EXPORT_NEST_H

#include "analyze/calls/calls.h"
#include "analyze/stream/exec-pids.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/stream/gaps.h"
#include "analyze/stream/user-calls.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "base/u64-map.h"
#include "read/context/tasks.h"
#include "render/time/call-spans.h"
#include "render/export/export-call.h"
#include "render/report/report-run.h"

/* A function or a system call. */
struct nest_frame {
	uint32_t func; /* see nest_func(); FUNC_NONE: a system call */
	bool is_cut; /* the ends of its calls were not recorded */
	uint64_t number; /* of the system call */
	const char *name; /* of the system call; NULL: unknown */
};

struct nest_open {
	uint32_t frame; /* UINT32_MAX: a function that is not shown */
	bool is_syscall;
	bool ending; /* a system call that closes once it is innermost */
	bool is_user; /* a user function */
	uint64_t number; /* of a function, in the spans */
	uint64_t start, end; /* of a function */
	uint32_t later; /* + 1: its frame from @start on, which is in the future; 0: none */
};

struct nest_task {
	int64_t key; /* see task-key.h */
	uint32_t number; /* its index in struct nest */
	uint64_t first, last; /* times of its events; @first may be that of its first call */
	uint64_t shown; /* time of the last open or close */
	bool gone; /* it has exited */
	struct gaps_mark mark; /* of its last event */
	struct nest_open *stack; /* open calls, outermost first */
	size_t n, cap;
	struct nest_task *shown_as; /* the task as which its events are shown; usually itself */
	bool executes; /* it took over its pid by executing a program, in a call that is still open */

	/* Its current system call, according to the events: */
	bool in_call;
	uint32_t call; /* its frame */
	uint64_t call_start;
	bool pending; /* it opens when the current function ends */
	uint64_t ready; /* the latest time at which that may have happened */
};

typedef void nest_taker(void *data, const struct nest_task *task, uint32_t frame, uint64_t time);

/* Empty when zero-initialized; see nest_begin(). */
struct nest {
	nest_taker *opened, *closed;
	void *data;
	struct report_input *input;
	struct call_spans *spans;
	struct calls *calls;
	struct calls_watch watch;
	bool is_first; /* the first pass: collect times, show nothing */
	bool is_over; /* there are no more events */
	bool without_syscalls; /* may be set after nest_begin(): functions only */
	struct exec_pids execs;
	struct user_calls users;
	struct event_decoder reader;

	struct nest_frame *frames;
	size_t n_frames, cap_frames;
	uint32_t *func_frames; /* by function, whole and cut: its frame + 1 */
	size_t n_func_frames, cap_func_frames;
	struct u64_map numbers; /* of system calls: indices of @call_frames */
	uint32_t *call_frames;
	size_t cap_call_frames;
	struct u64_map places; /* of tasks: indices of @tasks, by key */
	struct nest_task **tasks;
	size_t n_tasks, cap_tasks;
	struct export_call *last_calls; /* by CPU: the last event of a system call */
	size_t n_last_calls, cap_last_calls;
	struct gaps gaps;
	struct arena arena;
	int buffer; /* the buffer with functions + 1; 0: not yet known */
	uint64_t last; /* time of the last event */
	bool nomem; /* calls are missing */
};

enum nest_kind {
	NEST_OTHER, /* not a call */
	NEST_FUNCTION,
	NEST_ENTRY, /* a system call begins */
	NEST_EXIT, /* the system call task->call ends */
	NEST_AGAIN, /* repeats the event before, from the other family of system call events */
};

/*
 * Starts the first pass. @input and @spans, which must be open, must outlive @nest. In the second
 * pass, @opened and @closed are called with @data for every call shown. Released with nest_done(),
 * also after nest_finish().
 */
void nest_begin(struct nest *nest, struct report_input *input, struct call_spans *spans,
		nest_taker *opened, nest_taker *closed, void *data);
/* The first pass: takes all events, before the first call of nest_take(). */
void nest_take_first(struct nest *nest, const struct fathom_event *event);
/*
 * The second pass: takes all events. Calls @take for each decoded event, which passes it on to
 * nest_feed().
 */
void nest_take(struct nest *nest, const struct fathom_event *event, user_calls_taker *take,
	       void *data);
/*
 * Returns the task with which the event is shown, or NULL if memory is exhausted. It belongs to
 * @nest.
 */
struct nest_task *nest_feed(struct nest *nest, const struct decoded_event *decoded,
			    enum nest_kind *ret_kind);
/* Closes everything. Returns 0, or -ENOMEM if calls are missing. */
int nest_finish(struct nest *nest);
void nest_done(struct nest *nest);

/*
 * After nest_finish(): returns the task with this pid, which must not be 0. A task without events
 * is created as of *@time. Returns NULL if @time is NULL and there is no such task, or if memory is
 * exhausted.
 */
struct nest_task *nest_task_of(struct nest *nest, int32_t pid, const uint64_t *time);

/* Returns the function of a frame, or NULL for a system call. */
const struct func *nest_func(const struct nest *nest, uint32_t frame);
/* Appends "vfs_read", "do_exit (cut)", "openat" or "sys_257". */
void nest_put_name(const struct nest *nest, uint32_t frame, struct strbuf *buf);
/*
 * Appends "cat" or "swapper/1", or "<...>" if the name is unknown. @known are the tasks of the
 * trace.
 */
void nest_put_task(const struct nest_task *task, const struct tasks *known, struct strbuf *buf);

#endif
