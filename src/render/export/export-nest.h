/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls of each task as they nest, for outputs where what opens last has to close first:
 * functions as the function_graph tracer tells of them, and system calls around these. Of each
 * task, times never go back, and at the end all is closed. Around these are functions of programs,
 * where there are some.
 *
 * The event that begins or ends a system call comes from inside of a function, which is not a
 * part of the call. The call is shown from the end of that function, and to the end of the
 * other one.
 *
 * Functions are the calls of `fathom tree`, with the times that it adds up (analyze/calls/calls.h): they
 * begin and end by the kernel's own account, which is known at their end only. So all events are
 * taken twice, first to learn the times (render/time/call-spans.h) and then to show the calls. A call of
 * which the beginning was not recorded is left out. One of which the end was not recorded has a frame
 * of its own, and is shown up to the last event of its task while it was open, or to the end of the
 * trace. Where the events have another clock than the kernel takes the time of calls with, a call
 * ends when its event does. What a thread is in when it executes a program, and gets another pid by that,
 * stays with the pid that it began with. Memory is that of tasks, open calls and functions.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_NEST_H
#define FATHOM_RENDER_EXPORT_EXPORT_NEST_H

#include "analyze/calls/calls.h"
#include "analyze/stream/exec-pids.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/stream/gaps.h"
#include "analyze/stream/task-key.h"
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
	uint32_t func; /* see nest_func(); FUNC_NONE: it is a system call */
	bool is_cut; /* the end of its calls was not recorded */
	uint64_t number; /* of the system call */
	const char *name; /* its name; NULL: it is not known */
};

struct nest_open {
	uint32_t frame; /* UINT32_MAX: a function that is not shown */
	bool is_syscall;
	bool ending; /* a system call that closes when it is the innermost */
	bool is_user; /* a function of a program */
	uint64_t number; /* of a function, in the spans */
	uint64_t start, end; /* of a function */
	uint32_t later; /* + 1: the frame that it has from @start on, which is still to come; 0: none */
};

struct nest_task {
	int64_t key; /* see task-key.h */
	uint32_t number; /* how many tasks came before it */
	uint64_t first, last; /* times of its events; @first: or of its first call */
	uint64_t shown; /* when something opened or closed last */
	bool gone; /* it has ended */
	struct gaps_mark mark; /* of its last event */
	struct nest_open *stack; /* what is open, from the outermost */
	size_t n, cap;
	struct nest_task *shown_as; /* what is done with its pid; mostly itself */
	bool executes; /* it got the pid by what it is in */

	/* The system call that it is in, by its events: */
	bool in_call;
	uint32_t call; /* its frame */
	uint64_t call_start;
	bool pending; /* it opens when the function that is open now has ended */
	uint64_t ready; /* when that was, so far */
};

typedef void nest_taker(void *data, const struct nest_task *task, uint32_t frame, uint64_t time);

/* Zero-initialised is empty; see nest_begin(). */
struct nest {
	nest_taker *opened, *closed;
	void *data;
	struct report_input *input;
	struct call_spans *spans;
	struct calls *calls;
	struct calls_watch watch;
	bool is_first; /* times are learnt, nothing is shown */
	bool is_over; /* no event comes any more */
	bool without_syscalls; /* set after nest_begin(): functions only */
	struct exec_pids execs;
	struct user_calls users;
	struct event_decoder reader;

	struct nest_frame *frames;
	size_t n_frames, cap_frames;
	uint32_t *func_frames; /* by func, whole and cut: its frame, + 1 */
	size_t n_func_frames, cap_func_frames;
	struct u64_map numbers; /* of system calls: places in @call_frames */
	uint32_t *call_frames;
	size_t cap_call_frames;
	struct u64_map places; /* of tasks, by key, in @tasks */
	struct nest_task **tasks;
	size_t n_tasks, cap_tasks;
	struct export_call *last_calls; /* by CPU: the last event of a system call */
	size_t n_last_calls, cap_last_calls;
	struct gaps gaps;
	struct arena arena;
	int buffer; /* the one with functions, + 1; 0: none was seen */
	uint64_t last; /* time of the last event */
	bool nomem; /* something is missing */
};

enum nest_kind {
	NEST_OTHER, /* no call */
	NEST_FUNCTION,
	NEST_ENTRY, /* a system call begins */
	NEST_EXIT, /* the one that task->call tells ends */
	NEST_AGAIN, /* says what the event before said: a call is in two systems of events */
};

/* @input and @spans, which are open, must outlive it; @opened and @closed are called with @data. */
void nest_begin(struct nest *nest, struct report_input *input, struct call_spans *spans,
		nest_taker *opened, nest_taker *closed, void *data);
/* To be called with all events, before nest_take() is called with the first one. */
void nest_take_first(struct nest *nest, const struct fathom_event *event);
/* To be called with all events. Has @take called with what one means, for nest_feed(). */
void nest_take(struct nest *nest, const struct fathom_event *event, user_calls_taker *take,
	       void *data);
/* The task that the event is shown with; NULL without memory. */
struct nest_task *nest_feed(struct nest *nest, const struct decoded_event *decoded,
			    enum nest_kind *ret_kind);
/* Closes what is open. 0, or -ENOMEM when something is missing. */
int nest_finish(struct nest *nest);
void nest_done(struct nest *nest);

/*
 * After nest_finish(): the task with the pid, which is not 0. If it had no event, it is made, as of *@time; without
 * @time, and without memory, NULL.
 */
struct nest_task *nest_task_of(struct nest *nest, int32_t pid, const uint64_t *time);

/* The function of a frame; NULL: it is a system call. */
const struct func *nest_func(const struct nest *nest, uint32_t frame);
/* "vfs_read", "do_exit (cut)", "openat", "sys_257" */
void nest_put_name(const struct nest *nest, uint32_t frame, struct strbuf *buf);
/* "cat", "swapper/1"; "<...>" when nobody knows. @known are the tasks of the trace. */
void nest_put_task(const struct nest_task *task, const struct tasks *known, struct strbuf *buf);

#endif
