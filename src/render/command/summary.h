/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders the summary of a command, as one screen or as JSON. The summary must be finished. Times
 * are in nanoseconds. Most functions here render parts of the screen that other outputs and the
 * viewer also use; summary_put_...() append to a strbuf, which keeps errors.
 */
#ifndef FATHOM_RENDER_COMMAND_SUMMARY_H
#define FATHOM_RENDER_COMMAND_SUMMARY_H

#include "analyze/summary.h"
#include "base/strbuf.h"
#include "render/kit/out.h"

/* Information that does not come from the events. Pointers may be NULL and are not owned. */
struct summary_about {
	const char *command; /* the command line */
	const char *kernel; /* the kernel release */
	const char *path; /* the recording */
	struct process_ending ending; /* how the command ended, according to its recorder */
	int32_t ended; /* process ID of the command, if @ending is known; 0: it is not */
	uint64_t lost; /* number of lost events */
	bool lost_unknown;
	bool hints; /* suggest further commands */
	bool csv; /* write only one table of the JSON, as CSV */
	unsigned table; /* which one: its place in SUMMARY_TABLES */
};

/*
 * Return the command line, and the release of the kernel, or NULL if it is unknown or memory is
 * exhausted. The caller frees them.
 */
char *summary_find_command(const struct fathom_trace *trace);
char *summary_find_kernel(const struct fathom_trace *trace);
/*
 * Returns how the command ended according to the recorder, with its process ID; 0 if that is
 * unknown.
 */
struct process_ending summary_find_ending(const struct fathom_trace *trace, int32_t *ret_pid);
/* Returns how a task ended, according to the events or, if they don't say, to the recorder. */
struct process_ending summary_ending(const struct summary *summary,
				     const struct summary_about *about,
				     const struct time_task *task);

/* The members of the JSON that can be printed as CSV. */
#define SUMMARY_TABLES                                               \
	"syscalls tasks time_by_state functions waits wakers files " \
	"failed_syscalls signal_counts cpu_from"

/* Returns the place of a table in that list, or false if there is none of that name. */
bool summary_table_find(const char *name, unsigned *ret_table);

/* Both return 0 or -ENOMEM, and sort the rows of @summary. */
int summary_print(struct summary *summary, const struct summary_about *about, struct out *out);
int summary_print_json(struct summary *summary, const struct summary_about *about, struct out *out);

/* For qsort(3): orders struct syscall_sums, and struct time_wait, by falling time. */
int summary_compare_calls(const void *a, const void *b);
int summary_compare_waits(const void *a, const void *b);

/* Returns the first task that did something, which is the command, or NULL if there is none. */
const struct time_task *summary_main_task(const struct summary *summary);
/* Appends the name of a task: "ls", "task 17", "interrupts" (pid -1), "an idle CPU" (pid 0). */
void summary_put_task(const struct summary *summary, int32_t pid, struct strbuf *buf);
/*
 * Append the command, "ls -l" or the name of the task, and its outcome: "3 ms elapsed, exit status
 * 0, on Linux 7.2".
 */
void summary_put_command(const struct summary *summary, const struct summary_about *about,
			 struct strbuf *buf);
void summary_put_ending(const struct summary *summary, const struct summary_about *about,
			struct strbuf *buf);
/*
 * Parts of a row about a system call: the numbers, to which SUMMARY_CALLS_HEAD has the titles; the
 * name; the failures, "  2 ENOENT".
 */
#define SUMMARY_CALLS_HEAD "     total   off-CPU   calls    median       max  "
void summary_put_numbers(const struct syscall_sums *sums, struct strbuf *buf);
void summary_put_name(const struct syscall_sums *sums, struct strbuf *buf);
void summary_put_failures(const struct syscall_sums *sums, struct strbuf *buf);
/*
 * The name of a kind of time, such as "kernel", and its description; both depend on what was
 * recorded and are static. summary_order is the order on the screen.
 */
const char *summary_kind_name(const struct summary *summary, enum time_kind kind);
const char *summary_kind_text(const struct summary *summary, enum time_kind kind);
extern const enum time_kind summary_order[TIME_KINDS];
/* Appends what a wait was for: "in read (uninterruptible)". */
void summary_put_wait(const struct summary *summary, const struct time_wait *wait,
		      struct strbuf *buf);

#endif
