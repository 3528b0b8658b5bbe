/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <inttypes.h>

#include "analyze/tasks/task-states.h"
#include "base/strbuf.h"

/* An event in short form. Members that a kind does not use are omitted. */
struct step {
	enum decoded_kind kind;
	uint64_t time;
	uint32_t cpu;
	int32_t pid; /* current task; SWITCH: previous task */
	/* Woken, forked or next task; EXEC: previous pid; number of a call or interrupt. */
	int32_t other;
	enum task_state state; /* SWITCH */
	bool preempted; /* SWITCH: "R+" */
	enum decoded_context context;
	uint64_t missed;
	uint16_t buffer;
	bool unwanted, late;
	const char *system; /* "irq" */
};

#define SWITCH	  DECODED_SWITCH
#define WAKING	  DECODED_WAKING
#define WAKEUP	  DECODED_WAKEUP
#define NEW	  DECODED_WAKEUP_NEW
#define FORK	  DECODED_FORK
#define EXIT	  DECODED_TASK_EXIT
#define EXEC	  DECODED_EXEC
#define CALL	  DECODED_SYSCALL_ENTRY
#define END	  DECODED_SYSCALL_EXIT
#define IRQ_ENTRY DECODED_IRQ_ENTRY
#define IRQ_EXIT  DECODED_IRQ_EXIT
#define SOFTIRQ	  DECODED_SOFTIRQ_ENTRY
#define S	  TASK_STATE_SLEEPING
#define D	  TASK_STATE_BLOCKED
#define R	  TASK_STATE_RUNNABLE
#define X	  TASK_STATE_DEAD

static void feed_step(struct task_states *states, const struct step *step)
{
	struct fathom_event event = { .time = step->time,
				      .cpu = step->cpu,
				      .pid = step->pid,
				      .missed = step->missed,
				      .buffer = step->buffer };
	struct event_format format = { .name = "sys_enter_read", .system = step->system ?: "irq" };
	struct event_entry entry = { .format = &format };
	struct decoded_event decoded = { .kind = step->kind,
					 .event = &event,
					 .entry = &entry,
					 .unwanted = step->unwanted,
					 .late = step->late };

	switch (step->kind) {
	case SWITCH:
		decoded.sched.prev_pid = step->pid;
		decoded.sched.next_pid = step->other;
		decoded.sched.prev = step->state;
		decoded.sched.is_preempted = step->preempted;
		decoded.sched.prev_name.s = "prev";
		decoded.sched.prev_name.len = 4;
		break;
	case WAKING:
	case WAKEUP:
	case NEW:
	case FORK:
	case EXIT:
		decoded.task.pid = step->other;
		decoded.task.context = step->context;
		break;
	case EXEC:
		decoded.path.old_pid = step->other;
		break;
	default:
		decoded.call_number.number = step->other;
		break;
	}
	task_states_feed(states, &decoded);
}

static void put_waker(struct strbuf *buf, const struct task_states *states, struct waker waker)
{
	if (waker.kind == WAKER_TASK)
		strbuf_addf(buf, " by %d", states->tasks[waker.number]->pid);
	else if (waker.kind == WAKER_IDLE)
		strbuf_adds(buf, " by idle");
	else if (waker.kind == WAKER_HARDIRQ)
		strbuf_addf(buf, " by irq %d", (int)waker.number);
	else if (waker.kind == WAKER_VECTOR)
		strbuf_addf(buf, " by vector %d", (int)waker.number);
	else if (waker.kind == WAKER_SOFTIRQ)
		strbuf_addf(buf, " by softirq %d", (int)waker.number);
}

/* "7#0 S 100-200 cpu 0 in 5 by 8": pid and number, state, times, CPU, system call, waker. */
static void take(void *data, const struct task_states *states, const struct task_span *span)
{
	static const char letters[] = "?*RSDITX";
	struct strbuf *buf = data;

	if (span->task == TASK_NONE)
		strbuf_adds(buf, "idle");
	else
		strbuf_addf(buf, "%d#%u", states->tasks[span->task]->pid, span->task);
	strbuf_addf(buf, " %c", letters[span->state]);
	if (span->quality == SPAN_DOUBTFUL)
		strbuf_adds(buf, " doubtful");
	else if (span->quality == SPAN_CUT && span->at_end && states->from)
		strbuf_addf(buf, " %" PRIu64 "-%" PRIu64 " and on", span->start, span->end);
	else if (span->quality == SPAN_CUT && span->at_end)
		strbuf_addf(buf, " %" PRIu64 "-", span->start);
	else if (span->quality == SPAN_CUT)
		strbuf_addf(buf, " -%" PRIu64, span->end);
	else
		strbuf_addf(buf, "%s %" PRIu64 "-%" PRIu64,
			    span->quality == SPAN_CLIPPED ? " clipped" : "", span->start,
			    span->end);
	strbuf_addf(buf, " cpu %u", span->cpu);
	if (span->state == TASK_STATE_RUNNING)
		strbuf_addf(buf, " to %c%s", letters[span->next], span->migrated ? " moved" : "");
	else if (span->state == TASK_STATE_RUNNABLE)
		strbuf_addf(buf, "%s%s", span->was_preempted ? " preempted" : "",
			    span->undecided ? " undecided" : "");
	else
		put_waker(buf, states, span->waker);
	if (task_state_waits(span->state) && span->syscall != SYSCALL_UNKNOWN)
		strbuf_addf(buf, " in %d", (int)span->syscall);
	if (task_state_waits(span->state) && span->was_ready)
		strbuf_adds(buf, " after all");
	if (task_state_waits(span->state) && span->with_queue)
		strbuf_adds(buf, " and queue");
	strbuf_adds(buf, span->unwanted ? " unwanted\n" : "\n");
}

static int run(const struct step *steps, struct task_states *states, struct strbuf *buf)
{
	int r;

	states->take = take;
	states->data = buf;
	for (; steps->time; steps++)
		feed_step(states, steps);
	r = task_states_finish(states);
	return r < 0 ? r : buf->err;
}

static void check(const struct step *steps, const char *expected)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { 0 };
	int r = run(steps, &states, &buf);

	task_states_done(&states);
	if (succeeds(r == 0))
		assert_string_equal(strbuf_str(&buf), expected);
}

/* 7 reads, sleeps, is woken by 8 on another CPU, is preempted by 9 and migrates. */
static const struct step usual[] = {
	{ SWITCH, 100, 0, 0, 7, R }, { CALL, 110, 0, 7, 5 },
	{ SWITCH, 120, 0, 7, 0, S }, { SWITCH, 130, 1, 0, 8, R },
	{ WAKING, 150, 1, 8, 7 },    { WAKEUP, 153, 0, 0, 7, .context = CONTEXT_HARDIRQ },
	{ SWITCH, 160, 0, 0, 7, R }, { END, 170, 0, 7, 5 },
	{ SWITCH, 180, 0, 7, 9, R }, { SWITCH, 190, 1, 8, 7, D },
	{ SWITCH, 200, 1, 7, 0, S }, { 0 },
};

static void determines_states(void **state)
{
	check(usual, "idle * -100 cpu 0 to R\n"
		     "7#0 * 100-120 cpu 0 to S\n"
		     "idle * -130 cpu 1 to R\n"
		     "7#0 S 120-150 cpu 0 by 8 in 5\n"
		     "idle * 120-160 cpu 0 to R\n"
		     "7#0 R 150-160 cpu 0\n"
		     "7#0 * 160-180 cpu 0 to R\n"
		     "8#1 * 130-190 cpu 1 to D\n"
		     "7#0 R 180-190 cpu 1 preempted\n"
		     "7#0 * 190-200 cpu 1 to S moved\n"
		     /* Open at the end: */
		     "9#2 * 180- cpu 0 to ?\n"
		     "idle * 200- cpu 1 to ?\n"
		     "7#0 S 200- cpu 1 in -1\n"
		     "8#1 D 190- cpu 1\n");
}

/*
 * 7 is reported as runnable when it goes to sleep; the second time, it is runnable; the third time,
 * it is preempted.
 */
static void recognizes_sleep_reported_as_runnable(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ SWITCH, 101, 1, 0, 8, R },
		{ SWITCH, 112, 0, 7, 0, R },
		{ WAKING, 113, 1, 8, 7 },
		{ WAKEUP, 115, 1, 8, 7 },
		{ SWITCH, 120, 0, 0, 7, R },
		{ WAKING, 130, 1, 8, 7 },
		{ WAKEUP, 131, 1, 8, 7 },
		{ SWITCH, 132, 0, 7, 0, R },
		{ SWITCH, 140, 0, 0, 7, R },
		{ SWITCH, 152, 0, 7, 0, R, .preempted = true },
		{ WAKING, 153, 1, 8, 7 },
		{ WAKEUP, 155, 1, 8, 7 },
		{ SWITCH, 160, 0, 0, 7, R },
		{ 0 },
	};

	check(steps, "idle * -100 cpu 0 to R\n"
		     "idle * -101 cpu 1 to R\n"
		     "7#0 * 100-112 cpu 0 to R\n"
		     "7#0 S 112-113 cpu 0 by 8 after all\n"
		     "idle * 112-120 cpu 0 to R\n"
		     "7#0 R 113-120 cpu 0\n"
		     "7#0 * 120-132 cpu 0 to R\n"
		     "idle * 132-140 cpu 0 to R\n"
		     "7#0 R 132-140 cpu 0 preempted\n"
		     "7#0 * 140-152 cpu 0 to R\n"
		     "idle * 152-160 cpu 0 to R\n"
		     "7#0 R 152-160 cpu 0 preempted\n"
		     "7#0 * 160- cpu 0 to ?\n"
		     "8#1 * 101- cpu 1 to ?\n");
}

/* Between 125 and 185, with all earlier events. */
static void clips_at_window_borders(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { .take = take, .data = &buf, .from = 125 };
	int r;

	for (const struct step *step = usual; step->time && step->time <= 185; step++)
		feed_step(&states, step);
	r = task_states_finish_at(&states, 185);
	task_states_done(&states);
	if (succeeds(r == 0))
		assert_string_equal(strbuf_str(&buf), "idle * -130 cpu 1 to R\n"
						      "7#0 S clipped 125-150 cpu 0 by 8 in 5\n"
						      "idle * clipped 125-160 cpu 0 to R\n"
						      "7#0 R 150-160 cpu 0\n"
						      "7#0 * 160-180 cpu 0 to R\n"
						      "9#2 * 180-185 and on cpu 0 to ?\n"
						      "8#1 * 130-185 and on cpu 1 to ?\n"
						      "7#0 R 180-185 and on cpu 0 preempted\n");
}

/* All information about the window comes from before it. */
static void clips_at_both_window_borders(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { .take = take, .data = &buf, .from = 210 };
	int r;

	for (const struct step *step = usual; step->time; step++)
		feed_step(&states, step);
	r = task_states_finish_at(&states, 230);
	task_states_done(&states);
	if (succeeds(r == 0))
		assert_string_equal(strbuf_str(&buf), "9#2 * 210-230 and on cpu 0 to ?\n"
						      "idle * 210-230 and on cpu 1 to ?\n"
						      "7#0 S 210-230 and on cpu 1 in -1\n"
						      "8#1 D 210-230 and on cpu 1\n");
}

static void earlier_states_are_unknown(void **state)
{
	static const struct step steps[] = {
		/* It is unknown when this run began. */
		{ SWITCH, 100, 0, 7, 8, S },
		/* 9 ran elsewhere before, and 10 was asleep. */
		{ SWITCH, 120, 1, 0, 9, R },
		{ WAKEUP, 130, 0, 8, 10 },
		{ SWITCH, 140, 0, 8, 10, S },
		{ 0 },
	};

	check(steps, "7#0 * -100 cpu 0 to S\n"
		     "idle * -120 cpu 1 to R\n"
		     "8#1 * 100-140 cpu 0 to S\n"
		     "10#3 R 130-140 cpu 0\n"
		     "10#3 * 140- cpu 0 to ?\n"
		     "9#2 * 120- cpu 1 to ?\n"
		     "7#0 S 100- cpu 0\n"
		     "8#1 S 140- cpu 0\n");
}

/* The first events of 7 and 8 are wakeups; both were already running. */
static void a_woken_task_may_be_running(void **state)
{
	static const struct step steps[] = {
		{ WAKING, 100, 1, 9, 7 },
		{ SWITCH, 110, 0, 7, 0, D },
		{ WAKEUP, 120, 0, 0, 7, .context = CONTEXT_HARDIRQ },
		{ SWITCH, 130, 0, 0, 7, R },
		{ WAKING, 140, 0, 7, 8 },
		{ EXIT, 150, 1, 8, 8 },
		/* 11 was not: it waits for a CPU, and gets one. */
		{ WAKING, 160, 0, 7, 11 },
		{ SWITCH, 170, 0, 7, 11, X },
		/* 12 is off the CPU when it leaves one: events are missing. */
		{ WAKEUP, 180, 0, 11, 12 },
		{ SWITCH, 190, 1, 12, 0, S },
		{ 0 },
	};

	check(steps, "7#0 * -110 cpu 0 to D\n"
		     "7#0 D 110-120 cpu 0 by 9\n"
		     "idle * 110-130 cpu 0 to R\n"
		     "7#0 R 120-130 cpu 0\n"
		     "7#0 * 130-170 cpu 0 to X\n"
		     "11#3 R 160-170 cpu 0\n"
		     "12#4 * -190 cpu 1 to S\n"
		     "12#4 R doubtful cpu 1\n"
		     "11#3 * 170- cpu 0 to ?\n"
		     "idle * 190- cpu 1 to ?\n"
		     "12#4 S 190- cpu 1\n");
}

/* 7 and 8 are woken. Later events show that 7 waited for a CPU, and 8 was on one. */
static void uses_events_after_the_window(void **state)
{
	static const struct step steps[] = {
		{ WAKING, 100, 1, 9, 7 },
		{ WAKING, 110, 1, 9, 8 },
		{ WAKING, 120, 1, 9, 10 },
		{ SWITCH, 140, 0, 0, 7, R, .late = true },
		{ SWITCH, 150, 1, 8, 0, S, .late = true },
		{ 0 },
	};
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { .take = take, .data = &buf, .from = 90 };
	int r;

	for (const struct step *step = steps; step->time; step++)
		feed_step(&states, step);
	if (succeeds(!states.nomem))
		assert_int_equal(states.n_undecided, 1);
	r = task_states_finish_at(&states, 130);
	task_states_done(&states);
	if (succeeds(r == 0))
		assert_string_equal(strbuf_str(&buf),
				    "7#0 R 100-130 and on cpu 4294967295\n"
				    "10#3 R 120-130 and on cpu 4294967295 undecided\n");
}

/* Events were lost on CPU 1. 7 and 8 are on CPU 0, where none were lost. */
static void lost_events_make_spans_doubtful(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ CALL, 105, 0, 7, 5 },
		{ SWITCH, 110, 1, 0, 9, R },
		{ SWITCH, 120, 0, 7, 8, S },
		{ SWITCH, 200, 1, 9, 0, S, .missed = 3 },
		{ WAKING, 210, 0, 8, 7 },
		{ SWITCH, 220, 0, 8, 7, S },
		{ SWITCH, 230, 0, 7, 0, S },
		{ SWITCH, 240, 1, 0, 9, R },
		/* An unexpected task was there. */
		{ SWITCH, 300, 1, 10, 0, S, .missed = FATHOM_MISSED_UNKNOWN },
		{ 0 },
	};

	check(steps, "idle * -100 cpu 0 to R\n"
		     "idle * -110 cpu 1 to R\n"
		     "7#0 * 100-120 cpu 0 to S\n"
		     "9#1 * doubtful cpu 1 to S\n"
		     "7#0 S doubtful cpu 0 by 8 in 5\n"
		     "8#2 * 120-220 cpu 0 to S\n"
		     "7#0 R 210-220 cpu 0\n"
		     "7#0 * 220-230 cpu 0 to S\n"
		     "idle * 200-240 cpu 1 to R\n"
		     "9#1 S 200-240 cpu 1 and queue\n"
		     "10#3 * doubtful cpu 1 to S\n"
		     "9#1 * doubtful cpu 1 to ?\n"
		     "idle * 230- cpu 0 to ?\n"
		     "idle * 300- cpu 1 to ?\n"
		     /* It is unknown what these tasks did in between. */
		     "7#0 S doubtful cpu 0\n"
		     "8#2 S doubtful cpu 0\n"
		     "10#3 S 300- cpu 1\n");
}

static void identifies_wakers(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 7, 0, S },
		{ IRQ_ENTRY, 110, 0, 0, 24 },
		{ WAKING, 111, 0, 0, 7, .context = CONTEXT_HARDIRQ },
		{ IRQ_EXIT, 112, 0, 0, 24 },
		{ SWITCH, 120, 0, 0, 7, R },
		{ SWITCH, 123, 0, 7, 0, D },
		{ IRQ_ENTRY, 124, 0, 0, 236, .system = "irq_vectors" },
		{ WAKING, 125, 0, 0, 7, .context = CONTEXT_HARDIRQ },
		{ IRQ_EXIT, 126, 0, 0, 236, .system = "irq_vectors" },
		{ SWITCH, 127, 0, 0, 7, R },
		{ SWITCH, 130, 0, 7, 0, D },
		{ WAKING, 131, 0, 0, 7, .context = CONTEXT_HARDIRQ },
		{ SWITCH, 140, 0, 0, 7, R },
		{ SWITCH, 150, 0, 7, 0, D },
		{ SOFTIRQ, 151, 0, 0, 3 },
		{ WAKEUP, 152, 0, 0, 7, .context = CONTEXT_SOFTIRQ },
		{ SWITCH, 160, 0, 0, 7, R },
		/* It goes to sleep while it is being woken. */
		{ WAKING, 169, 1, 8, 7 },
		{ SWITCH, 170, 0, 7, 0, S },
		{ WAKEUP, 171, 0, 0, 7, .context = CONTEXT_HARDIRQ },
		{ SWITCH, 180, 0, 0, 7, R },
		/* Here it does not sleep, but the next time it does. */
		{ WAKING, 181, 1, 8, 7 },
		{ WAKEUP, 182, 0, 8, 7 },
		{ SWITCH, 190, 0, 7, 0, S },
		{ WAKEUP, 191, 0, 0, 7 },
		{ SWITCH, 192, 0, 0, 7, R },
		{ 0 },
	};

	check(steps, "7#0 * -100 cpu 0 to S\n"
		     "7#0 S 100-111 cpu 0 by irq 24\n"
		     "idle * 100-120 cpu 0 to R\n"
		     "7#0 R 111-120 cpu 0\n"
		     "7#0 * 120-123 cpu 0 to D\n"
		     "7#0 D 123-125 cpu 0 by vector 236\n"
		     "idle * 123-127 cpu 0 to R\n"
		     "7#0 R 125-127 cpu 0\n"
		     "7#0 * 127-130 cpu 0 to D\n"
		     "7#0 D 130-131 cpu 0 by irq -1\n"
		     "idle * 130-140 cpu 0 to R\n"
		     "7#0 R 131-140 cpu 0\n"
		     "7#0 * 140-150 cpu 0 to D\n"
		     "7#0 D 150-152 cpu 0 by softirq 3\n"
		     "idle * 150-160 cpu 0 to R\n"
		     "7#0 R 152-160 cpu 0\n"
		     "7#0 * 160-170 cpu 0 to S\n"
		     "7#0 S 170-171 cpu 0 by 8\n"
		     "idle * 170-180 cpu 0 to R\n"
		     "7#0 R 171-180 cpu 0\n"
		     "7#0 * 180-190 cpu 0 to S\n"
		     "7#0 S 190-191 cpu 0 by idle\n"
		     "idle * 190-192 cpu 0 to R\n"
		     "7#0 R 191-192 cpu 0\n"
		     "7#0 * 192- cpu 0 to ?\n");
}

/*
 * A child is created and ends, and its pid is reused: first by another child, then by one whose
 * creation was lost.
 */
static void distinguishes_tasks_with_the_same_pid(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ FORK, 110, 0, 7, 8 },
		{ NEW, 111, 0, 7, 8 },
		{ SWITCH, 120, 0, 7, 8, S },
		{ EXIT, 125, 0, 8, 8 },
		{ SWITCH, 130, 0, 8, 7, X },
		{ NEW, 140, 0, 7, 8 },
		{ SWITCH, 150, 0, 7, 8, S },
		{ SWITCH, 160, 0, 8, 0, X },
		{ SWITCH, 170, 0, 0, 8, R },
		{ 0 },
	};

	check(steps, "idle * -100 cpu 0 to R\n"
		     "7#0 * 100-120 cpu 0 to S\n"
		     "8#1 R 111-120 cpu 0\n"
		     "8#1 * 120-130 cpu 0 to X\n"
		     "7#0 S 120-130 cpu 0 and queue\n"
		     "7#0 * 130-150 cpu 0 to S\n"
		     "8#2 R 140-150 cpu 0\n"
		     "8#2 * 150-160 cpu 0 to X\n"
		     "idle * 160-170 cpu 0 to R\n"
		     "8#3 * 170- cpu 0 to ?\n"
		     "7#0 S 150- cpu 0\n");
}

/* 8, a thread of 7, executes a program: it has the pid 7 afterwards. */
static void follows_exec_by_a_thread(void **state)
{
	/* The first thread has ended before. */
	static const struct step gone[] = {
		{ SWITCH, 100, 0, 0, 8, R },
		{ SWITCH, 110, 1, 0, 7, R },
		{ EXIT, 115, 1, 7, 7 },
		{ SWITCH, 120, 1, 7, 0, X },
		{ EXEC, 130, 0, 7, 8 },
		{ SWITCH, 150, 0, 7, 0, S },
		{ 0 },
	};
	/* The thread left its CPU, under its new pid, before the event. */
	static const struct step away[] = {
		{ SWITCH, 100, 0, 0, 8, R },
		{ SWITCH, 110, 1, 0, 7, R },
		{ EXIT, 115, 1, 7, 7 },
		{ SWITCH, 120, 1, 7, 0, X },
		{ SWITCH, 125, 0, 7, 0, D },
		{ SWITCH, 127, 0, 0, 7, R },
		{ EXEC, 130, 0, 7, 8 },
		{ SWITCH, 150, 0, 7, 0, S },
		{ 0 },
	};
	/* The first thread still runs, and ends under the pid of the other. */
	static const struct step late[] = {
		{ SWITCH, 100, 0, 0, 8, R },
		{ SWITCH, 110, 1, 0, 7, R },
		{ EXIT, 115, 1, 7, 7 },
		{ SWITCH, 120, 1, 8, 0, X },
		{ EXEC, 130, 0, 7, 8 },
		{ SWITCH, 150, 0, 7, 0, S },
		{ 0 },
	};

	check(gone, "idle * -100 cpu 0 to R\n"
		    "idle * -110 cpu 1 to R\n"
		    "7#1 * 110-120 cpu 1 to X\n"
		    "8#0 * 100-130 cpu 0 to ?\n"
		    "7#2 * 130-150 cpu 0 to S\n"
		    "idle * 150- cpu 0 to ?\n"
		    "idle * 120- cpu 1 to ?\n"
		    "7#2 S 150- cpu 0\n");
	check(away, "idle * -100 cpu 0 to R\n"
		    "idle * -110 cpu 1 to R\n"
		    "7#1 * 110-120 cpu 1 to X\n"
		    "8#0 * 100-125 cpu 0 to ?\n"
		    "7#2 * 125-125 cpu 0 to D\n"
		    "idle * 125-127 cpu 0 to R\n"
		    "7#2 D 125-127 cpu 0 and queue\n"
		    "7#2 * 127-150 cpu 0 to S\n"
		    "idle * 150- cpu 0 to ?\n"
		    "idle * 120- cpu 1 to ?\n"
		    "7#2 S 150- cpu 0\n");
	check(late, "idle * -100 cpu 0 to R\n"
		    "idle * -110 cpu 1 to R\n"
		    "7#1 * 110-120 cpu 1 to ?\n"
		    "8#0 * 100-120 cpu 0 to ?\n"
		    "8#2 * 120-120 cpu 1 to X\n"
		    "7#3 * 120-150 cpu 0 to S\n"
		    "idle * 150- cpu 0 to ?\n"
		    "idle * 120- cpu 1 to ?\n"
		    "7#3 S 150- cpu 0\n");
}

/* 7 seems to end while it waits. Events of another buffer, and unwanted ones. */
static void contradictory_spans_have_no_time(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ SWITCH, 110, 0, 7, 0, S },
		{ EXIT, 120, 1, 7, 7 },
		{ SWITCH, 130, 1, 7, 0, X },
		{ SWITCH, 131, 1, 0, 9, R, .buffer = 1 },
		{ SWITCH, 140, 0, 0, 9, R, .unwanted = true },
		/* The clock of CPU 1 is behind: 9 arrives before it has left. */
		{ SWITCH, 150, 1, 0, 9, R },
		{ SWITCH, 151, 0, 9, 0, R },
		{ SWITCH, 160, 1, 9, 0, S },
		{ 0 },
	};

	check(steps, "idle * -100 cpu 0 to R\n"
		     "7#0 * 100-110 cpu 0 to S\n"
		     "7#0 S doubtful cpu 1\n"
		     "7#0 * -130 cpu 1 to X\n"
		     "idle * 110-140 cpu 0 to R unwanted\n"
		     "idle * 130-150 cpu 1 to R\n"
		     "9#1 * 140-151 cpu 0 to R\n"
		     "9#1 * 150-160 cpu 1 to S moved\n"
		     "idle * 151- cpu 0 to ?\n"
		     "idle * 160- cpu 1 to ?\n"
		     "9#1 S 160- cpu 1\n");
}

/*
 * The recording is limited to 7 and its children, so switches of 9 and 10 are missing. 9 appears to
 * run until 7 returns, and 10 to have been runnable since it was preempted.
 */
static const struct step halves[] = {
	{ SWITCH, 100, 0, 10, 7, R },
	{ FORK, 105, 0, 7, 8 },
	{ NEW, 106, 0, 7, 8 },
	{ SWITCH, 110, 0, 7, 9, S },
	{ SWITCH, 120, 1, 0, 8, R },
	{ CALL, 125, 1, 8, 5 },
	{ SWITCH, 130, 1, 8, 0, X },
	{ WAKING, 180, 1, 10, 7 },
	{ SWITCH, 190, 0, 0, 7, R },
	{ SWITCH, 200, 0, 7, 0, S },
	/* The pid of the ended child was reused. */
	{ WAKING, 205, 1, 8, 7 },
	{ SWITCH, 210, 1, 8, 7, S },
	{ 0 },
};

static void check_halves(bool children, const char *expected)
{
	int32_t pids[] = { 7 };
	const struct followed followed = { .pids = pids, .n = 1, .children = children };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { .followed = &followed };
	struct task_span span;
	int r = run(halves, &states, &buf);

	if (succeeds(r == 0)) {
		assert_string_equal(strbuf_str(&buf), expected);
		assert_false(task_states_now(&states, task_states_find(&states, 9), 220, &span));
	}
	task_states_done(&states);
}

static void unrecorded_tasks_are_unknown(void **state)
{
	check_halves(true, "7#1 * 100-110 cpu 0 to S\n"
			   "8#2 R 106-120 cpu 1\n"
			   "8#2 * 120-130 cpu 1 to X\n"
			   "7#1 S 110-180 cpu 0 by 10\n"
			   "7#1 R 180-190 cpu 0\n"
			   "7#1 * 190-200 cpu 0 to S\n"
			   "7#1 S 200-205 cpu 0 by 8\n"
			   "7#1 R 205-210 cpu 1\n"
			   "7#1 * 210- cpu 1 to ? moved\n");
	check_halves(false, "7#1 * 100-110 cpu 0 to S\n"
			    "7#1 S 110-180 cpu 0 by 10\n"
			    "7#1 R 180-190 cpu 0\n"
			    "7#1 * 190-200 cpu 0 to S\n"
			    "7#1 S 200-205 cpu 0 by 8\n"
			    "7#1 R 205-210 cpu 1\n"
			    "7#1 * 210- cpu 1 to ? moved\n");
}

/*
 * 9 and 11 belong to the recorder: switches between them are not recorded, and 11 appears to be
 * still asleep.
 */
static void tasks_of_the_recorder_are_unknown(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 11, R }, { SWITCH, 110, 0, 11, 7, S },
		{ SWITCH, 120, 0, 7, 9, R },  { SWITCH, 130, 0, 11, 0, S },
		{ SWITCH, 140, 0, 0, 7, R },  { 0 },
	};
	int32_t pids[] = { 9, 11 };
	const struct followed followed = { .untraced = pids, .n_untraced = 2 };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { .followed = &followed };
	int r = run(steps, &states, &buf);

	task_states_done(&states);
	if (succeeds(r == 0))
		assert_string_equal(strbuf_str(&buf), "idle * -100 cpu 0 to R\n"
						      "7#1 * 110-120 cpu 0 to R\n"
						      "idle * 130-140 cpu 0 to R\n"
						      "7#1 R 120-140 cpu 0 preempted\n"
						      "7#1 * 140- cpu 0 to ?\n");
}

static uint64_t count_missing(const struct step *steps, const struct followed *followed)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { .followed = followed };
	int r = run(steps, &states, &buf);
	uint64_t missing = states.missing;

	task_states_done(&states);
	assert_int_equal(r, 0);
	return missing;
}

/* Switches of 8 are missing, as expected if it is not recorded, or if events were lost. */
static void counts_missing_switches(void **state)
{
	static const struct step filtered[] = {
		{ SWITCH, 100, 0, 7, 8, S },
		{ SWITCH, 120, 0, 9, 7, S },
		{ SWITCH, 130, 0, 7, 0, S },
		{ 0 },
	};
	static const struct step lossy[] = {
		{ SWITCH, 100, 0, 7, 8, S },
		{ SWITCH, 120, 0, 9, 7, S, .missed = 1 },
		{ 0 },
	};
	int32_t pids[] = { 7 }, recorder[] = { 8, 9 };
	const struct followed one = { .pids = pids, .n = 1 };
	const struct followed others = { .untraced = recorder, .n_untraced = 2 };

	assert_int_equal(count_missing(usual, NULL), 0);
	assert_int_equal(count_missing(filtered, NULL), 1);
	assert_int_equal(count_missing(lossy, NULL), 0);
	assert_int_equal(count_missing(filtered, &one), 0);
	assert_int_equal(count_missing(filtered, &others), 0);
}

/*
 * 7 is recorded, and other tasks only next to it: 8 left once without an event, and 9 arrived
 * without one.
 */
static const struct step only_one[] = {
	{ SWITCH, 100, 0, 7, 8, S }, { SWITCH, 120, 0, 9, 7, S }, { SWITCH, 130, 0, 7, 8, S },
	{ SWITCH, 140, 0, 8, 7, R }, { SWITCH, 150, 0, 7, 0, S }, { 0 },
};

static int find(const struct step *steps, struct followed *followed)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { 0 };
	int r = run(steps, &states, &buf);

	if (r == 0)
		r = task_states_find_followed(&states, followed);
	task_states_done(&states);
	return r;
}

/*
 * Checks that the recording is found to be limited to 7, as @missing switches show; 0: not limited.
 */
static void check_found(const struct step *steps, uint64_t missing)
{
	struct followed followed = { 0 };
	int r = find(steps, &followed);

	assert_int_equal(r, 0);
	assert_int_equal(followed.missing, missing);
	assert_int_equal(followed.n, missing ? 1 : 0);
	if (missing)
		assert_int_equal(followed.pids[0], 7);
	assert_int_equal(followed_is_limited(&followed), missing > 0);
	followed_done(&followed);
}

static void infers_recorded_tasks(void **state)
{
	/* The idle task was there before 9. */
	static const struct step idle[] = {
		{ SWITCH, 100, 0, 7, 0, S },
		{ SWITCH, 120, 0, 9, 7, S },
		{ SWITCH, 130, 0, 7, 9, S },
		{ 0 },
	};
	static const struct step from_idle[] = {
		{ SWITCH, 100, 0, 0, 7, R }, { SWITCH, 110, 0, 7, 8, S },
		{ SWITCH, 120, 0, 9, 7, S }, { SWITCH, 130, 0, 7, 8, S },
		{ SWITCH, 140, 0, 8, 7, R }, { 0 },
	};
	/* Another task with the pid 8 is recorded; for 10 that is unknown. */
	static const struct step reused[] = {
		{ SWITCH, 100, 0, 7, 8, S },  { SWITCH, 120, 0, 9, 7, S },
		{ SWITCH, 130, 0, 7, 8, S },  { SWITCH, 140, 0, 8, 7, X },
		{ SWITCH, 150, 0, 7, 10, S }, { SWITCH, 160, 0, 10, 7, S },
		{ SWITCH, 170, 0, 7, 0, S },  { SWITCH, 180, 0, 0, 8, R },
		{ SWITCH, 190, 0, 8, 0, S },  { 0 },
	};
	/* A system call shows that 8 is recorded; its exit shows that it may no longer be. */
	static const struct step calls[] = {
		{ SWITCH, 100, 0, 7, 8, S }, { SWITCH, 120, 0, 8, 7, S },
		{ CALL, 125, 0, 7, 5 },	     { SWITCH, 130, 0, 7, 8, S },
		{ SWITCH, 140, 0, 9, 7, R }, { EXIT, 150, 0, 7, 7 },
		{ SWITCH, 160, 0, 8, 9, S }, { 0 },
	};
	/* 8 is left out, and all others are recorded. */
	static const struct step left_out[] = {
		{ SWITCH, 100, 0, 7, 8, S },
		{ SWITCH, 120, 0, 0, 7, R },
		{ SWITCH, 130, 0, 7, 8, S },
		{ SWITCH, 140, 0, 9, 7, S },
		{ 0 },
	};
	/* Only switches to idle tasks are recorded. */
	static const struct step by_event[] = {
		{ SWITCH, 100, 0, 7, 0, S },
		{ SWITCH, 120, 0, 7, 0, S },
		{ 0 },
	};

	check_found(usual, 0);
	check_found(only_one, 1);
	check_found(idle, 1);
	check_found(from_idle, 1);
	check_found(reused, 1);
	check_found(calls, 2);
	check_found(left_out, 0);
	check_found(by_event, 0);
}

static int find_one(void *arg)
{
	struct followed followed = { 0 };
	int r = find(only_one, &followed);

	followed_done(&followed);
	return r;
}

/* A task that is on none of the recorded CPUs may run on another one. */
static void waits_are_unknown_if_only_some_cpus_are_recorded(void **state)
{
	const struct followed followed = { .some_cpus = true };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { .followed = &followed };
	struct task_span span;
	int r = run(usual, &states, &buf);

	assert_false(task_states_now(&states, 0, 300, &span));
	task_states_done(&states);
	assert_int_equal(r, 0);
	assert_string_equal(strbuf_str(&buf), "idle * -100 cpu 0 to R\n"
					      "7#0 * 100-120 cpu 0 to S\n"
					      "idle * -130 cpu 1 to R\n"
					      "idle * 120-160 cpu 0 to R\n"
					      "7#0 * 160-180 cpu 0 to R\n"
					      "8#1 * 130-190 cpu 1 to D\n"
					      "7#0 * 190-200 cpu 1 to S moved\n"
					      "9#2 * 180- cpu 0 to ?\n"
					      "idle * 200- cpu 1 to ?\n");
}

static int run_halves(void *arg)
{
	int32_t pids[] = { 7 };
	const struct followed followed = { .pids = pids, .n = 1, .children = true };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { .followed = &followed };
	int r = run(halves, &states, &buf);

	task_states_done(&states);
	return r;
}

/* The ends of the call, of the interrupt and of task 9 were lost; 11 was merely filtered out. */
static void drops_states_that_may_have_ended(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ CALL, 101, 0, 7, 5 },
		{ IRQ_ENTRY, 102, 0, 7, 24 },
		{ WAKING, 103, 0, 7, 9 },
		{ SWITCH, 110, 0, 7, 0, S, .missed = 1 },
		{ WAKING, 111, 0, 0, 7, .context = CONTEXT_HARDIRQ },
		{ NEW, 120, 0, 0, 9 },
		{ SWITCH, 130, 0, 0, 9, R },
		{ SWITCH, 140, 0, 9, 11, S },
		{ SWITCH, 150, 0, 12, 0, S },
		{ 0 },
	};

	check(steps, "idle * -100 cpu 0 to R\n"
		     "7#0 * doubtful cpu 0 to S\n"
		     "7#0 S 110-111 cpu 0 by irq -1\n"
		     "idle * 110-130 cpu 0 to R\n"
		     "9#2 R 120-130 cpu 0\n"
		     "9#2 * 130-140 cpu 0 to S\n"
		     "12#4 * doubtful cpu 0 to S\n"
		     "11#3 * doubtful cpu 0 to ?\n"
		     "idle * 150- cpu 0 to ?\n"
		     "7#0 R 111- cpu 0\n"
		     "9#1 R doubtful cpu 4294967295 undecided\n"
		     "9#2 S 140- cpu 0\n"
		     "12#4 S 150- cpu 0\n");
}

static int run_usual(void *arg)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct task_states states = { 0 };
	int r = run(usual, &states, &buf);

	task_states_done(&states);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(run_usual, NULL);
	oom_check(run_halves, NULL);
	oom_check(find_one, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(determines_states),
		cmocka_unit_test(recognizes_sleep_reported_as_runnable),
		cmocka_unit_test(clips_at_window_borders),
		cmocka_unit_test(clips_at_both_window_borders),
		cmocka_unit_test(uses_events_after_the_window),
		cmocka_unit_test(earlier_states_are_unknown),
		cmocka_unit_test(a_woken_task_may_be_running),
		cmocka_unit_test(lost_events_make_spans_doubtful),
		cmocka_unit_test(identifies_wakers),
		cmocka_unit_test(distinguishes_tasks_with_the_same_pid),
		cmocka_unit_test(follows_exec_by_a_thread),
		cmocka_unit_test(contradictory_spans_have_no_time),
		cmocka_unit_test(unrecorded_tasks_are_unknown),
		cmocka_unit_test(tasks_of_the_recorder_are_unknown),
		cmocka_unit_test(counts_missing_switches),
		cmocka_unit_test(infers_recorded_tasks),
		cmocka_unit_test(waits_are_unknown_if_only_some_cpus_are_recorded),
		cmocka_unit_test(drops_states_that_may_have_ended),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
