/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans of the words of a command, and messages about invalid words. */
#include "test.h"

#include "base/strbuf.h"
#include "count/plan.h"

static void describe_source(struct strbuf *buf, const struct count_source *source)
{
	static const char *const kinds[] = { "event", "function", "profile" };

	strbuf_addf(buf, " %s %s%s%s%s", source->is_return ? "return" : kinds[source->kind],
		    source->system ? source->system : "", source->system ? ":" : "", source->name,
		    source->pair ? "[" : "");
	if (source->pair)
		strbuf_addf(buf, "%s]", source->pair);
	if (source->hz)
		strbuf_addf(buf, ":%u", source->hz);
	if (source->filter_text)
		strbuf_addf(buf, " /%s/", source->filter_text);
	assert_int_equal(!source->filter, !source->filter_text);
}

/* The plan on a line: "BEGINS .. SOURCES; WHAT VALUE; by KEYS; if FILTER". */
static void describe(struct strbuf *buf, const struct count_plan *plan)
{
	static const char *const names[] = { "count", "sum", "min", "max", "avg", "stats", "hist" };

	for (size_t i = 0; i < plan->n_begins; i++)
		describe_source(buf, &plan->begins[i]);
	if (plan->n_begins)
		strbuf_adds(buf, " ..");
	for (size_t i = 0; i < plan->n_sources; i++)
		describe_source(buf, &plan->sources[i]);
	strbuf_addf(buf, "; %s", names[plan->what]);
	if (plan->is_latency || plan->value)
		strbuf_addf(buf, " %s", plan->is_latency ? "latency" : plan->value);
	for (size_t i = 0; i < plan->n_keys; i++)
		strbuf_addf(buf, "%s%s", i ? "," : "; by ", plan->keys[i]);
	if (plan->filter_text)
		strbuf_addf(buf, "; if %s", plan->filter_text);
	assert_int_equal(!plan->filter, !plan->filter_text);
}

static int parse(const struct count_words *words, char shown[1024])
{
	struct strbuf buf = { 0 };
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	struct count_plan *plan = calloc(1, sizeof(*plan));
	int r;

	assert_non_null(plan);
	r = count_plan_parse(words, &arena, plan, &err);
	assert_true(r == 0 || r == err.code);
	if (r == 0) {
		describe(&buf, plan);
		r = buf.err;
	}
	snprintf(shown, 1024, "%s", r == 0 ? strbuf_str(&buf) + 1 : fathom_err_text(&err));
	free(plan);
	strbuf_done(&buf);
	arena_done(&arena);
	return r;
}

#define assert_plan(expected, ...)                                 \
	do {                                                       \
		const struct count_words words = { __VA_ARGS__ };  \
		char shown[1024];                                  \
		if (parse(&words, shown) != -ENOMEM || !mem_fault) \
			assert_string_equal(shown, expected);      \
	} while (0)

static void parses_sources(void **state)
{
	assert_plan("event sched:sched_switch; count", "sched:sched_switch");
	assert_plan("event syscalls:sys_enter_*; count; by comm", "syscalls:sys_enter_*", "comm");
	assert_plan("function vfs_read function vfs_[wr]*; count; by comm,args[2],sched_switch.x",
		    "vfs_read, k:vfs_[wr]*", " comm ,args[2],\tsched_switch.x ");
	assert_plan("function a.isra.0; count", " a.isra.0 ");
	assert_plan("profile profile:99; count; by kstack", "profile:99", "kstack");
	assert_plan("event *:*; count; by event", "*:*", "event");
}

static void parses_filters(void **state)
{
	assert_plan("event a:b /x == 1/ event c:d /y in (1, 2)/; count",
		    "a:b/x == 1/,c:d /y in (1, 2)/");
	assert_plan("event a:b /x == \"/,\" and y / 2 == 1/; count",
		    "a:b/x == \"/,\" and y / 2 == 1/");
	assert_plan("event a:b /x == \"\\\"/, \"/; count", "a:b/x == \"\\\"/, \"/");
	assert_plan("event a:b /x ~ '..'/ .. event c:d; count", "a:b/x ~ '..'/..c:d");
	assert_plan("event a:b; count; if x > 1", "a:b", .filter = "x > 1");
	assert_plan("function f /n > 1/; hist n; if comm == x", "f/n > 1/", .filter = "comm == x",
		    .aggregator = COUNT_HIST, .value = "n");
}

static void parses_pairs(void **state)
{
	assert_plan("event s:wake[pid] event s:new[pid] .. event s:switch[next_pid]; hist latency",
		    "s:wake[pid],s:new[pid]..s:switch[next_pid]", .is_latency = true);
	assert_plan("event s:wake[pid] .. event s:switch[next_pid]; hist latency; by next_comm",
		    "s:wake..s:switch", "next_comm", "pid=next_pid", .is_latency = true);
	assert_plan("event b:issue[dev] .. event b:done[dev] /x/; sum latency",
		    "b:issue .. b:done/x/", .pair = "dev", .aggregator = COUNT_SUM,
		    .value = "latency");
	assert_plan("event r:sys_enter[args[0]] .. event r:sys_exit[ret]; count",
		    "r:sys_enter[args[0]]..r:sys_exit[ret]");
	assert_plan("function start[rq] .. function done[rq]; avg latency", "start[rq]..k:done[rq]",
		    .aggregator = COUNT_AVG, .is_latency = true);
	assert_plan("event a:b .. event c:d; count", "a:b..c:d");
	assert_plan("event a:b*[cd]x .. event c:[ab]*; count", "a:b*[cd]x..c:[ab]*");
}

static void pairs_returns_with_entries(void **state)
{
	assert_plan("function f .. return f; hist latency; by name", "f", "name",
		    .is_latency = true);
	assert_plan("function f function g* .. return f return g*; hist ret", "f,g*",
		    .aggregator = COUNT_HIST, .value = "ret");
	assert_plan("function f .. return f; count; by ret", "f", "ret");
	assert_plan("function f .. return f /(ret < 0)/; count", "f/ret < 0/");
	assert_plan(
		"function f /(n > 1 ) and (comm == x)/ .. return f /( ret < 0) and (dur > 1ms)/; count",
		"f/n > 1 and ret < 0/", .filter = "comm == x&&dur > 1ms");
	assert_plan("function f .. return f /(n > 1 or (x and ret < 0))/; count", "f",
		    .filter = "n > 1 or (x and ret < 0)");
	assert_plan("function f /n == \"ret\"/; count", "f/n == \"ret\"/");
	assert_plan("function f .. return f; count", "kr:f");
	assert_plan("event a:b; hist ret", "a:b", .aggregator = COUNT_HIST, .value = "ret");
}

static void rejects_sources(void **state)
{
	assert_plan("expected an event (SYSTEM:NAME), a kernel function or profile:HZ\n    \n    ^",
		    "");
	assert_plan(
		"expected an event (SYSTEM:NAME), a kernel function or profile:HZ\n    a,\n      ^",
		"a,");
	assert_plan("unclosed '/': a filter is written /CONDITION/, an event SYSTEM:NAME\n"
		    "    sched/sched_switch\n         ^",
		    "sched/sched_switch");
	assert_plan("expected ',', '..' or /FILTER/\n    a b\n      ^", "a b");
	assert_plan("unexpected '..': expected one BEGINS..ENDS\n    a..b..c\n        ^",
		    "a..b..c");
	assert_plan(
		"unexpected end of filter: expected a name, a number or text\n    a/x ==/\n          ^",
		"a/x ==/");
	assert_plan(
		"unexpected '(' in 'f(x)': expected SYSTEM:NAME, the name of a kernel function, or profile:HZ",
		"f(x)");
	assert_plan(
		"unexpected '@' in 'a@b:c': expected SYSTEM:NAME, the name of a kernel function, or profile:HZ",
		"a@b:c");
	assert_plan("incomplete name 'a:': expected SYSTEM:NAME or the name of a kernel function",
		    "a:");
	assert_plan("incomplete name ':a': expected SYSTEM:NAME or the name of a kernel function",
		    ":a");
	assert_plan("incomplete name 'k:': expected SYSTEM:NAME or the name of a kernel function",
		    "k:");
	assert_plan("invalid frequency '0': expected profile:HZ with 1 to 10000 Hz", "profile:0");
	assert_plan("invalid frequency '99x': expected profile:HZ with 1 to 10000 Hz",
		    "profile:99x");
	assert_plan("invalid frequency '': expected profile:HZ with 1 to 10000 Hz", "profile:");
}

static void limits_sources(void **state)
{
	struct strbuf buf = { 0 };
	char shown[1024];
	int r;

	for (int i = 0; i < COUNT_SOURCES_MAX; i++)
		strbuf_addf(&buf, "%sf%d", i ? "," : "", i);
	require(buf.err == 0);
	r = parse(&(struct count_words){ buf.s }, shown);
	assert_true(r == 0 || (r == -ENOMEM && mem_fault));
	strbuf_adds(&buf, ",g");
	if (buf.err == 0 && parse(&(struct count_words){ buf.s }, shown) != -ENOMEM)
		assert_memory_equal(shown, "more than 64 events and functions: use a glob\n", 46);
	strbuf_done(&buf);
}

static void rejects_keys(void **state)
{
	assert_plan(
		"invalid key '': expected the name of a field or argument, comm, pid, tgid, cpu, event, func, kstack or ustack",
		"a", "x,");
	assert_plan(
		"invalid key 'a b': expected the name of a field or argument, comm, pid, tgid, cpu, event, func, kstack or ustack",
		"a", "x,a b");
	assert_plan(
		"invalid key '1': expected the name of a field or argument, comm, pid, tgid, cpu, event, func, kstack or ustack",
		"a", "1");
	assert_plan("more than 8 keys", "a", "a,b,c,d,e,f,g,h,i");
	assert_plan("key 'x' given twice", "a", "x,y,x");
}

static void rejects_values(void **state)
{
	assert_plan("no value: expected sum of a field or argument", "a", .aggregator = COUNT_SUM);
	assert_plan("invalid value 'a b': expected the name of a field or argument", "a",
		    .aggregator = COUNT_SUM, .value = "a b");
	assert_plan("invalid value '': expected the name of a field or argument", "a",
		    .aggregator = COUNT_SUM, .value = "");
	assert_plan("'x' is not used: expected sum, hist, ... of it", "a", .value = "x");
	assert_plan("'x' cannot be combined with the latency: count them separately", "a",
		    .value = "x", .is_latency = true);
	assert_plan("profile:HZ has no field 'x': it can only count", "profile:99",
		    .aggregator = COUNT_SUM, .value = "x");
	assert_plan(
		"unexpected end of filter: expected a name, a number or text\n    x and\n         ^",
		"a", .filter = "x and");
}

static void rejects_pairs(void **state)
{
	assert_plan("invalid pairing key '=x': expected BEGIN=END, such as pid=next_pid",
		    "a:b..c:d", .pair = "=x");
	assert_plan("invalid pairing key 'x=y z': expected BEGIN=END, such as pid=next_pid",
		    "a:b..c:d", .pair = "x=y z");
	assert_plan(
		"a pairing key requires BEGINS..ENDS, such as sched:sched_wakeup..sched:sched_switch",
		"a:b", .pair = "x");
	assert_plan("'a:b' has no pairing key, 'c:d[x]' has: expected EVENT[FIELD] for all of them",
		    "a:b..c:d[x]");
	assert_plan("'profile:9' can neither begin nor end anything", "a:b..profile:9");
	assert_plan("no latency of 'a:b': expected a kernel function, or BEGIN..END, such as "
		    "sched:sched_wakeup[pid]..sched:sched_switch[next_pid]",
		    "f,a:b", .is_latency = true);
	assert_plan("'ret' of functions and 'a:b': count functions and events separately", "f,a:b",
		    "ret");
	assert_plan("no 'ret' in BEGINS..ENDS, which are entries of functions", "f..g",
		    .value = "ret", .aggregator = COUNT_HIST);
	assert_plan("'kr:f' and 'g': count entries and returns separately", "kr:f,g");
	assert_plan("'kr:g' in BEGINS..ENDS: expected events, or functions, of which the entries "
		    "begin and end",
		    "f..kr:g");
	assert_plan("a filter of calls cannot have the form EVENTS: CONDITION", "f",
		    .filter = "x: y == 1", .is_latency = true);
}

static int parse_much(void *arg)
{
	const struct count_words words = { "f/n > 1 and ret < 0/,g", "comm,kstack",
					   .filter = "pid == 1", .is_latency = true };
	char shown[1024];

	return parse(&words, shown);
}

static int parse_range(void *arg)
{
	const struct count_words words = { "a:b/x/..c:d/y/", "comm", "x=y", "pid == 1",
					   .is_latency = true };
	char shown[1024];

	return parse(&words, shown);
}

static void survives_lack_of_memory(void **state)
{
	oom_check(parse_much, NULL);
	oom_check(parse_range, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_sources),  cmocka_unit_test(parses_filters),
		cmocka_unit_test(parses_pairs),	   cmocka_unit_test(pairs_returns_with_entries),
		cmocka_unit_test(rejects_sources), cmocka_unit_test(limits_sources),
		cmocka_unit_test(rejects_keys),	   cmocka_unit_test(rejects_values),
		cmocka_unit_test(rejects_pairs),   cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
