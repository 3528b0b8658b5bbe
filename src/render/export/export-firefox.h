/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the Firefox Profiler's output collects, for the files that do it. */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_FIREFOX_H
#define FATHOM_RENDER_EXPORT_EXPORT_FIREFOX_H

#include "analyze/tasks/task-states.h"
#include "base/files/spool.h"
#include "render/export/export-nest.h"
#include "render/export.h"

#define FOX_NONE     UINT32_MAX
#define FOX_TEXT_MAX 1000

/* What frames and markers are, in the order of the list that the file has. */
enum fox_category {
	FOX_OTHER,
	FOX_KERNEL,
	FOX_SYSCALL,
	FOX_INTERRUPT,
	FOX_ASLEEP,
	FOX_SCHEDULER,
	FOX_EVENT,
	FOX_CATEGORIES,
};

/* A path of calls: what was open below, and one more. */
struct fox_stack {
	uint32_t below; /* FOX_NONE: nothing */
	uint32_t frame;
	enum fox_category category;
	bool inherits; /* it has the one of what is below */
};

/* A stretch of time in which nothing opened or closed. */
struct fox_sample {
	uint64_t start, duration;
	uint32_t stack; /* FOX_NONE: nothing was open */
	uint32_t unused;
};

enum fox_marker_kind {
	FOX_MARKER_SYSCALL,
	FOX_MARKER_STATE,
	FOX_MARKER_EVENT,
};

/* With @len bytes of text behind it. */
struct fox_marker {
	uint64_t start, end;
	int64_t result; /* of a system call */
	uint32_t name; /* a frame, a state of tasks, a place among the events' names */
	uint32_t cpu;
	uint32_t len;
	uint32_t kind;
};

/* By the number of the task. */
struct fox_task {
	uint32_t samples, markers; /* streams of the spool */
	uint64_t n_samples, n_markers;
	uint32_t stack; /* what is open */
	uint64_t since; /* when that was so first */
	char *arguments; /* of the system call that it is in, FOX_TEXT_MAX bytes; NULL: none yet */
	size_t arguments_len;
	bool has_states; /* among its markers */
};

struct fox {
	struct nest nest;
	struct call_spans spans;
	uint64_t first_state; /* when the first one begins; UINT64_MAX: there are none */
	struct spool spool;
	struct fox_task *tasks;
	size_t n_tasks, cap_tasks;
	struct fox_stack *stacks;
	size_t n_stacks, cap_stacks;
	struct u64_map paths; /* places in @stacks, by what is below and the frame */
	struct u64_map events; /* places in @event_names, by id */
	const char **event_names; /* "sched:sched_switch" */
	size_t cap_event_names;
	struct arena arena;
	struct strbuf buf;
	bool nomem;
};

/* export-firefox-profile.c: of a function or a system call. */
enum fox_category fox_category(const struct nest *nest, uint32_t frame);
/* The path @below with one more frame. FOX_NONE without memory. */
uint32_t fox_get_stack(struct fox *fox, uint32_t below, uint32_t frame);
/* NULL without memory. */
struct fox_task *fox_get_task(struct fox *fox, const struct nest_task *task);
/* The stretch of time up to now has ended. Also one of no length, if it @must be there. */
void fox_end_sample(struct fox *fox, struct fox_task *task, uint64_t time, bool must);
void fox_add_marker(struct fox *fox, struct fox_task *task, struct fox_marker marker,
		    const char *text);
/*
 * export-firefox-states.c: after nest_finish(): the states of tasks become markers. 0 or a negative
 * errno.
 */
int fox_take_states(struct fox *fox, const struct export *export, struct fathom_err *err);
/* export-firefox-write.c: writes all that was collected. */
void fox_write(struct export *export, struct fox *fox);

#endif
