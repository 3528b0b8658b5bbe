/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an account of calls is made of, for the files that keep it. */
#ifndef FATHOM_ANALYZE_CALLS_CALLS_PARTS_H
#define FATHOM_ANALYZE_CALLS_CALLS_PARTS_H

#include "analyze/calls/calls.h"
#include "analyze/stream/gaps.h"
#include "analyze/stream/task-key.h"

/* Deeper than any kernel's stack of calls: a file that says so is not believed. */
#define CALLS_DEPTH_MAX 4096

enum calls_frame_flags {
	FRAME_BASE = 1, /* was open before the first event of the task in this part */
	FRAME_IRQ = 2, /* an interrupt */
	FRAME_GAP = 4, /* events were lost while it was open */
	FRAME_USER = 8, /* a function of a program; when it ended is told by nobody else */
	FRAME_INHERITED = 16, /* by a child from its parent, whose call it is */
	FRAME_LATE = 32, /* an interrupt came before the event of its beginning */
	FRAME_ELSEWHERE = 64, /* how often it is called, interrupts and other tasks decide */
};

/* What was seen of a call before the event of its beginning; its time tells whether it is a part of it. */
struct calls_early {
	bool is_there;
	uint32_t node; /* detached */
	uint64_t child, stolen;
	struct call_times inner;
};

/* A call that is open. */
struct calls_frame {
	uint32_t func; /* FUNC_NONE: its beginning was not seen */
	uint32_t node; /* its own; for one that is not known, a detached one */
	unsigned flags;
	uint64_t start;
	uint64_t outermost; /* the number of the call that it is in, or is itself; see call_tree_note() */
	uint64_t child; /* in functions that it called */
	struct call_times inner; /* of those that are counted below its node */
	struct calls_early early;
	uint64_t away; /* asleep or interrupted while it was the innermost */
	uint64_t stolen_before, asleep_before, waiting_before; /* the task's sums at its start */
	uint64_t gap; /* the last event of its task before some were lost */
};

/* What the event of an end says. */
struct calls_end {
	uint64_t time, duration;
	uint64_t end; /* by the kernel's own account, on the clock of the events */
	int64_t result;
	bool has_result;
};

/* The end of a call that was open before this part began. */
struct calls_head {
	uint32_t func; /* FUNC_NONE: it has ended, and that was not seen */
	uint32_t node; /* detached: what it called in this part */
	int depth;
	unsigned flags;
	struct calls_end told;
	uint64_t child, away, gap;
	struct call_times inner;
	uint64_t stolen, asleep, waiting; /* the task's sums at its end */
};

/* The first thing that was seen of a task in this part. */
enum calls_first {
	CALLS_FIRST_NOTHING,
	CALLS_FIRST_OTHER,
	CALLS_FIRST_SWITCHED_IN,
};

struct calls_task {
	int64_t key; /* see task-key.h */
	bool does_softirqs; /* that is its work, and no interruption */
	bool has_calls; /* one was seen in this part */
	bool off_known; /* it is off the CPU since @off_since */
	bool dead; /* and for good */
	enum calls_first first;
	bool is_first; /* its last event was the first one in this part */
	uint64_t first_time;
	uint32_t first_cpu;
	struct gaps_mark mark; /* of its last event */
	uint64_t before; /* time of the one before */
	uint64_t off_since;
	uint64_t runnable_since; /* while it is off the CPU; 0: it is not, or that is not known */
	uint64_t stolen, asleep, waiting; /* sums */
	uint64_t away; /* before the first call was seen */
	uint64_t early_gap; /* when events were lost before that; 0: none were */
	uint32_t irqs; /* open frames that are interrupts */
	size_t returning; /* of so many open frames the last is about to end; see open-calls.h */
	struct calls_frame *frames; /* from the outermost */
	size_t n, cap;
	struct calls_head *heads; /* from the innermost */
	size_t n_heads, cap_heads;
};

struct calls_cpu {
	int32_t pid; /* who is on it, by the last switch or, if none was seen, the last call; 0: not known, or idle */
	bool has_switches;
	unsigned irqs; /* that are open by their events */
	uint64_t irq_start;
	int64_t irq_task; /* its key */
	bool irq_seen; /* an event of an interrupt was, in this part */
	bool has_irq_head; /* the first one was an end, at this time and in this task */
	uint64_t irq_head_end;
	int64_t irq_head_task;
};

struct calls {
	struct call_tree tree;
	struct calls_options options;
	struct u64_map places; /* of tasks by their key, in @list */
	struct calls_task **list;
	size_t n_tasks, cap_tasks;
	struct calls_cpu *cpus;
	size_t n_cpus, cap_cpus;
	struct gaps gaps;
	uint64_t outermost; /* how many of these began */
	int buffer; /* the one with calls; -1: not known yet */
	bool nomem;
	bool finished;
};

/* The task of that key, made when there is none; NULL without memory. */
struct calls_task *calls_task(struct calls *calls, int64_t key);
/* What is kept for a CPU; NULL without memory. */
struct calls_cpu *calls_cpu(struct calls *calls, uint32_t cpu);
/* Events were lost after @time, that of the task's last one: its open calls are in doubt. */
void calls_task_gap(struct calls_task *task, uint64_t time);
/* The task was not running, or an interrupt was in its place. */
void calls_task_away(struct calls_task *task, uint64_t time);

/* The task, whose last event was at @last, runs again. */
void calls_switch_in(struct calls_task *task, uint64_t last, uint64_t time);
/* The interrupt that is open on @cpu ends. */
void calls_end_irq(const struct calls_cpu *cpu, struct calls_task *task, uint64_t time);

/* Opens a call; @func FUNC_NONE for one that is open without having been seen. False: no memory. */
bool calls_push(struct calls *calls, struct calls_task *task, uint32_t func, uint64_t time,
		unsigned flags);
/* The innermost call has ended without a sign. */
void calls_cut(struct calls *calls, struct calls_task *task);
/* What the end of a call says; the innermost call of @task is closed with it. */
void calls_close(struct calls *calls, struct calls_task *task, uint32_t func,
		 const struct calls_end *told);
/* Closes or opens until @n are open. */
void calls_adjust(struct calls *calls, struct calls_task *task, int n, uint64_t time);

#endif
