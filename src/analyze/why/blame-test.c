/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include "analyze/why/blame.h"
#include "analyze/why/meanings.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"

static const char symbols[] = "1000 t sys\n"
			      "1100 t walk\n"
			      "1200 t permission\n"
			      "1300 t check\n"
			      "1400 t capable\n"
			      "1500 t ask\n"
			      "1600 t pass\n"
			      "1700 t find\n"
			      "1800 t filter\n"
			      "1900 t sticky\n"
			      "3000 T __irqentry_text_start\n"
			      "3010 t interrupt\n"
			      "4000 T __irqentry_text_end\n"
			      "5000 t end\n";

enum {
	SYS = 0x1000,
	WALK = 0x1100,
	PERMISSION = 0x1200,
	CHECK = 0x1300,
	CAPABLE = 0x1400,
	ASK = 0x1500,
	PASS = 0x1600,
	FIND = 0x1700,
	FILTER = 0x1800,
	STICKY = 0x1900,
	INTERRUPT = 0x3010,
};

static const char rules[] = "check: check\nzero EPERM: capable\nquestion: ask\npasses: pass\n"
			    "through: find\nswaps: filter\none EPERM: sticky\n"
			    "becomes ENOIOCTLCMD ENOTTY: nobody knows it\n";

#define UNKNOWN INT64_MAX

/* A call (depth, function) or an exit (with the result). */
struct step {
	enum decoded_kind kind;
	int depth;
	uint64_t func;
	int64_t result;
	uint64_t missed;
	uint32_t cpu;
};

#define CALL(depth, func)                 \
	{                                 \
		DECODED_CALL, depth, func \
	}
#define END(depth, func, result)                    \
	{                                           \
		DECODED_RETURN, depth, func, result \
	}

static int feed(struct blame *blame, const struct step *steps, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct fathom_event event = { .time = i + 1,
					      .pid = steps[i].kind == DECODED_OTHER ? 8 : 7,
					      .cpu = steps[i].cpu,
					      .missed = steps[i].missed };
		struct decoded_event decoded = {
			.kind = steps[i].kind,
			.event = &event,
			.call = { .func = steps[i].func,
				  .depth = steps[i].depth,
				  .result = steps[i].result,
				  .has_more = steps[i].kind == DECODED_RETURN &&
					      steps[i].result != UNKNOWN },
		};

		if (decoded.kind == DECODED_CAPABILITY)
			decoded.amount.value = steps[i].func;
		blame_feed(blame, &decoded);
	}
	return 0;
}

/* "sys > walk(check -1) > permission", with earlier checks in parentheses. */
static void put(const struct blame *blame, const struct blame_step *step, struct strbuf *text)
{
	if (!step)
		strbuf_adds(text, "nobody");
	for (; step; step = step->inner) {
		strbuf_addf(text, "%s%s %d", blame->funcs.list[step->func].name ?: "unnamed",
			    step->is_check ? "?" : "", step->error);
		for (unsigned i = 0; i < step->n_checks; i++)
			strbuf_addf(text, " (%s%s%d)", blame->funcs.list[step->checks[i].func].name,
				    step->checks[i].refused ? " no " : " ",
				    step->checks[i].capability);
		if (step->inner)
			strbuf_adds(text, " > ");
	}
}

static void expect_steps(const struct step *steps, size_t n, int error, const char *expected)
{
	struct kallsyms kallsyms;
	struct meanings *meanings = NULL;
	struct blame blame = { .funcs.kallsyms = &kallsyms };
	struct fathom_err err = { 0 };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = kallsyms_init(&kallsyms, symbols, sizeof(symbols) - 1);

	if (r == 0)
		r = meanings_parse(rules, sizeof(rules) - 1, &meanings, &err);
	if (succeeds(r == 0)) {
		blame.meanings = meanings;
		feed(&blame, steps, n);
		put(&blame, blame_find(&blame, 7, error), &text);
		if (!mem_fault && !blame.nomem)
			assert_string_equal(strbuf_str(&text), expected);
	}
	blame_done(&blame);
	meanings_free(meanings);
	kallsyms_done(&kallsyms);
}

#define expect(steps, error, expected) expect_steps(steps, ARRAY_SIZE(steps), error, expected)

static void finds_the_innermost_function(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),
		CALL(1, WALK),
		CALL(2, CHECK),
		END(2, CHECK, 0),
		CALL(2, PERMISSION),
		END(2, PERMISSION, -EACCES),
		/* An int without sign extension. */
		END(1, WALK, (int64_t)(uint32_t)-EACCES),
		END(0, SYS, -EACCES),
	};

	expect(steps, EACCES, "sys 13 > walk 13 (check -1) > permission 13");
	expect(steps, ENOENT, "nobody");
}

static void a_function_may_have_no_name(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),
		CALL(1, 16),
		END(1, 16, -EACCES),
		END(0, SYS, -EACCES),
	};

	expect(steps, EACCES, "sys 13 > unnamed 13");
}

/* The first attempt ends with another error, and is repeated. */
static void a_retried_attempt_is_not_the_cause(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),	       CALL(1, WALK),
		CALL(2, PERMISSION),   END(2, PERMISSION, -ECHILD),
		END(1, WALK, -ECHILD), CALL(1, WALK),
		END(1, WALK, -EACCES), END(0, SYS, -EACCES),
	};

	expect(steps, EACCES, "sys 13 > walk 13");
}

static void a_handled_error_is_not_the_cause(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),	     CALL(1, WALK),
		CALL(2, PERMISSION), END(2, PERMISSION, -ENOENT),
		END(1, WALK, 0),     END(0, SYS, -ENOENT),
	};

	expect(steps, ENOENT, "sys 2");
}

static void the_later_of_two_errors_counts(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),
		CALL(1, WALK),
		END(1, WALK, -ENOENT),
		CALL(1, PERMISSION),
		END(1, PERMISSION, -ENOENT),
		END(0, SYS, -ENOENT),
	};

	expect(steps, ENOENT, "sys 2 > permission 2");
}

static void passes_errors_through_unknown_functions(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),	       CALL(1, WALK),	     CALL(2, CHECK),
		END(2, CHECK, 0),      CALL(2, PERMISSION),  END(2, PERMISSION, -EACCES),
		END(1, WALK, UNKNOWN), END(0, SYS, -EACCES),
	};

	expect(steps, EACCES, "sys 13 (check -1) > permission 13");
	/* Also before the exit of the call. */
	expect_steps(steps, ARRAY_SIZE(steps) - 1, EACCES, "permission 13");
}

/* The function that checks the capability decides, unless only the check was recorded. */
static void checks_are_not_the_cause(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),	      CALL(1, CAPABLE),
		CALL(2, ASK),	      { DECODED_CAPABILITY, .func = 21 },
		END(2, ASK, -EPERM),  END(1, CAPABLE, 0),
		END(0, SYS, -EACCES),
	};
	static const struct step allowed[] = {
		CALL(0, SYS),
		CALL(1, CAPABLE),
		END(1, CAPABLE, 1),
		END(0, SYS, -EPERM),
	};

	expect(steps, EACCES, "sys 13 (capable no 21)");
	expect(allowed, EPERM, "sys 1 (capable -1)");
	expect_steps(steps, ARRAY_SIZE(steps) - 1, EPERM, "capable? 1 (capable no 21)");
	expect_steps(steps, ARRAY_SIZE(steps) - 1, ENOENT, "nobody");
}

/* Path walking is called with the error of the previous step, and returns it. */
static void returning_an_error_argument_is_not_the_cause(void **state)
{
	static const struct step handed[] = {
		CALL(0, SYS),
		CALL(1, PASS),
		END(1, PASS, -ENOENT),
		END(0, SYS, -ENOENT),
	};
	static const struct step interrupted[] = {
		CALL(0, SYS),	       CALL(1, PASS),	      CALL(2, INTERRUPT),
		CALL(3, WALK),	       END(3, WALK, -ENOENT), END(2, INTERRUPT, UNKNOWN),
		END(1, PASS, -ENOENT), END(0, SYS, -ENOENT),
	};
	static const struct step own[] = {
		CALL(0, SYS),	  CALL(1, PASS),	 CALL(2, CHECK),
		END(2, CHECK, 0), END(1, PASS, -ENOENT), END(0, SYS, -ENOENT),
	};

	expect(handed, ENOENT, "sys 2");
	expect(interrupted, ENOENT, "sys 2");
	expect(own, ENOENT, "sys 2 > pass 2 (check -1)");
}

static void follows_errors_through_pointers(void **state)
{
	static const struct step pointer[] = {
		CALL(0, SYS),	       CALL(1, FIND),	CALL(2, WALK),
		END(2, WALK, -ENOENT), END(1, FIND, 0), END(0, SYS, -ENOENT),
	};
	static const struct step result[] = {
		CALL(0, SYS),	       CALL(1, FIND),	      CALL(2, WALK),
		END(2, WALK, -ENOENT), END(1, FIND, -ENOENT), END(0, SYS, -ENOENT),
	};

	expect(pointer, ENOENT, "sys 2 > walk 2");
	expect(result, ENOENT, "sys 2 > find 2 > walk 2");
}

/* "Is it sticky?" True means refused. */
static void true_can_mean_refusal(void **state)
{
	static const struct step yes[] = {
		CALL(0, SYS),	   CALL(1, WALK),	 CALL(2, STICKY),
		END(2, STICKY, 1), END(1, WALK, -EPERM), END(0, SYS, -EPERM),
	};
	static const struct step no[] = {
		CALL(0, SYS),	   CALL(1, WALK),	 CALL(2, STICKY),
		END(2, STICKY, 0), END(1, WALK, -EPERM), END(0, SYS, -EPERM),
	};

	expect(yes, EPERM, "sys 1 > walk 1 (sticky no -1)");
	expect(no, EPERM, "sys 1 > walk 1 (sticky -1)");
}

/* A filter returns -1, and the program gets the error set in the filter's rules. */
static void the_program_may_get_another_error(void **state)
{
	static const struct step filtered[] = {
		CALL(0, SYS),	  CALL(1, FILTER),    CALL(2, CHECK),
		END(2, CHECK, 0), END(1, FILTER, -1), END(0, SYS, -1),
	};
	static const struct step other[] = {
		CALL(0, SYS),
		CALL(1, WALK),
		END(1, WALK, -1),
		END(0, SYS, -1),
	};

	expect(filtered, ENOSYS, "sys 1 > filter 1 (check -1)");
	expect(other, ENOSYS, "nobody");
}

static void follows_errors_that_change(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),
		CALL(1, WALK),
		END(1, WALK, -515),
		END(0, SYS, -ENOTTY),
	};

	expect(steps, ENOTTY, "sys 25 > walk 515");
}

static void interrupts_are_not_the_cause(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),	       CALL(1, INTERRUPT),	   CALL(2, WALK),
		END(2, WALK, -EACCES), END(1, INTERRUPT, UNKNOWN), END(0, SYS, -EACCES),
	};

	expect(steps, EACCES, "sys 13");
}

static void does_not_guess_after_lost_events(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),
		CALL(1, WALK),
		END(1, WALK, -EACCES),
		{ DECODED_RETURN, 0, SYS, -EACCES, 3 },
	};

	expect(steps, EACCES, "nobody");
}

/* An interrupt comes after the return of walk(), before its exit event. */
static void an_interrupt_may_come_before_the_exit(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),
		CALL(1, WALK),
		CALL(2, PERMISSION),
		END(2, PERMISSION, -EACCES),
		CALL(1, INTERRUPT),
		CALL(2, CAPABLE),
		END(2, CAPABLE, UNKNOWN),
		END(1, INTERRUPT, UNKNOWN),
		END(1, WALK, -EACCES),
		END(0, SYS, -EACCES),
	};

	expect(steps, EACCES, "sys 13 > walk 13 > permission 13");
}

/* Events are missing without a report of lost events. */
static void an_exit_from_another_function_proves_a_gap(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),	       CALL(1, WALK),
		CALL(2, PERMISSION),   END(2, PERMISSION, -EACCES),
		END(1, PASS, -EACCES), END(0, SYS, -EACCES),
	};
	static const struct step later[] = {
		CALL(0, SYS),	     CALL(1, WALK),	  END(1, PASS, -EACCES),
		CALL(1, ASK),	     CALL(2, PERMISSION), END(2, PERMISSION, -EPERM),
		END(1, ASK, 0),	     CALL(1, WALK),	  END(1, WALK, -EPERM),
		END(0, SYS, -EPERM),
	};

	expect(steps, EACCES, "nobody");
	expect(later, EPERM, "sys 1 (ask -1) > walk 1");
}

/* Events were lost on the CPU to which the task migrates, but before the call. */
static void an_earlier_gap_elsewhere_does_not_matter(void **state)
{
	static const struct step steps[] = {
		{ DECODED_OTHER, .missed = 3, .cpu = 1 },
		CALL(0, SYS),
		CALL(1, WALK),
		{ DECODED_RETURN, 1, WALK, -EACCES, .cpu = 1 },
		{ DECODED_RETURN, 0, SYS, -EACCES, .cpu = 1 },
	};

	expect(steps, EACCES, "sys 13 > walk 13");
}

static void lost_samples_do_not_matter(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS),	       CALL(1, WALK),	     { DECODED_SAMPLE, .missed = 3 },
		END(1, WALK, -EACCES), END(0, SYS, -EACCES),
	};

	expect(steps, EACCES, "sys 13 > walk 13");
}

/* An answer in a message: the call continues, and will succeed. */
static void errors_can_be_queried_during_the_call(void **state)
{
	static const struct step steps[] = { CALL(0, SYS), CALL(1, WALK), CALL(2, PERMISSION),
					     END(2, PERMISSION, -EACCES) };
	static const struct step later[] = { END(1, WALK, 0), END(0, SYS, 0) };
	struct kallsyms kallsyms;
	struct blame blame = { .funcs.kallsyms = &kallsyms };
	_cleanup_strbuf_ struct strbuf text = { 0 };

	require(kallsyms_init(&kallsyms, symbols, sizeof(symbols) - 1) == 0);
	feed(&blame, steps, ARRAY_SIZE(steps));
	put(&blame, blame_peek(&blame, 7, EACCES, 0), &text);
	strbuf_adds(&text, ", ");
	put(&blame, blame_peek(&blame, 7, EPERM, 0), &text);
	strbuf_adds(&text, ", ");
	put(&blame, blame_peek(&blame, 8, EACCES, 0), &text);
	feed(&blame, later, ARRAY_SIZE(later));
	strbuf_adds(&text, ", ");
	put(&blame, blame_peek(&blame, 7, EACCES, 0), &text);
	if (succeeds(!blame.nomem && !text.err))
		assert_string_equal(strbuf_str(&text), "permission 13, nobody, nobody, nobody");
	blame_done(&blame);
	kallsyms_done(&kallsyms);
}

static void each_request_has_its_own_error(void **state)
{
	static const struct step first[] = { CALL(0, SYS), CALL(1, WALK), END(1, WALK, -EACCES) };
	static const struct step second[] = { CALL(1, PERMISSION), END(1, PERMISSION, -EACCES) };
	struct kallsyms kallsyms;
	struct blame blame = { .funcs.kallsyms = &kallsyms };
	_cleanup_strbuf_ struct strbuf text = { 0 };

	require(kallsyms_init(&kallsyms, symbols, sizeof(symbols) - 1) == 0);
	feed(&blame, first, 1);
	blame_tag(&blame, 7, 1);
	feed(&blame, first + 1, ARRAY_SIZE(first) - 1);
	blame_tag(&blame, 7, 2);
	feed(&blame, second, ARRAY_SIZE(second));
	for (uint64_t tag = 1; tag <= 3; tag++) {
		put(&blame, blame_peek(&blame, 7, EACCES, tag), &text);
		strbuf_adds(&text, " ");
	}
	if (succeeds(!blame.nomem && !text.err))
		assert_string_equal(strbuf_str(&text), "walk 13 permission 13 nobody ");
	blame_done(&blame);
	kallsyms_done(&kallsyms);
}

static void the_next_call_discards_errors(void **state)
{
	static const struct step steps[] = {
		CALL(0, SYS), END(0, SYS, -EACCES), { DECODED_SYSCALL_EXIT },
		CALL(0, SYS), END(0, SYS, 0),
	};

	expect(steps, EACCES, "nobody");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_innermost_function),
		cmocka_unit_test(a_function_may_have_no_name),
		cmocka_unit_test(a_retried_attempt_is_not_the_cause),
		cmocka_unit_test(a_handled_error_is_not_the_cause),
		cmocka_unit_test(the_later_of_two_errors_counts),
		cmocka_unit_test(passes_errors_through_unknown_functions),
		cmocka_unit_test(checks_are_not_the_cause),
		cmocka_unit_test(returning_an_error_argument_is_not_the_cause),
		cmocka_unit_test(follows_errors_through_pointers),
		cmocka_unit_test(true_can_mean_refusal),
		cmocka_unit_test(the_program_may_get_another_error),
		cmocka_unit_test(follows_errors_that_change),
		cmocka_unit_test(interrupts_are_not_the_cause),
		cmocka_unit_test(does_not_guess_after_lost_events),
		cmocka_unit_test(an_interrupt_may_come_before_the_exit),
		cmocka_unit_test(an_exit_from_another_function_proves_a_gap),
		cmocka_unit_test(an_earlier_gap_elsewhere_does_not_matter),
		cmocka_unit_test(lost_samples_do_not_matter),
		cmocka_unit_test(errors_can_be_queried_during_the_call),
		cmocka_unit_test(each_request_has_its_own_error),
		cmocka_unit_test(the_next_call_discards_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
