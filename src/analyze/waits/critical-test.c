/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <inttypes.h>

#include "analyze/waits/critical.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"

/* An event in short form. Members without a use for the kind are omitted. */
struct step {
	enum decoded_kind kind;
	uint64_t time;
	uint32_t cpu;
	int32_t pid; /* current task; SWITCH: previous task */
	int32_t other; /* woken, forked or next task; number of a call, interrupt or sector */
	enum task_state state; /* SWITCH */
	enum decoded_context context;
	uint64_t missed;
	const char *name; /* of the event */
	const char *system;
};

#define SWITCH	  DECODED_SWITCH
#define WAKING	  DECODED_WAKING
#define NEW	  DECODED_WAKEUP_NEW
#define FORK	  DECODED_FORK
#define CALL	  DECODED_SYSCALL_ENTRY
#define END	  DECODED_SYSCALL_EXIT
#define FUNC	  DECODED_CALL
#define FUNC_END  DECODED_RETURN
#define IRQ	  DECODED_IRQ_ENTRY
#define IRQ_END	  DECODED_IRQ_EXIT
#define SOFT	  DECODED_SOFTIRQ_ENTRY
#define SOFT_END  DECODED_SOFTIRQ_EXIT
#define ISSUE	  DECODED_BLOCK_ISSUE
#define COMPLETE  DECODED_BLOCK_COMPLETE
#define TIMER	  DECODED_TIMER_ENTRY
#define TIMER_END DECODED_TIMER_EXIT
#define OTHER	  DECODED_OTHER
#define S	  TASK_STATE_SLEEPING
#define D	  TASK_STATE_BLOCKED
#define R	  TASK_STATE_RUNNABLE
#define X	  TASK_STATE_DEAD
#define IN_IRQ	  .context = CONTEXT_HARDIRQ
#define IN_SOFT	  .context = CONTEXT_SOFTIRQ

static void feed_step(struct critical *critical, const struct step *step)
{
	struct fathom_event event = {
		.time = step->time, .cpu = step->cpu, .pid = step->pid, .missed = step->missed
	};
	struct event_format format = { .name = step->name ?: "sys_enter_read",
				       .system = step->system ?: "irq" };
	struct event_entry entry = { .format = &format };
	struct decoded_event decoded = { .kind = step->kind, .event = &event, .entry = &entry };

	switch (step->kind) {
	case SWITCH:
		decoded.sched.prev_pid = step->pid;
		decoded.sched.next_pid = step->other;
		decoded.sched.prev = step->state;
		break;
	case WAKING:
	case NEW:
	case FORK:
		decoded.task.pid = step->other;
		decoded.task.context = step->context;
		break;
	case FUNC:
	case FUNC_END:
		decoded.call.func = (uint64_t)step->other;
		break;
	case ISSUE:
	case COMPLETE:
		decoded.block.sector = (uint64_t)step->other;
		decoded.block.sectors = 8;
		decoded.block.device = 8 << 20;
		decoded.block.operation = 'R';
		decoded.block.context = step->context;
		break;
	default:
		decoded.call_number.number = step->other;
		break;
	}
	critical_feed(critical, &decoded);
}

static void put_pid(struct strbuf *buf, const struct critical *critical, uint32_t task)
{
	if (task == TASK_NONE)
		strbuf_adds(buf, "idle");
	else
		strbuf_addf(buf, "%d", critical->states.tasks[task]->pid);
}

static void put_what(struct strbuf *buf, const struct critical *critical,
		     const struct critical_what *what)
{
	static const char *const sources[] = { "nothing", "timer",  "disk",
					       "irq",	  "vector", "softirq" };
	static const char *const reasons[] = { "not seen",   "not over",       "no waker",
					       "idle waker", "before request", "deep",
					       "forgotten" };

	if (what->kind != CRITICAL_HANDLER) {
		put_pid(buf, critical, what->task);
		strbuf_addc(buf, ' ');
	}
	switch (what->kind) {
	case CRITICAL_RUN:
		strbuf_adds(buf, "runs");
		break;
	case CRITICAL_QUEUE:
		strbuf_adds(buf, "queue behind ");
		put_pid(buf, critical, what->other);
		break;
	case CRITICAL_QUEUE_UNKNOWN:
		strbuf_adds(buf, "queue");
		break;
	case CRITICAL_AWAIT:
		strbuf_addf(buf, "awaits %s", sources[what->source]);
		break;
	case CRITICAL_HANDLER:
		strbuf_addf(buf, "%s served", sources[what->source]);
		break;
	case CRITICAL_UNKNOWN:
		strbuf_adds(buf, reasons[what->reason]);
		break;
	}
	if (what->place == PLACE_OUTSIDE)
		strbuf_adds(buf, " outside");
	else if ((what->place & PLACE_KIND) == PLACE_FUNC)
		strbuf_adds(buf, " in func");
	else if (what->place != PLACE_NONE)
		strbuf_addf(buf, " in %u", what->place);
}

/* "100-120 7 runs", indented by level. Checks that there are no gaps. */
static void put_path(struct strbuf *buf, const struct critical *critical)
{
	uint64_t at = critical->from, sum = 0;

	for (size_t i = 0; i < critical->path.n; i++) {
		const struct critical_segment *segment = &critical->path.list[i];

		assert_int_equal(segment->start, at);
		assert_true(segment->end > at);
		at = segment->end;
		strbuf_pad(buf, ' ', segment->level);
		strbuf_addf(buf, "%" PRIu64 "-%" PRIu64 " ", segment->start, segment->end);
		put_what(buf, critical, &segment->what);
		strbuf_addc(buf, '\n');
	}
	assert_int_equal(at, critical->to);
	for (size_t i = 0; i < critical->path.n_sums; i++)
		sum += critical->path.sums[i].total;
	assert_int_equal(sum, critical->to - critical->from);
}

static int feed_all(struct critical *critical, const struct step *steps)
{
	for (; steps->time; steps++)
		feed_step(critical, steps);
	return critical_finish(critical);
}

/* Feeds @steps to find the task, and again for its path; covers the whole time if @whole. */
static int run(const struct step *steps, int32_t pid, bool whole, uint32_t log_max,
	       struct strbuf *buf)
{
	_cleanup_(critical_done) struct critical first = { 0 }, second = { .log.max = log_max };
	_cleanup_free_ uint32_t *followed = NULL;
	uint32_t task = TASK_NONE;
	size_t n;

	if (feed_all(&first, steps) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < first.states.n_tasks && task == TASK_NONE; i++)
		if (first.states.tasks[i]->pid == pid &&
		    (first.lives[i].is_seen || first.lives[i].has_acted))
			task = i;
	assert_true(task != TASK_NONE);
	if (critical_lineage(&first, task, &followed, &n) < 0)
		return -ENOMEM;
	second.followed = whole ? followed : followed + n - 1;
	second.n_followed = whole ? n : 1;
	second.from_birth = first.lives[second.followed[0]].is_born;
	if (feed_all(&second, steps) < 0)
		return -ENOMEM;
	put_path(buf, &second);
	return buf->err;
}

static void check(const struct step *steps, int32_t pid, const char *expected)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	if (succeeds(run(steps, pid, false, 0, &buf) == 0))
		assert_string_equal(strbuf_str(&buf), expected);
}

/* 7 reads, waits for 8, which waits for 9, which runs. */
static const struct step chain[] = {
	{ SWITCH, 100, 0, 0, 7, R },
	{ CALL, 110, 0, 7, 5 },
	{ SWITCH, 120, 0, 7, 8, S },
	{ SWITCH, 140, 0, 8, 9, S },
	{ WAKING, 170, 0, 9, 8 },
	{ SWITCH, 180, 0, 9, 8, S },
	{ WAKING, 190, 0, 8, 7 },
	{ SWITCH, 200, 0, 8, 7, S },
	{ END, 210, 0, 7, 5, .system = "raw_syscalls" },
	{ SWITCH, 220, 0, 7, 0, X },
	{ OTHER, 230 },
	{ 0 },
};

static void follows_wakers(void **state)
{
	check(chain, 7,
	      "100-110 7 runs\n"
	      "110-120 7 runs in 5\n"
	      " 120-140 8 runs\n"
	      "  140-170 9 runs\n"
	      " 170-180 8 queue behind 9\n"
	      " 180-190 8 runs\n"
	      "190-200 7 queue behind 8\n"
	      "200-210 7 runs in 5\n"
	      "210-220 7 runs outside\n");
	/* Before the first switch to it, and after its last one, its state is unknown. */
	check(chain, 9,
	      "100-140 9 not seen\n"
	      "140-180 9 runs\n"
	      "180-230 9 not over\n");
}

/* Between 130 and 205, the path does not depend on where the window begins and ends. */
static void clips_at_window_borders(void **state)
{
	static const uint32_t followed[] = { 0 };
	_cleanup_(critical_done) struct critical critical = { .followed = followed,
							      .n_followed = 1,
							      .clip = 130 };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	const struct step *step;

	for (step = chain; step->time <= 200; step++)
		feed_step(&critical, step);
	if (succeeds(critical_finish_at(&critical, 205) == 0)) {
		put_path(&buf, &critical);
		if (succeeds(!buf.err))
			assert_string_equal(strbuf_str(&buf), " 130-140 8 runs\n"
							      "  140-170 9 runs\n"
							      " 170-180 8 queue behind 9\n"
							      " 180-190 8 runs\n"
							      "190-200 7 queue behind 8\n"
							      "200-205 7 runs in 5\n");
	}
}

/* Only 7 was recorded, so the activity of others is unknown. */
static void unrecorded_tasks_are_unknown(void **state)
{
	static const uint32_t followed[] = { 0 };
	int32_t pids[] = { 7 };
	const struct followed recorded = { .pids = pids, .n = 1 };
	_cleanup_(critical_done) struct critical critical = { .followed = followed,
							      .n_followed = 1,
							      .states.followed = &recorded };
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	if (succeeds(feed_all(&critical, chain) == 0)) {
		put_path(&buf, &critical);
		if (succeeds(!buf.err))
			assert_string_equal(strbuf_str(&buf), "100-110 7 runs\n"
							      "110-120 7 runs in 5\n"
							      " 120-190 8 not seen\n"
							      "190-200 7 queue\n"
							      "200-210 7 runs in 5\n"
							      "210-220 7 runs outside\n");
	}
}

static void recognizes_devices(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ SWITCH, 120, 0, 7, 0, S },
		{ SWITCH, 125, 1, 0, 8, R },
		{ IRQ, 150, 1, 8, 24 },
		{ WAKING, 155, 1, 8, 7, IN_IRQ },
		{ IRQ_END, 157, 1, 8, 24 },
		{ SWITCH, 160, 0, 0, 7, R },
		/* An interrupt during its run, and a softirq raised by that. */
		{ IRQ, 170, 0, 7, 24 },
		{ IRQ_END, 175, 0, 7, 24 },
		{ SOFT, 175, 0, 7, 3 },
		{ SOFT_END, 180, 0, 7, 3 },
		{ SWITCH, 190, 0, 7, 0, S },
		{ SOFT, 200, 0, 0, 3 },
		{ WAKING, 201, 0, 0, 7, IN_SOFT },
		{ SOFT_END, 202, 0, 0, 3 },
		{ SWITCH, 203, 0, 0, 7, R },
		{ SWITCH, 210, 0, 7, 0, S },
		/* It is unknown which interrupt this is. */
		{ WAKING, 220, 0, 0, 7, IN_IRQ },
		{ SWITCH, 220, 0, 0, 7, R },
		{ SWITCH, 230, 0, 7, 0, S },
		{ WAKING, 240, 0, 0, 7 },
		{ SWITCH, 240, 0, 0, 7, R },
		{ 0 },
	};

	check(steps, 7,
	      "100-120 7 runs\n"
	      "120-150 7 awaits irq\n"
	      "150-155 irq served\n"
	      "155-160 7 queue behind idle\n"
	      "160-170 7 runs\n"
	      "170-175 irq served\n"
	      "175-180 softirq served\n"
	      "180-190 7 runs\n"
	      "190-200 7 awaits softirq\n"
	      "200-201 softirq served\n"
	      "201-203 7 queue behind idle\n"
	      "203-210 7 runs\n"
	      "210-220 7 awaits irq\n"
	      "220-230 7 runs\n"
	      "230-240 7 idle waker\n");
}

static void recognizes_timers(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ SWITCH, 120, 0, 7, 0, S },
		{ IRQ, 150, 0, 0, 236, .name = "local_timer_entry", .system = "irq_vectors" },
		{ WAKING, 155, 0, 0, 7, IN_IRQ },
		{ IRQ_END, 157, 0, 0, 236, .name = "local_timer_exit", .system = "irq_vectors" },
		{ SWITCH, 160, 0, 0, 7, R },
		{ SWITCH, 170, 0, 7, 0, S },
		{ TIMER, 180, 0, 0 },
		{ WAKING, 180, 0, 0, 7, IN_IRQ },
		{ TIMER_END, 180, 0, 0 },
		{ SWITCH, 180, 0, 0, 7, R },
		/* It requests to sleep, and an unknown interrupt wakes it. */
		{ CALL, 190, 0, 7, 35, .name = "sys_enter_nanosleep" },
		{ SWITCH, 200, 0, 7, 0, S },
		{ WAKING, 210, 0, 0, 7, IN_IRQ },
		{ SWITCH, 210, 0, 0, 7, R },
		{ SWITCH, 215, 0, 7, 0, S },
		{ SOFT, 220, 0, 0, 1 },
		{ WAKING, 220, 0, 0, 7, IN_SOFT },
		{ SWITCH, 220, 0, 0, 7, R },
		{ 0 },
	};

	check(steps, 7,
	      "100-120 7 runs\n"
	      "120-150 7 awaits timer\n"
	      "150-155 timer served\n"
	      "155-160 7 queue behind idle\n"
	      "160-170 7 runs\n"
	      "170-180 7 awaits timer\n"
	      "180-190 7 runs\n"
	      "190-200 7 runs in 35\n"
	      "200-210 7 awaits timer in 35\n"
	      "210-215 7 runs in 35\n"
	      "215-220 7 awaits timer in 35\n");
}

/*
 * A request issued by the task itself; then one issued for it by 9, which waits for a CPU first.
 */
static void recognizes_disk_requests(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ ISSUE, 110, 0, 7, 1000 },
		{ SWITCH, 120, 0, 7, 0, D },
		{ IRQ, 150, 0, 0, 24 },
		{ COMPLETE, 152, 0, 0, 1000, IN_IRQ },
		{ WAKING, 155, 0, 0, 7, IN_IRQ },
		{ IRQ_END, 157, 0, 0, 24 },
		{ SWITCH, 157, 0, 0, 7, R },
		{ WAKING, 160, 0, 7, 9 },
		{ SWITCH, 170, 0, 7, 8, D },
		{ SWITCH, 180, 0, 8, 9, S },
		{ ISSUE, 190, 0, 9, 2000 },
		{ SWITCH, 200, 0, 9, 0, S },
		{ COMPLETE, 220, 0, 0, 2000, IN_SOFT },
		{ WAKING, 221, 0, 0, 7, IN_SOFT },
		{ SWITCH, 221, 0, 0, 7, R },
		/* Issued by an interrupt, for an unknown reason. */
		{ SWITCH, 230, 0, 7, 0, D },
		{ ISSUE, 240, 0, 0, 3000, IN_SOFT },
		{ COMPLETE, 250, 0, 0, 3000, IN_IRQ },
		{ WAKING, 250, 0, 0, 7, IN_IRQ },
		{ SWITCH, 250, 0, 0, 7, R },
		{ 0 },
	};

	check(steps, 7,
	      "100-120 7 runs\n"
	      "120-152 7 awaits disk\n"
	      "152-155 disk served\n"
	      "155-157 7 queue behind idle\n"
	      "157-170 7 runs\n"
	      " 170-180 9 queue behind 8\n"
	      " 180-190 9 runs\n"
	      "190-220 7 awaits disk\n"
	      "220-221 disk served\n"
	      "221-230 7 runs\n"
	      "230-240 7 before request\n"
	      "240-250 7 awaits disk\n");
}

/* 8 began to wait for 9 before 7 waits for 8, and returns on another CPU. */
static void considers_only_the_wait_itself(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ SWITCH, 101, 1, 0, 8, R },
		{ SWITCH, 105, 1, 8, 9, S },
		{ SWITCH, 120, 0, 7, 0, S },
		{ WAKING, 140, 1, 9, 8 },
		{ SWITCH, 150, 0, 0, 8, R },
		/* 8 is preempted, and migrates to the CPU of 9. */
		{ SWITCH, 160, 0, 8, 6, R },
		{ SWITCH, 170, 1, 9, 8, S },
		{ WAKING, 190, 1, 8, 7 },
		{ SWITCH, 200, 1, 8, 7, S },
		{ SWITCH, 210, 1, 7, 0, X },
		{ 0 },
	};

	check(steps, 7,
	      "100-120 7 runs\n"
	      "  120-140 9 runs\n"
	      " 140-150 8 queue behind idle\n"
	      " 150-160 8 runs\n"
	      " 160-170 8 queue behind 9\n"
	      " 170-190 8 runs\n"
	      "190-200 7 queue behind 8\n"
	      "200-210 7 runs\n");
}

static void does_not_guess(void **state)
{
	static const struct step lost[] = {
		{ SWITCH, 100, 0, 0, 7, R }, { SWITCH, 101, 1, 0, 8, R },
		{ SWITCH, 120, 0, 7, 0, S }, { OTHER, 130, 1, 8, .missed = 3 },
		{ WAKING, 150, 1, 8, 7 },    { SWITCH, 160, 0, 0, 7, R },
		{ CALL, 165, 0, 7, 5 },	     { OTHER, 170, 0, 7, .missed = 3 },
		{ END, 175, 0, 7, 5 },	     { SWITCH, 180, 0, 7, 0, S },
		{ WAKING, 190, 1, 8, 7 },    { 0 },
	};
	/* No wakeup is recorded; it wakes itself; it waits for a task that waits for it. */
	static const struct step strange[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ SWITCH, 120, 0, 7, 0, S },
		{ SWITCH, 130, 0, 0, 7, R },
		{ SWITCH, 140, 0, 7, 0, S },
		{ WAKING, 150, 0, 7, 7 },
		{ SWITCH, 150, 0, 0, 7, R },
		{ SWITCH, 155, 1, 0, 8, R },
		{ SWITCH, 160, 1, 8, 0, S },
		{ SWITCH, 170, 0, 7, 0, S },
		{ WAKING, 180, 1, 8, 7 },
		{ SWITCH, 180, 0, 0, 7, R },
		{ SWITCH, 190, 0, 7, 0, S },
		{ OTHER, 200 },
		{ 0 },
	};

	check(lost, 7,
	      "100-120 7 runs\n"
	      "120-150 7 not seen\n"
	      "150-160 7 queue behind idle\n"
	      "160-165 7 runs\n"
	      "165-180 7 not seen\n"
	      " 180-190 8 not seen\n");
	check(strange, 7,
	      "100-120 7 runs\n"
	      "120-130 7 no waker\n"
	      "130-140 7 runs\n"
	      "140-150 7 no waker\n"
	      "150-170 7 runs\n"
	      " 170-180 8 not seen\n"
	      "180-190 7 runs\n"
	      "190-200 7 not over\n");
}

/* A task that existed before the first event either waited or ran. */
static void infers_initial_states(void **state)
{
	static const struct step waits[] = {
		{ OTHER, 100, 0, 8 },	     { SWITCH, 110, 0, 8, 9, S }, { WAKING, 120, 0, 9, 7 },
		{ SWITCH, 130, 0, 9, 7, S }, { SWITCH, 140, 0, 7, 0, X }, { 0 },
	};
	static const struct step wakes[] = {
		{ OTHER, 100, 0, 9 },
		{ WAKING, 120, 0, 9, 7 },
		{ SWITCH, 130, 0, 9, 7, S },
		{ SWITCH, 140, 0, 7, 0, X },
		{ 0 },
	};
	static const struct step runs[] = {
		{ OTHER, 100, 0, 7 },
		{ CALL, 110, 0, 7, 5 },
		{ CALL, 115, 0, 7, 5 },
		{ SWITCH, 120, 0, 7, 0, X },
		{ 0 },
	};
	static const struct step only_runs[] = {
		{ CALL, 100, 0, 7, 5 },
		{ END, 110, 0, 7, 5 },
		{ OTHER, 120, 0, 7 },
		{ 0 },
	};
	static const struct step lost[] = {
		{ OTHER, 100, 0, 8 },
		{ OTHER, 110, 0, 9, .missed = 1 },
		{ WAKING, 120, 0, 9, 7 },
		{ SWITCH, 130, 0, 9, 7, S },
		{ 0 },
	};

	check(wakes, 7, " 100-120 9 runs\n120-130 7 queue behind 9\n130-140 7 runs\n");
	check(waits, 7,
	      " 100-110 9 not seen\n"
	      " 110-120 9 runs\n"
	      "120-130 7 queue behind 9\n"
	      "130-140 7 runs\n");
	check(waits, 8,
	      "100-110 8 runs\n"
	      "110-140 8 not over\n");
	check(runs, 7,
	      "100-110 7 runs\n"
	      "110-120 7 runs in 5\n");
	check(only_runs, 7, "100-110 7 runs in 5\n110-120 7 runs\n");
	check(lost, 7,
	      "100-120 7 not seen\n"
	      "120-130 7 queue behind 9\n");
}

/* 6 creates 7, which creates 8, for which 6 waits. */
static const struct step family[] = {
	{ SWITCH, 100, 0, 0, 6, R }, { FORK, 110, 0, 6, 7 },   { NEW, 115, 0, 6, 7 },
	{ SWITCH, 120, 0, 6, 7, S }, { FORK, 130, 0, 7, 8 },   { NEW, 135, 0, 7, 8 },
	{ SWITCH, 140, 0, 7, 8, S }, { WAKING, 150, 0, 8, 6 }, { SWITCH, 160, 0, 8, 6, X },
	{ SWITCH, 170, 0, 6, 0, X }, { OTHER, 180 },	       { 0 },
};

static void follows_parents(void **state)
{
	static const char all[] = "100-110 6 runs\n"
				  " 110-115 6 runs\n"
				  "115-120 7 queue behind 6\n"
				  "120-130 7 runs\n"
				  " 130-135 7 runs\n"
				  "135-140 8 queue behind 7\n"
				  "140-160 8 runs\n";
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	/* Before 8 existed, the path is that of 7; before that, 6 itself waited. */
	check(family, 6,
	      "100-120 6 runs\n"
	      " 120-130 7 runs\n"
	      "  130-135 7 runs\n"
	      " 135-140 8 queue behind 7\n"
	      " 140-150 8 runs\n"
	      "150-160 6 queue behind 8\n"
	      "160-170 6 runs\n");
	check(family, 8,
	      " 130-135 7 runs\n"
	      "135-140 8 queue behind 7\n"
	      "140-160 8 runs\n");
	if (succeeds(run(family, 8, true, 0, &buf) == 0))
		assert_string_equal(strbuf_str(&buf), all);
}

/* Without a fork event, the first wakeup shows the parent. */
static void recognizes_new_tasks_by_their_wakeup(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 6, R },
		{ NEW, 115, 0, 6, 7 },
		{ SWITCH, 120, 0, 6, 7, S },
		{ WAKING, 150, 0, 7, 6 },
		{ SWITCH, 160, 0, 7, 6, X },
		{ NEW, 170, 0, 6, 7 },
		{ SWITCH, 180, 0, 6, 7, S },
		{ SWITCH, 190, 0, 7, 0, X },
		{ 0 },
	};

	check(steps, 7, "115-120 7 queue behind 6\n120-160 7 runs\n");
	check(steps, 6,
	      "100-120 6 runs\n"
	      " 120-150 7 runs\n"
	      "150-160 6 queue behind 7\n"
	      "160-180 6 runs\n"
	      "180-190 6 not over\n");
}

static void names_functions(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },	 { FUNC, 110, 0, 7, 0x1000 },
		{ SWITCH, 120, 0, 7, 8, S },	 { FUNC, 130, 0, 8, 0x2000 },
		{ FUNC_END, 140, 0, 8, 0x2000 }, { WAKING, 150, 0, 8, 7 },
		{ SWITCH, 150, 0, 8, 7, S },	 { FUNC_END, 160, 0, 7, 0x1000 },
		{ SWITCH, 170, 0, 7, 0, X },	 { 0 },
	};

	check(steps, 7,
	      "100-110 7 runs\n"
	      "110-120 7 runs in func\n"
	      " 120-130 8 runs\n"
	      " 130-140 8 runs in func\n"
	      " 140-150 8 runs\n"
	      "150-160 7 runs in func\n"
	      "160-170 7 runs\n");
}

/* Each waits for the next one, at the same time. */
static void chains_are_finite(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct step steps[2 * 60 + 3] = { 0 };
	size_t n = 0;
	const char *deepest;

	steps[n++] = (struct step){ SWITCH, 100, 0, 0, 100, R };
	for (int32_t i = 0; i < 59; i++)
		steps[n++] = (struct step){ SWITCH, 101 + (uint64_t)i, 0, 100 + i, 101 + i, S };
	for (int32_t i = 59; i > 0; i--)
		steps[n++] = (struct step){ WAKING, 300 - (uint64_t)i, 1, 100 + i, 99 + i };
	require(run(steps, 100, false, 0, &buf) >= 0);
	deepest = strstr(strbuf_str(&buf), " deep\n");
	assert_non_null(deepest);
}

static void drops_a_full_log(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	static const struct step steps[] = {
		{ SWITCH, 100, 0, 0, 7, R },
		{ SWITCH, 120, 0, 7, 8, S },
		{ CALL, 130, 0, 8, 1 },
		{ END, 140, 0, 8, 1 },
		{ CALL, 150, 0, 8, 1 },
		{ END, 160, 0, 8, 1 },
		{ CALL, 170, 0, 8, 1 },
		{ END, 180, 0, 8, 1 },
		{ WAKING, 185, 0, 8, 7 },
		{ SWITCH, 190, 0, 8, 7, S },
		{ CALL, 200, 0, 7, 2 },
		{ END, 210, 0, 7, 2 },
		{ CALL, 220, 0, 7, 2 },
		{ END, 230, 0, 7, 2 },
		{ CALL, 240, 0, 7, 2 },
		{ END, 250, 0, 7, 2 },
		{ CALL, 260, 0, 7, 2 },
		{ SWITCH, 270, 0, 7, 0, X },
		{ 0 },
	};

	/* The activity of the task itself is always kept. */
	if (succeeds(run(steps, 7, false, 5, &buf) == 0))
		assert_string_equal(strbuf_str(&buf), "100-120 7 runs\n"
						      "120-180 7 forgotten\n"
						      " 180-185 8 runs\n"
						      "185-190 7 queue behind 8\n"
						      "190-200 7 runs\n"
						      "200-210 7 runs in 2\n"
						      "210-220 7 runs\n"
						      "220-230 7 runs in 2\n"
						      "230-240 7 runs\n"
						      "240-250 7 runs in 2\n"
						      "250-260 7 runs\n"
						      "260-270 7 runs in 2\n");
}

static int run_family(void *arg)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	return run(arg, 8, true, 0, &buf);
}

static void survives_failing_allocations(void **state)
{
	oom_check(run_family, (void *)chain);
	oom_check(run_family, (void *)family);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_wakers),
		cmocka_unit_test(clips_at_window_borders),
		cmocka_unit_test(unrecorded_tasks_are_unknown),
		cmocka_unit_test(recognizes_devices),
		cmocka_unit_test(recognizes_timers),
		cmocka_unit_test(recognizes_disk_requests),
		cmocka_unit_test(considers_only_the_wait_itself),
		cmocka_unit_test(does_not_guess),
		cmocka_unit_test(infers_initial_states),
		cmocka_unit_test(follows_parents),
		cmocka_unit_test(recognizes_new_tasks_by_their_wakeup),
		cmocka_unit_test(names_functions),
		cmocka_unit_test(chains_are_finite),
		cmocka_unit_test(drops_a_full_log),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
