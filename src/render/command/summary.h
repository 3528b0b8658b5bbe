/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command did, on one screen, or as JSON. */
#ifndef FATHOM_RENDER_COMMAND_SUMMARY_H
#define FATHOM_RENDER_COMMAND_SUMMARY_H

#include "analyze/summary.h"
#include "base/strbuf.h"
#include "render/kit/out.h"

/* What is known besides the events; each may be NULL. */
struct summary_about {
	const char *command; /* what was run */
	const char *kernel; /* release */
	const char *path; /* of the recording */
	struct process_ending ending; /* of @ended, the command, if its recorder has seen it end */
	int32_t ended; /* its pid; 0: it has not */
	uint64_t lost; /* events */
	bool lost_unknown;
	bool hints; /* say what to type next */
};

/* What was run, and the release of the kernel: to be freed; NULL: not known. */
char *summary_find_command(const struct fathom_trace *trace);
char *summary_find_kernel(const struct fathom_trace *trace);
/* How the recorder saw the command end, and its pid; 0: it did not. */
struct process_ending summary_find_ending(const struct fathom_trace *trace, int32_t *ret_pid);
/* How a task ended, by the events, or by the recorder where these do not tell. */
struct process_ending summary_ending(const struct summary *summary,
				     const struct summary_about *about,
				     const struct time_task *task);

/* Each returns 0 or -ENOMEM. @summary is finished; its list of system calls gets sorted. */
int summary_print(struct summary *summary, const struct summary_about *about, struct out *out);
int summary_print_json(struct summary *summary, const struct summary_about *about, struct out *out);

/* The order of system calls and of waits: those that took longest first. */
int summary_compare_calls(const void *a, const void *b);
int summary_compare_waits(const void *a, const void *b);

/* The command whose process it was; the first that acted. NULL when nobody did. */
const struct time_task *summary_main_task(const struct summary *summary);
/* "ls", "pid 17": what a task is called. */
void summary_put_task(const struct summary *summary, int32_t pid, struct strbuf *buf);
/* "ls -l", or the name of the task; then " took 3 ms, ended with 0, on Linux 7.2". */
void summary_put_command(const struct summary *summary, const struct summary_about *about,
			 struct strbuf *buf);
void summary_put_ending(const struct summary *summary, const struct summary_about *about,
			struct strbuf *buf);
/* A row about a system call: its numbers, below SUMMARY_CALLS_HEAD; its name; "  2 ENOENT". */
#define SUMMARY_CALLS_HEAD "     total    asleep   calls    median   slowest  system call"
void summary_put_numbers(const struct syscall_sums *sums, struct strbuf *buf);
void summary_put_name(const struct syscall_sums *sums, struct strbuf *buf);
void summary_put_failures(const struct syscall_sums *sums, struct strbuf *buf);
/* The kinds of time: "kernel", and what that means; and in which order they are shown. */
const char *summary_kind_name(const struct summary *summary, enum time_kind kind);
const char *summary_kind_text(const struct summary *summary, enum time_kind kind);
extern const enum time_kind summary_order[TIME_KINDS];
/* "in read, for a device"; what a wait was about. */
void summary_put_wait(const struct summary *summary, const struct time_wait *wait,
		      struct strbuf *buf);

#endif
