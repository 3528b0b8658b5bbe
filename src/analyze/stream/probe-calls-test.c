/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "expect-text.h"
#include "test.h"

#include "analyze/stream/probe-calls.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define HIT	DECODED_PROBE
#define RETURN	DECODED_PROBE_RETURN
#define SYSCALL DECODED_SYSCALL_ENTRY
#define GRAPH	DECODED_CALL

struct step {
	enum decoded_kind kind;
	uint64_t time;
	int32_t pid;
	uint64_t func;
	uint64_t missed;
};

static int turn(const struct step *steps, struct strbuf *text)
{
	struct probe_calls calls = { 0 };
	int r;

	for (; steps->time; steps++) {
		struct fathom_event event = { .time = steps->time,
					      .pid = steps->pid,
					      .missed = steps->missed };
		struct decoded_event decoded = { .kind = steps->kind,
						 .event = &event,
						 .call.func = steps->func };

		probe_calls_turn(&calls, &decoded);
		if (decoded.kind == DECODED_CALL)
			strbuf_addf(text, "%llu %d calls %llx at %d\n",
				    (unsigned long long)steps->time, steps->pid,
				    (unsigned long long)steps->func, decoded.call.depth);
		else if (decoded.kind == DECODED_RETURN)
			strbuf_addf(text, "%llu %d returns from %llx at %d after %llu\n",
				    (unsigned long long)steps->time, steps->pid,
				    (unsigned long long)steps->func, decoded.call.depth,
				    (unsigned long long)decoded.call.duration);
		else if (decoded.kind != DECODED_OTHER && decoded.kind != SYSCALL)
			strbuf_addf(text, "%d is left\n", decoded.kind);
	}
	r = calls.nomem ? -ENOMEM : text->err;
	probe_calls_done(&calls);
	return r;
}

static void expect(const struct step *steps, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = turn(steps, &text);

	expect_text(r, &text, wanted);
}

static const struct step usual[] = {
	{ HIT, 100, 7, 0xa },
	{ HIT, 110, 7, 0xb },
	{ RETURN, 120, 7, 0xb },
	{ RETURN, 130, 7, 0xa },
	{ HIT, 200, 7, 0xa },
	{ HIT, 205, 8, 0xa },
	{ HIT, 210, 7, 0xb },
	{ HIT, 212, 7, 0xc },
	{ RETURN, 220, 7, 0xb },
	{ RETURN, 230, 7, 0xa },
	{ RETURN, 240, 8, 0xa },
	{ RETURN, 250, 8, 0xa },
	{ 0 },
};

/* A function becomes a call after its first exit; c never exits, and is not a call. */
static void turns_probe_hits_into_calls(void **state)
{
	expect(usual, "200 7 calls a at 0\n"
		      "205 8 calls a at 0\n"
		      "210 7 calls b at 1\n"
		      "220 7 returns from b at 1 after 10\n"
		      "230 7 returns from a at 0 after 30\n"
		      "240 8 returns from a at 0 after 35\n");
}

static void drops_calls_that_may_have_ended(void **state)
{
	static const struct step steps[] = {
		{ RETURN, 90, 7, 0xa },	 { RETURN, 91, 7, 0xb },  { HIT, 100, 7, 0xa },
		{ HIT, 110, 7, 0xb },	 { RETURN, 120, 7, 0xa }, { RETURN, 130, 7, 0xb },
		{ HIT, 200, 7, 0xa },	 { HIT, 210, 8, 0xb, 5 }, { RETURN, 220, 7, 0xa },
		{ RETURN, 230, 8, 0xb }, { HIT, 300, 7, 0xa },	  { SYSCALL, 310, 7 },
		{ HIT, 320, 7, 0xb },	 { RETURN, 330, 7, 0xb }, { 0 },
	};

	expect(steps, "100 7 calls a at 0\n"
		      "110 7 calls b at 1\n"
		      "120 7 returns from a at 0 after 20\n"
		      "200 7 calls a at 0\n"
		      "210 8 calls b at 0\n"
		      "230 8 returns from b at 0 after 20\n"
		      "300 7 calls a at 0\n"
		      "320 7 calls b at 0\n"
		      "330 7 returns from b at 0 after 10\n");
}

static void ignores_probes_alongside_function_graph(void **state)
{
	static const struct step steps[] = { { RETURN, 90, 7, 0xa },
					     { GRAPH, 100, 7, 0xf },
					     { HIT, 110, 7, 0xa },
					     { RETURN, 120, 7, 0xa },
					     { 0 } };

	expect(steps, "100 7 calls f at 0\n");
}

/* Missed exits don't make a task's nesting grow without bound. */
static void nesting_is_bounded(void **state)
{
	struct probe_calls calls = { 0 };
	struct fathom_event event = { .time = 1, .pid = 7 };
	struct decoded_event decoded = { .kind = RETURN, .event = &event };
	int deepest = 0;

	probe_calls_turn(&calls, &decoded);
	for (int i = 0; i < 100000; i++) {
		decoded = (struct decoded_event){ .kind = HIT, .event = &event };
		probe_calls_turn(&calls, &decoded);
		if (decoded.kind == DECODED_CALL && decoded.call.depth > deepest)
			deepest = decoded.call.depth;
	}
	assert_true(deepest < 1000);
	probe_calls_done(&calls);
}

static int turn_once(void *arg)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return turn(arg, &text);
}

static void survives_failing_allocations(void **state)
{
	oom_check(turn_once, (void *)usual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_probe_hits_into_calls),
		cmocka_unit_test(drops_calls_that_may_have_ended),
		cmocka_unit_test(ignores_probes_alongside_function_graph),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
