/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of struct calls, for the files of this folder that maintain it. Times are in ns;
 * pointers to tasks stay valid, pointers to CPUs only until one is added.
 */
#ifndef FATHOM_ANALYZE_CALLS_CALLS_PARTS_H
#define FATHOM_ANALYZE_CALLS_CALLS_PARTS_H

#include "analyze/calls/calls.h"
#include "analyze/stream/gaps.h"

/* Deeper than any kernel stack: larger depths come from damaged files. */
#define CALLS_DEPTH_MAX 4096

enum calls_frame_flags {
	FRAME_BASE = 1, /* open before the first event of the task in this part */
	FRAME_IRQ = 2, /* an interrupt handler */
	FRAME_GAP = 4, /* events were lost while it was open */
	FRAME_USER = 8, /* a user function, whose end is known only from its exit event */
	FRAME_INHERITED = 16, /* inherited from the parent of the task */
	FRAME_LATE = 32, /* an interrupt preceded its entry event */
	FRAME_ELSEWHERE = 64, /* its frequency depends on interrupts or other tasks */
};

/*
 * Nested calls seen before the entry event of a call. Whether they belong to it depends on its
 * start time.
 */
struct calls_early {
	bool is_there;
	uint32_t node; /* detached */
	uint64_t child, stolen;
	struct call_times inner;
};

/* An open call. */
struct calls_frame {
	uint32_t func; /* FUNC_NONE: the entry was not recorded */
	uint32_t node; /* detached if @func is unknown */
	unsigned flags;
	uint64_t start;
	/* Number of the outermost call around it, or of itself; see call_tree_note(). */
	uint64_t outermost;
	uint64_t child; /* time in callees */
	struct call_times inner; /* of the calls counted below its node */
	struct calls_early early;
	uint64_t away; /* asleep or interrupted while it was innermost */
	uint64_t stolen_before, asleep_before, waiting_before; /* sums of the task at its entry */
	uint64_t gap; /* last event of the task before a gap; 0: none */
};

/* The contents of an exit event. */
struct calls_end {
	uint64_t time, duration;
	uint64_t end; /* time stamp of the tracer, on the clock of the events */
	int64_t result;
	bool has_result;
};

/* The exit of a call that was open when this part began. */
struct calls_head {
	uint32_t func; /* FUNC_NONE: the exit was not recorded */
	uint32_t node; /* detached: its callees in this part */
	int depth;
	unsigned flags;
	struct calls_end end;
	uint64_t child, away, gap;
	struct call_times inner;
	uint64_t stolen, asleep, waiting; /* sums of the task at its exit */
};

/* The first event of a task in this part. */
enum calls_first {
	CALLS_FIRST_NOTHING,
	CALLS_FIRST_OTHER,
	CALLS_FIRST_SWITCHED_IN,
};

struct calls_task {
	int64_t key; /* see task-key.h */
	bool does_softirqs; /* ksoftirqd: softirqs are its work, not interruptions */
	bool has_calls; /* in this part */
	bool off_known; /* off the CPU since @off_since */
	bool dead; /* off the CPU for good */
	enum calls_first first;
	bool is_first; /* its last event was the first one in this part */
	uint64_t first_time;
	uint32_t first_cpu;
	struct gaps_mark mark; /* at its last event */
	uint64_t before; /* time of the event before */
	uint64_t off_since;
	uint64_t runnable_since; /* while off the CPU; 0: not runnable, or unknown */
	uint64_t stolen, asleep, waiting; /* sums */
	uint64_t away; /* before its first call */
	uint64_t early_gap; /* time at which events were lost before its first call; 0: none were */
	uint32_t irqs; /* number of open frames that are interrupts */
	/* The last of this many open frames is about to return; see open-calls.h. */
	size_t returning;
	struct calls_frame *frames; /* outermost first */
	size_t n, cap;
	struct calls_head *heads; /* innermost first */
	size_t n_heads, cap_heads;
};

struct calls_cpu {
	/* The current task, from the last switch or else from the last call; 0: idle or unknown. */
	int32_t pid;
	bool has_switches;
	unsigned irqs; /* open interrupts, by their events */
	uint64_t irq_start;
	int64_t irq_task; /* key */
	bool irq_seen; /* an interrupt event was seen in this part */
	bool has_irq_head; /* the first one was an exit, at this time and in this task */
	uint64_t irq_head_end;
	int64_t irq_head_task;
};

struct calls {
	struct call_tree tree;
	struct calls_options options;
	struct u64_map places; /* task_key() -> index in @list */
	struct calls_task **list;
	size_t n_tasks, cap_tasks;
	struct calls_cpu *cpus;
	size_t n_cpus, cap_cpus;
	struct gaps gaps;
	uint64_t outermost; /* number of outermost calls so far */
	int buffer; /* the buffer whose calls count; -1: not known yet */
	bool nomem;
	bool finished;
};

/* Returns the task, adding it if necessary, or NULL if memory is exhausted. */
struct calls_task *calls_task(struct calls *calls, int64_t key);
/* Returns the CPU, or NULL if memory is exhausted. */
struct calls_cpu *calls_cpu(struct calls *calls, uint32_t cpu);
/*
 * Events were lost after @time, the last event of the task, so the state of its open calls is
 * uncertain.
 */
void calls_task_gap(struct calls_task *task, uint64_t time);
/* The task was off the CPU or interrupted for @time. */
void calls_task_away(struct calls_task *task, uint64_t time);

/* The task, whose last event was at @last, runs again. */
void calls_switch_in(struct calls_task *task, uint64_t last, uint64_t time);
/* The outermost interrupt on @cpu ends. */
void calls_end_irq(const struct calls_cpu *cpu, struct calls_task *task, uint64_t time);

/*
 * Opens a call; FUNC_NONE for one whose entry was not recorded. Returns false if memory is
 * exhausted.
 */
bool calls_push(struct calls *calls, struct calls_task *task, uint32_t func, uint64_t time,
		unsigned flags);
/* Closes the innermost call, whose exit was not recorded. */
void calls_cut(struct calls *calls, struct calls_task *task);
/* Closes the innermost call of @task by its exit event. */
void calls_close(struct calls *calls, struct calls_task *task, uint32_t func,
		 const struct calls_end *recorded);
/* Cuts calls, or opens unknown ones, until @n are open. */
void calls_adjust(struct calls *calls, struct calls_task *task, int n, uint64_t time);

#endif
