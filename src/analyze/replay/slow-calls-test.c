/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "expect-text.h"
#include "step.h"
#include "test.h"

#include "analyze/replay/replay.h"
#include "analyze/replay/slow-calls.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "symbols/kernel/kallsyms.h"

static const char symbols[] = "1000 t vfs_read\n"
			      "2000 t pipe_read\n"
			      "3000 t copy\n"
			      "4000 t __x64_sys_read\n"
			      "5000 t schedule_timeout\n"
			      "6000 t other\n"
			      "7000 t end\n";

enum {
	VFS_READ = 0x1000,
	PIPE_READ = 0x2000,
	COPY = 0x3000,
	SYS_READ = 0x4000,
	SCHEDULE = 0x5000,
	OTHER = 0x6000,
};

#define GONE DECODED_TASK_EXIT

struct bench {
	struct replay *replay;
	struct slow_calls calls;
	struct kallsyms kallsyms;
};

static void feed(struct bench *bench, const struct step *step)
{
	struct event_format format = { .name = step->kind == EXIT ? "sys_exit_read" :
								    "sys_enter_read",
				       .system = "syscalls" };
	struct event_entry entry = { .format = &format };
	struct decoded_event decoded;
	struct fathom_event event;

	step_decode(step, &event, &decoded);
	decoded.entry = &entry;
	event.data = "";
	event.size = 1;
	event.id = 1;
	slow_calls_feed(&bench->calls, &decoded);
	replay_feed(bench->replay, &decoded);
}

static void put_wait(struct strbuf *buf, const struct task_states *states,
		     const struct task_span *span)
{
	strbuf_addf(buf, "by %d",
		    span->waker.kind == WAKER_TASK ? states->tasks[span->waker.number]->pid : 0);
}

static void put(const struct slow_calls *calls, struct strbuf *text)
{
	for (size_t i = 0; i < calls->n; i++) {
		const struct slow_call *call = &calls->found[i];

		strbuf_addf(text, "%d: %s = %d x%d took %d", call->pid, call->text,
			    (int)call->result, (int)call->count, (int)call->total);
		strbuf_addf(text, " asleep %d queued %d running %d%s\n", (int)call->asleep,
			    (int)call->runnable, (int)slow_call_running(call),
			    call->goes_on ? " goes on" : "");
		for (size_t j = 0; j < call->n_steps; j++)
			strbuf_addf(text, " %s x%d %d asleep %d\n", call->steps[j].name,
				    (int)call->steps[j].calls, (int)call->steps[j].total,
				    (int)call->steps[j].asleep);
		for (size_t j = 0; j < call->n_waits; j++)
			strbuf_addf(text, " waited %d x%d in %s %s%s%s\n",
				    (int)call->waits[j].total, (int)call->waits[j].count,
				    call->waits[j].in ?: "?", call->waits[j].text,
				    call->waits[j].varies ? " and others" : "",
				    call->waits[j].goes_on ? " goes on" : "");
	}
}

static int print(const struct step *steps, uint64_t min, struct strbuf *text)
{
	struct bench bench = { .calls = { .min = min } };
	struct replay_options options = { .kallsyms = &bench.kallsyms,
					  .depth = 100,
					  .no_events = true,
					  .each = true,
					  .put_wait = put_wait,
					  .take = slow_calls_take,
					  .take_data = &bench.calls };
	int r = kallsyms_init(&bench.kallsyms, symbols, strlen(symbols)), q;

	if (r < 0)
		return r;
	r = replay_new(&options, &bench.replay);
	if (r == 0) {
		for (const struct step *step = steps; step->time; step++)
			feed(&bench, step);
		bench.calls.at_end = true;
		r = replay_finish(bench.replay);
		q = slow_calls_finish(&bench.calls);
		r = r ?: q;
		put(&bench.calls, text);
		replay_free(bench.replay);
	}
	slow_calls_done(&bench.calls);
	kallsyms_done(&bench.kallsyms);
	return r ?: text->err;
}

static void expect(const struct step *steps, uint64_t min, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = print(steps, min, &text);

	expect_text(r, &text, wanted);
}

/* A read that waits for another task, and one that does not. */
static const struct step waits[] = {
	{ ENTRY, 100, 7, 0 },
	{ CALL, 110, 7, SYS_READ, 0 },
	{ CALL, 120, 7, VFS_READ, 1 },
	{ CALL, 130, 7, PIPE_READ, 2 },
	{ CALL, 135, 7, SCHEDULE, 3 },
	{ SWITCH, 140, 7, 8, TASK_STATE_SLEEPING },
	{ WAKING, 900, 8, 7 },
	{ SWITCH, 950, 8, 7, TASK_STATE_SLEEPING },
	{ RETURN, 960, 7, SCHEDULE, 3, 825 },
	{ RETURN, 970, 7, PIPE_READ, 2, 840 },
	{ RETURN, 980, 7, VFS_READ, 1, 860 },
	{ RETURN, 990, 7, SYS_READ, 0, 880 },
	{ EXIT, 1100, 7, 0, 5 },
	{ ENTRY, 1200, 7, 0 },
	{ CALL, 1210, 7, SYS_READ, 0 },
	{ CALL, 1220, 7, VFS_READ, 1 },
	{ RETURN, 1280, 7, VFS_READ, 1, 60 },
	{ RETURN, 1290, 7, SYS_READ, 0, 80 },
	{ EXIT, 1300, 7, 0, 5 },
	{ 0 },
};

static void finds_the_waiting_function(void **state)
{
	expect(waits, 500,
	       "7: read(?) = 5 x1 took 1000 asleep 760 queued 50 running 190\n"
	       " vfs_read x1 860 asleep 810\n"
	       " pipe_read x1 840 asleep 810\n"
	       " waited 760 x1 in pipe_read by 8\n"
	       " waited 50 x1 in ? by 0\n");
	expect(waits, 1001, "");
}

/* No single call of copy() took long, but together they did; their shapes differ. */
static const struct step works[] = {
	{ ENTRY, 100, 7, 0 },
	{ CALL, 110, 7, SYS_READ, 0 },
	{ CALL, 120, 7, VFS_READ, 1 },
	{ CALL, 130, 7, COPY, 2 },
	{ RETURN, 330, 7, COPY, 2, 200 },
	{ CALL, 330, 7, OTHER, 2 },
	{ RETURN, 630, 7, OTHER, 2, 300 },
	{ CALL, 640, 7, COPY, 2 },
	{ CALL, 650, 7, PIPE_READ, 3 },
	{ RETURN, 660, 7, PIPE_READ, 3, 10 },
	{ RETURN, 940, 7, COPY, 2, 300 },
	{ RETURN, 980, 7, VFS_READ, 1, 860 },
	{ RETURN, 990, 7, SYS_READ, 0, 880 },
	{ EXIT, 1000, 7, 0, 5 },
	{ 0 },
};

static void sums_repeated_calls(void **state)
{
	expect(works, 100,
	       "7: read(?) = 5 x1 took 900 asleep 0 queued 0 running 900\n"
	       " vfs_read x1 860 asleep 0\n"
	       " copy x2 500 asleep 0\n");
}

/* The same call again, and a different one. */
static const struct step often[] = {
	{ ENTRY, 100, 7, 0 },
	{ CALL, 110, 7, VFS_READ, 0 },
	{ RETURN, 190, 7, VFS_READ, 0, 80 },
	{ EXIT, 200, 7, 0, 5 },
	{ ENTRY, 300, 7, 0 },
	{ CALL, 310, 7, VFS_READ, 0 },
	{ RETURN, 590, 7, VFS_READ, 0, 280 },
	{ EXIT, 600, 7, 0, 5 },
	{ ENTRY, 700, 7, 0 },
	{ CALL, 710, 7, VFS_READ, 0 },
	{ RETURN, 720, 7, VFS_READ, 0, 10 },
	{ EXIT, 730, 7, 0, 5 },
	{ ENTRY, 800, 7, 0 },
	{ CALL, 810, 7, COPY, 0 },
	{ RETURN, 1790, 7, COPY, 0, 980 },
	{ EXIT, 1800, 7, 0, 5 },
	{ 0 },
};

static void merges_equal_calls(void **state)
{
	/* The third one is below the minimum, and not counted. */
	expect(often, 100,
	       "7: read(?) = 5 x1 took 1000 asleep 0 queued 0 running 1000\n"
	       " copy x1 980 asleep 0\n"
	       "7: read(?) = 5 x2 took 400 asleep 0 queued 0 running 400\n"
	       " vfs_read x2 360 asleep 0\n");
}

static const struct step hangs[] = {
	{ ENTRY, 100, 7, 0 },
	{ CALL, 130, 7, PIPE_READ, 0 },
	{ SWITCH, 140, 7, 8, TASK_STATE_SLEEPING },
	{ SWITCH, 1100, 8, 9, TASK_STATE_SLEEPING },
	{ 0 },
};

static void reports_calls_that_have_not_ended(void **state)
{
	expect(hangs, 900,
	       "7: read(?) = 0 x1 took 1000 asleep 960 queued 0 running 40 goes on\n"
	       " pipe_read x1 970 asleep 0\n"
	       " waited 960 x1 in pipe_read by 0 goes on\n");
}

/* A task that has ended no longer waits. */
static const struct step dies[] = {
	{ ENTRY, 100, 7, 0 },
	{ CALL, 130, 7, PIPE_READ, 0 },
	{ GONE, 150, 7, 7 },
	{ SWITCH, 160, 7, 8, TASK_STATE_DEAD },
	{ SWITCH, 1100, 8, 9, TASK_STATE_SLEEPING },
	{ 0 },
};

static void dead_tasks_do_not_wait(void **state)
{
	expect(dies, 900, "");
}

/* More waits than are kept: the longest stay. */
static void keeps_the_longest_waits(void **state)
{
	static const uint64_t funcs[] = { VFS_READ, COPY, OTHER, SYS_READ, PIPE_READ };
	struct step steps[100] = { { ENTRY, 100, 7, 0 } };
	size_t n = 1;
	uint64_t time = 200;

	for (uint64_t i = 0; i < ARRAY_SIZE(funcs); i++, time += 1000) {
		uint64_t end = time + 100 * (i + 1);

		steps[n++] = (struct step){ CALL, time, 7, funcs[i], 0 };
		steps[n++] = (struct step){ SWITCH, time, 7, 8, TASK_STATE_SLEEPING };
		steps[n++] = (struct step){ WAKING, end, 8, 7 };
		steps[n++] = (struct step){ SWITCH, end, 8, 7, TASK_STATE_SLEEPING };
		steps[n++] = (struct step){ RETURN, end, 7, funcs[i], 0, end - time };
	}
	steps[n++] = (struct step){ EXIT, time, 7, 0, 5 };
	expect(steps, 100,
	       "7: read(?) = 5 x1 took 5100 asleep 1500 queued 0 running 3600\n"
	       " waited 500 x1 in pipe_read by 8\n"
	       " waited 400 x1 in ? by 8\n"
	       " waited 300 x1 in other by 8\n"
	       " waited 200 x1 in copy by 8\n");
}

static int print_once(void *arg)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return print(arg, 100, &text);
}

static void survives_failing_allocations(void **state)
{
	oom_check(print_once, (void *)waits);
	oom_check(print_once, (void *)often);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_waiting_function),
		cmocka_unit_test(sums_repeated_calls),
		cmocka_unit_test(merges_equal_calls),
		cmocka_unit_test(reports_calls_that_have_not_ended),
		cmocka_unit_test(dead_tasks_do_not_wait),
		cmocka_unit_test(keeps_the_longest_waits),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
