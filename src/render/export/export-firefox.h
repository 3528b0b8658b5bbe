/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The internals of the output for the Firefox Profiler: the data collected before the file is
 * written. Times are in nanoseconds. If memory is exhausted, @nomem is set; write errors are in the
 * spool and the spans. export-firefox.c checks all of these at the end.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_FIREFOX_H
#define FATHOM_RENDER_EXPORT_EXPORT_FIREFOX_H

#include "base/files/spool.h"
#include "render/export/export-nest.h"
#include "render/export.h"

#define FOX_NONE     UINT32_MAX
#define FOX_TEXT_MAX 1000

/* The categories of frames and markers, in the order of the list in the file. */
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

/* A call path: the path below and one more frame. */
struct fox_stack {
	uint32_t below; /* FOX_NONE: none */
	uint32_t frame;
	enum fox_category category;
	bool inherits; /* its category is that of the path below */
};

/* A period in which no call began or ended. */
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

/* Followed by @len bytes of text. */
struct fox_marker {
	uint64_t start, end;
	int64_t result; /* of a system call */
	uint32_t name; /* a frame, a task state, or an index into event_names */
	uint32_t cpu;
	uint32_t len;
	uint32_t kind;
};

/* By number of the task. */
struct fox_task {
	uint32_t samples, markers; /* streams of the spool */
	uint64_t n_samples, n_markers;
	uint32_t stack; /* the open call path */
	uint64_t since; /* start of that path */
	char *arguments; /* of its current system call, FOX_TEXT_MAX bytes; NULL: not yet needed */
	size_t arguments_len;
	bool has_states; /* there are states among its markers */
};

struct fox {
	struct nest nest;
	struct call_spans spans;
	uint64_t first_state; /* when the first state begins; UINT64_MAX: none */
	struct spool spool;
	struct fox_task *tasks;
	size_t n_tasks, cap_tasks;
	struct fox_stack *stacks;
	size_t n_stacks, cap_stacks;
	struct u64_map paths; /* indices of @stacks, by path below and frame */
	struct u64_map events; /* indices of @event_names, by event ID */
	const char **event_names; /* such as "sched:sched_switch" */
	size_t cap_event_names;
	struct arena arena;
	struct strbuf buf;
	bool nomem;
};

/*
 * Returns the category of a function or a system call. In export-firefox-profile.c, as are the next
 * four.
 */
enum fox_category fox_category(const struct nest *nest, uint32_t frame);
/* Returns the path @below plus one frame, or FOX_NONE if memory is exhausted. */
uint32_t fox_get_stack(struct fox *fox, uint32_t below, uint32_t frame);
/* Returns the task's data, valid until the next call, or NULL if memory is exhausted. */
struct fox_task *fox_get_task(struct fox *fox, const struct nest_task *task);
/* Ends the current period at @time. Omits an empty period unless @must is set. */
void fox_end_sample(struct fox *fox, struct fox_task *task, uint64_t time, bool must);
void fox_add_marker(struct fox *fox, struct fox_task *task, struct fox_marker marker,
		    const char *text);
/*
 * Adds task states as markers, after nest_finish(). Returns 0 or a negative errno. In
 * export-firefox-states.c.
 */
int fox_take_states(struct fox *fox, const struct export *export, struct fathom_err *err);
/* Writes everything that was collected. In export-firefox-write.c. */
void fox_write(struct export *export, struct fox *fox);

#endif
