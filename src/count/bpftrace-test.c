/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scripts of bpftrace as words of a plan, and the parts of the language that are refused. */
#include "test.h"

#include "count/bpftrace.h"

static int translate(const char *script, const char *filter, char shown[1024])
{
	static const char *const names[] = { "count", "sum", "min", "max", "avg", "stats", "hist" };
	struct count_words words = { .filter = filter, .process = 7 };
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	int r = bpftrace_words(script, &arena, &words, &err);

	if (r == 0)
		snprintf(shown, 1024, "%s|%s|%s|%s|%s", words.what, words.filter ?: "",
			 words.keys ?: "", names[words.aggregator], words.value ?: "");
	else
		snprintf(shown, 1024, "%s", fathom_err_text(&err));
	assert_int_equal(words.process, 7);
	arena_done(&arena);
	return r;
}

#define assert_words(script, expected) assert_words_with(script, NULL, expected)
#define assert_words_with(script, filter, expected)                            \
	do {                                                                   \
		char shown[1024];                                              \
		if (translate(script, filter, shown) != -ENOMEM || !mem_fault) \
			assert_string_equal(shown, expected);                  \
	} while (0)

static void translates_probes(void **state)
{
	assert_words("kprobe:vfs_* { @ = count(); }", "k:vfs_*|||count|");
	assert_words("kprobe:a,k:b{@=count()}", "k:a,k:b|||count|");
	assert_words("kretprobe:vfs_read { @ = hist(retval); }", "kr:vfs_read|||hist|ret");
	assert_words("tracepoint:sched:sched_switch, t:a:b { @n = count(); }",
		     "sched:sched_switch,a:b|||count|");
	assert_words("profile:hz:99 { @[kstack] = count(); }", "profile:99||kstack|count|");
	assert_words("kprobe:a { @[str(args->name), str( comm )] = count(); }",
		     "k:a||name,comm|count|");
	assert_words("kprobe:a { @[str(args->name] = count(); }",
		     "expected ')'\n    kprobe:a { @[str(args->name] = count(); }\n"
		     "                               ^");
	assert_words("// all\nkprobe:a\n{ // one\n@ = count(); }\n", "k:a|||count|");
}

static void translates_names(void **state)
{
	assert_words(
		"kprobe:a { @x[pid, tid, comm, cpu, probe, func, ustack] = sum(args->count); }",
		"k:a||tgid,pid,comm,cpu,event,func,ustack|sum|count");
	assert_words("kprobe:a { @x[args.name] = stats(args.n); }", "k:a||name|stats|n");
	assert_words("kprobe:a { @x = min(args.n); }", "k:a|||min|n");
	assert_words("kprobe:a { @x = max(cpu); }", "k:a|||max|cpu");
	assert_words("kprobe:a { @x = avg(pid) ; }", "k:a|||avg|tgid");
}

static void translates_filters(void **state)
{
	assert_words("kprobe:a /pid == 3 && comm != \"pid/x\"/ { @ = count(); }",
		     "k:a|tgid == 3 && comm != \"pid/x\"||count|");
	assert_words("t:a:b /args.x / 2 == 0x1f || !(args->y > 1)/ { @ = count(); }",
		     "a:b|x / 2 == 0x1f || !(y > 1)||count|");
	assert_words_with("t:a:b /tid == 1/ { @ = count(); }", "cpu == 2",
			  "a:b|(pid == 1) and (cpu == 2)||count|");
	assert_words_with("t:a:b { @ = count(); }", "cpu == 2", "a:b|cpu == 2||count|");
}

static void refuses_the_rest(void **state)
{
	assert_words("", "unsupported probe '': expected kprobe:, kretprobe:, tracepoint: or "
			 "profile:hz:N\n    \n    ^");
	assert_words("uprobe:a:b { @ = count(); }",
		     "unsupported probe 'uprobe:a:b': expected kprobe:, kretprobe:, tracepoint: or "
		     "profile:hz:N\n    uprobe:a:b { @ = count(); }\n    ^");
	assert_words("kprobe:a+4 { @ = count(); }",
		     "unsupported: probes inside of functions\n"
		     "    kprobe:a+4 { @ = count(); }\n            ^");
	assert_words("kprobe:a,kretprobe:b { @ = count(); }",
		     "unsupported: kprobe and kretprobe in one clause\n"
		     "    kprobe:a,kretprobe:b { @ = count(); }\n    ^");
	assert_words("kprobe:a / pid { @ = count(); }",
		     "unclosed '/': expected /CONDITION/\n    kprobe:a / pid { @ = count(); }\n"
		     "             ^");
	assert_words("kprobe:a { printf(\"x\"); }",
		     "unsupported 'printf': expected '@NAME[KEYS] = count()' or another "
		     "aggregation\n    kprobe:a { printf(\"x\"); }\n               ^");
	assert_words(
		"kprobe:a { @[arg0] = count(); }",
		"unsupported 'arg0': expected args.FIELD, retval, comm, pid, tid, cpu, probe, "
		"func, kstack or ustack\n    kprobe:a { @[arg0] = count(); }\n                 ^");
	assert_words(
		"kprobe:a { @[kstack(3)] = count(); }",
		"unsupported 'kstack': expected args.FIELD, retval, comm, pid, tid, cpu, probe, "
		"func, kstack or ustack\n    kprobe:a { @[kstack(3)] = count(); }\n"
		"                 ^");
	assert_words("kprobe:a { @[args.] = count(); }",
		     "expected the name of a field\n    kprobe:a { @[args.] = count(); }\n"
		     "                      ^");
	assert_words(
		"kprobe:a { @ = lhist(cpu, 0, 9, 1); }",
		"unsupported 'lhist': expected count(), sum(), min(), max(), avg(), stats() or "
		"hist()\n    kprobe:a { @ = lhist(cpu, 0, 9, 1); }\n                   ^");
	assert_words("kprobe:a { @ = count(); @b = count(); }",
		     "unsupported: more than one aggregation; expected '}'\n"
		     "    kprobe:a { @ = count(); @b = count(); }\n                            ^");
	assert_words("kprobe:a { @ = count(); } kprobe:b { @ = count(); }",
		     "unsupported: more than one probe clause; separate the probes of one clause "
		     "with ','\n    kprobe:a { @ = count(); } kprobe:b { @ = count(); }\n"
		     "                              ^");
	assert_words("kprobe:a { @ = sum(cpu; }",
		     "expected ')'\n    kprobe:a { @ = sum(cpu; }\n                          ^");
	assert_words("kprobe:a", "expected '{'\n    kprobe:a\n            ^");
}

static int translate_much(void *arg)
{
	char shown[1024];

	return translate("kprobe:a,kprobe:b /pid == 1/ { @x[comm, args.a] = sum(args.b); }",
			 "cpu == 1", shown);
}

static void survives_lack_of_memory(void **state)
{
	oom_check(translate_much, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(translates_probes),	   cmocka_unit_test(translates_names),
		cmocka_unit_test(translates_filters),	   cmocka_unit_test(refuses_the_rest),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
