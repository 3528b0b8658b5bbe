/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of a filter; error messages and their offsets. */
#include "test.h"

#include "base/str.h"
#include "base/strbuf.h"
#include "read/filter/filter-ast.h"

static const char format_text[] =
	"name: sched_switch\nID: 1\nformat:\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long ip;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long args[2];\toffset:40;\tsize:16;\tsigned:0;\n\n"
	"print fmt: \"x\"\n";

static const char function_text[] = "name: function\nID: 2\nformat:\n"
				    "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n\n"
				    "print fmt: \"x\"\n";

static void put(struct strbuf *buf, const struct filter_node *node);

static void put_children(struct strbuf *buf, const char *name, const struct filter_node *node)
{
	strbuf_addf(buf, "(%s", name);
	for (const struct filter_node *child = node->first; child; child = child->next) {
		strbuf_addc(buf, ' ');
		put(buf, child);
	}
	strbuf_addc(buf, ')');
}

static void put_events(struct strbuf *buf, const struct filter_pattern *events)
{
	for (; events; events = events->next)
		strbuf_addf(buf, "<%s%s%s%s>%s", events->system ? events->system : "",
			    events->system ? ":" : "", events->name, events->regex ? "$" : "",
			    events->next ? "," : "");
}

static void put(struct strbuf *buf, const struct filter_node *node)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=", "~", "=~", "!~", "+",
					   "-",	 "*",  "/", "%",  "&", "|",  "^", "<<", ">>" };

	switch (node->kind) {
	case FILTER_AND:
		put_children(buf, "and", node);
		break;
	case FILTER_OR:
		put_children(buf, "or", node);
		break;
	case FILTER_NOT:
		put_children(buf, "not", node);
		break;
	case FILTER_IN:
		put_children(buf, "in", node);
		break;
	case FILTER_TRUTH:
		put_children(buf, "truth", node);
		break;
	case FILTER_MINUS:
		put_children(buf, "minus", node);
		break;
	case FILTER_EVENTS:
		put_events(buf, node->events);
		break;
	case FILTER_COMPARE:
	case FILTER_ARITH:
		put_children(buf, ops[node->op], node);
		break;
	default:
		strbuf_adds(buf, node->text);
		break;
	}
}

static void assert_tree(const char *text, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	struct filter *filter;

	if (filter_parse(text, &arena, &filter, &err) < 0) {
		arena_done(&arena);
		fail_msg("'%s': %s", text, fathom_err_text(&err));
	}
	if (filter->prefixed) {
		put_events(&buf, filter->events);
		strbuf_adds(&buf, ": ");
	}
	if (filter->root)
		put(&buf, filter->root);
	arena_done(&arena);
	assert_string_equal(strbuf_str(&buf), wanted);
}

static void builds_trees(void **state)
{
	assert_tree("a == 1", "(== a 1)");
	assert_tree("a==1&&b!=2||!c<3", "(or (and (== a 1) (!= b 2)) (not (< c 3)))");
	assert_tree("a or b and c or d", "(or <a> (and <b> <c>) <d>)");
	assert_tree("e: a == 1 || b == 2 && c == 3", "<e$>: (and (or (== a 1) (== b 2)) (== c 3))");
	assert_tree("a + b * c - d == 1", "(== (- (+ a (* b c)) d) 1)");
	assert_tree("a & b == 1", "(== (& a b) 1)");
	assert_tree("a & b | c ^ d << 1", "(truth (| (& a b) (^ c (<< d 1))))");
	assert_tree("a - -1 < 2", "(< (- a (minus 1)) 2)");
	assert_tree("a-1 == 0 and b-c == 1", "(and (== (- a 1) 0) (== b-c 1))");
	assert_tree("x/2 > 1", "(> (/ x 2) 1)");
	assert_tree("not not a", "(not (not <a>))");
	assert_tree("a not in (1, b)", "(not (in a 1 b))");
	assert_tree("(a, b:c) and d/e", "(and <a>,<b:c> <d:e>)");
	assert_tree("(a) == (1)", "(== a 1)");
	assert_tree("(a or (b))", "(or <a> <b>)");
	assert_tree("sys_.*", "<sys_.*$>");
	assert_tree("sched:sched_switch", "<sched:sched_switch>");
	assert_tree("sched: sched_switch and x == 1", "(and <sched:sched_switch> (== x 1))");
	assert_tree("sched: x == 1", "<sched$>: (== x 1)");
}

static void parses_both_forms(void **state)
{
	assert_tree("a , b / c : x == 1", "<a$>,<b:c$>: (== x 1)");
	assert_tree("a: (x == 1)", "<a$>: (== x 1)");
	assert_tree("a: !(x == 1)", "<a$>: (not (== x 1))");
	assert_tree("a: not x == 1", "<a$>: (not (== x 1))");
	assert_tree("a: x in (1)", "<a$>: (in x 1)");
	assert_tree("a: x & 1", "<a$>: (truth (& x 1))");
	assert_tree("a:orx==1", "<a$>: (== orx 1)");
	assert_tree("\\(a\\|b\\): x == 1", "<\\(a\\|b\\)$>: (== x 1)");
	assert_tree("a:", "<a$>: ");
	assert_tree("comm == \"a:b\"", "(== comm a:b)");
	assert_tree("not a:b", "(not <a:b>)");
	assert_tree("(a:b)", "<a:b>");
	assert_tree("a:b or c:d", "(or <a:b> <c:d>)");
}

static void parses_values(void **state)
{
	assert_tree("a == \"b\\\"c\\\\\"", "(== a b\"c\\\\)");
	assert_tree("a == 'x'", "(== a x)");
	assert_tree("a * b", "(truth (* a b))");
	assert_tree("a*b", "<a*b>");
	assert_tree("*a or ?b or [cd]e", "(or <*a> <?b> <[cd]e>)");
	assert_tree("args[0] == 1", "(== args[0] 1)");
}

static void assert_number(const char *text, uint64_t wanted)
{
	char filter_text[100];
	struct arena arena = { 0 };
	struct filter *filter;
	uint64_t number = 0;

	snprintf(filter_text, sizeof(filter_text), "a == %s", text);
	if (filter_parse(filter_text, &arena, &filter, NULL) == 0)
		number = filter->root->last->number;
	arena_done(&arena);
	assert_int_equal(number, wanted);
}

static void parses_units(void **state)
{
	assert_number("10us", 10000);
	assert_number("1.5ms", 1500000);
	assert_number("12.5s", 12500000000);
	assert_number("7ns", 7);
	assert_number("3\xc2\xb5s", 3000);
	assert_number("3\xce\xbcs", 3000);
	assert_number("4K", 4096);
	assert_number("1.5M", 1572864);
	assert_number("2G", 2147483648);
	assert_number("1T", 1099511627776);
	assert_number("0x1F", 31);
	assert_number("017", 15);
	assert_number("18446744073709551615", UINT64_MAX);
	assert_number("0.000000001s", 1);
}

static size_t no_ranges(void *arg, const char *name, struct filter_range *ranges, size_t max)
{
	if (!str_eq(name, "vfs_read"))
		return 0;
	if (max > 0)
		ranges[0] = (struct filter_range){ 1, 2 };
	return 1;
}

static void each_function(void *arg, bool (*fn)(void *fn_arg, const char *name), void *fn_arg)
{
	fn(fn_arg, "vfs_read");
}

static const char *no_comm(void *arg, const struct filter_event *event)
{
	return NULL;
}

static void assert_error(const char *text, int code, unsigned offset, const char *message)
{
	static const struct filter_env env = { .function_ranges = no_ranges,
					       .function_each = each_function,
					       .comm = no_comm };
	const struct event_abi abi = { .long_size = 8 };
	struct arena arena = { 0 };
	struct event_format *formats[2];
	struct fathom_err err = { 0 };
	struct filter *filter;
	int r;

	r = event_format_parse(format_text, strlen(format_text), "sched", abi, &arena, &formats[0],
			       &err);
	if (r == 0)
		r = event_format_parse(function_text, strlen(function_text), "ftrace", abi, &arena,
				       &formats[1], &err);
	if (r == 0)
		r = filter_parse(text, &arena, &filter, &err);
	if (r == 0)
		r = filter_bind(filter, (const struct event_format *const *)formats, 2, &env, &err);
	arena_done(&arena);
	if (r != code || err.offset != offset || !err.at_offset ||
	    !str_eq(fathom_err_text(&err), message))
		fail_msg("'%s': %d at %d: %s", text, r, (int)err.offset, fathom_err_text(&err));
}

static void errors_have_positions(void **state)
{
	assert_error("", -EINVAL, 0, "empty filter");
	assert_error("prev_pid ==", -EINVAL, 11,
		     "unexpected end of filter: expected a name, a number or text");
	assert_error("prev_pid = 1", -EINVAL, 9, "unexpected '=': use '==' to compare");
	assert_error("prev_pid == 1 prev_pid == 2", -EINVAL, 14,
		     "unexpected 'prev_pid': expected 'and', 'or' or a comparison");
	assert_error("(prev_pid == 1", -EINVAL, 0, "unclosed '('");
	assert_error("prev_pid == 1)", -EINVAL, 13, "unexpected ')'");
	assert_error("prev_pid == \"abc", -EINVAL, 12, "missing closing \"");
	assert_error("prev_pid == 10min", -EINVAL, 14,
		     "unknown unit 'min': expected ns, us, ms, s, K, M, G or T (put text in "
		     "quotes)");
	assert_error("prev_pid == 089", -EINVAL, 12,
		     "invalid octal number: a leading 0 allows only the digits 0 to 7");
	assert_error("prev_pid == 99999999999999999999", -EINVAL, 12, "number too large");
	assert_error("prev_pid == 99999999999999s", -EINVAL, 12, "number too large");
	assert_error("1 == 2", -EINVAL, 0, "comparison of two constants: expected a field");
	assert_error("1 < prev_pid < 2", -EINVAL, 13,
		     "comparisons cannot be chained: combine them with 'and'");
	assert_error("prev_comm =~ \"a\\(\"", -EINVAL, 15, "unclosed '\\(': expected '\\)'");
	assert_error("5", -EINVAL, 0, "not a condition: compare the value with something");
	assert_error("prev_pid @ 5", -EINVAL, 9, "unexpected character '@'");
	assert_error("(prev_pid == 1) + 2 == 3", -EINVAL, 10,
		     "unexpected condition: expected a value");
	assert_error("prev_pid in 5", -EINVAL, 12,
		     "unexpected '5': expected a list such as (1, 2)");
	assert_error("sched: ,a: x == 1", -EINVAL, 7,
		     "unexpected ',': expected a name, a number or text");
	assert_error("sched,: prev_pid == 1", -EINVAL, 6, "expected an event name");
}

static void suggests_similar_names(void **state)
{
	assert_error("sched_switch and prev_pidd == 1", -ENOENT, 17,
		     "no event has a field 'prev_pidd'; did you mean 'prev_pid'?");
	assert_error("cmm == bash", -ENOENT, 0, "no event has a field 'cmm'; did you mean 'comm'?");
	assert_error("zzzzzz == 1", -ENOENT, 0, "no event has a field 'zzzzzz'");
	assert_error("tgid == 1", -ENOENT, 0, "not recorded in this trace: 'tgid'");
	assert_error("shced_switch", -ENOENT, 0,
		     "no event or function 'shced_switch' in this trace; "
		     "did you mean 'sched_switch'?");
	assert_error("vfs_raed", -ENOENT, 0,
		     "no event or function 'vfs_raed' in this trace; did you mean 'vfs_read'?");
	assert_error("xyz_*", -ENOENT, 0, "no event or function 'xyz_*' in this trace");
	assert_error("sched:foo", -ENOENT, 0, "no event 'sched:foo' in this trace");
	assert_error("schd: prev_pid == 1", -ENOENT, 0,
		     "no event 'schd' in this trace; did you mean 'sched'?");
	assert_error("vfs_read: prev_pid == 1", -ENOENT, 0,
		     "'vfs_read' is a function, not an event: use 'vfs_read and ...'");
	assert_error("ip == vfs_raed", -ENOENT, 6,
		     "'vfs_raed' is neither a field nor a function; did you mean 'vfs_read'?");
	assert_error("ip == \"vfs_raed\"", -ENOENT, 6,
		     "'\"vfs_raed\"' is not a function name; did you mean 'vfs_read'?");
	assert_error("prev_pid == prev_pod", -ENOENT, 12,
		     "no event has a field 'prev_pod'; did you mean 'prev_pid'?");
	assert_error("prev_pid*2 == 4", -EINVAL, 0,
		     "'prev_pid*2' is a pattern, not a field: put spaces around '*' to multiply");
	assert_error(
		"prev_pid-ip == 4", -EINVAL, 0,
		"no event has a field 'prev_pid-ip': put spaces around '-' and '/' to calculate");
	assert_error("prev_pid", -EINVAL, 0, "'prev_pid' is a field: compare it with something");
}

static void rejects_impossible_comparisons(void **state)
{
	assert_error("prev_comm < 5", -EINVAL, 10,
		     "'<' compares texts, which only ==, !=, ~, =~, !~ and 'in' can");
	assert_error("prev_pid == \"bash\"", -EINVAL, 9, "'==' compares a number with text");
	assert_error("prev_pid ~ \"1*\"", -EINVAL, 9, "'~' compares a number with text");
	assert_error("prev_comm + 1 == 5", -EINVAL, 0, "'prev_comm' is text, not a number");
	assert_error("prev_comm == ta*", -EINVAL, 13,
		     "'ta*' is a pattern: compare with ~, or put it in quotes");
	assert_error("prev_pid == prev_comm", -EINVAL, 12,
		     "'prev_comm' is text, but is compared with a number");
	assert_error("args == 5", -EINVAL, 0,
		     "'args' is an array: select an element, as in NAME[0]");
	assert_error("prev_pid[0] == 5", -EINVAL, 0, "'prev_pid[0]' is not an array of numbers");
	assert_error("prev_pid == 1.5", -EINVAL, 12, "'1.5' needs a unit, such as us or ms");
	assert_error("prev_pid == 1 / 0", -EINVAL, 14, "'/' divides by zero or shifts too far");
}

static void enforces_limits(void **state)
{
	static char text[FILTER_TEXT_MAX + 2];
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	struct filter *filter;

	memset(text, '(', 1000);
	text[1000] = '\0';
	assert_int_equal(filter_parse(text, &arena, &filter, &err), -E2BIG);
	memset(text, '!', 1000);
	assert_int_equal(filter_parse(text, &arena, &filter, &err), -E2BIG);
	memset(text, '-', 1000);
	assert_int_equal(filter_parse(text, &arena, &filter, &err), -E2BIG);
	memset(text, 'a', sizeof(text) - 1);
	assert_int_equal(filter_parse(text, &arena, &filter, &err), -E2BIG);
	for (size_t i = 0; i + 3 <= 60000; i += 3)
		memcpy(text + i, i ? "||a" : "  a", 4);
	assert_int_equal(filter_parse(text, &arena, &filter, &err), -E2BIG);
	for (size_t i = 0; i + 2 <= 1000; i += 2)
		memcpy(text + i, i ? "+1" : "a ", 3);
	assert_int_equal(filter_parse(text, &arena, &filter, &err), -E2BIG);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds_trees),
		cmocka_unit_test(parses_both_forms),
		cmocka_unit_test(parses_values),
		cmocka_unit_test(parses_units),
		cmocka_unit_test(errors_have_positions),
		cmocka_unit_test(suggests_similar_names),
		cmocka_unit_test(rejects_impossible_comparisons),
		cmocka_unit_test(enforces_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
