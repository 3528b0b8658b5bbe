/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans over small recordings; tests/analyze/ has random and real ones. */
#include "test.h"

#include <inttypes.h>

#include "analyze/count/count-events.h"
#include "analyze/stream/feed.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "symbols/kernel/kallsyms.h"
#include "temp-file.h"
#include "trace-writer.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define LINE(decl, offset, size, sign) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"
#define PRINT "\nprint fmt: \"x\"\n"

enum id {
	ENTRY = 10,
	EXIT,
	OPEN,
	NEW_TASK,
	EXEC,
	SAMPLE,
	ARRAY,
	PROBE,
	STACK,
};

/*
 * All records have 40 bytes; words are at 8, 16, 24 and 32. The system "s" is not in one place: the
 * file then has its formats twice.
 */
static const struct trace_format formats[] = {
	{ "ftrace", "name: funcgraph_entry\nID: 10\n" COMMON LINE("unsigned long func", 8, 8, 0)
			    LINE("int depth", 16, 4, 1) PRINT },
	{ "ftrace",
	  "name: funcgraph_exit\nID: 11\n" COMMON LINE("unsigned long func", 8, 8, 0)
		  LINE("int depth", 16, 4, 1) LINE("unsigned long long calltime", 24, 8, 0)
			  LINE("unsigned long long rettime", 32, 8, 0) PRINT },
	{ "s", "name: open\nID: 12\n" COMMON LINE("const char * path", 8, 8, 0)
		       LINE("const char * dir", 16, 8, 0) LINE("char __dir_val[8]", 24, 8, 0)
			       LINE("int n", 32, 4, 1) PRINT },
	{ "task", "name: task_newtask\nID: 13\n" COMMON LINE("pid_t pid", 8, 4, 1)
			  LINE("unsigned long clone_flags", 16, 8, 0) PRINT },
	{ "sched", "name: sched_process_exec\nID: 14\n" COMMON LINE("char filename[8]", 8, 8, 0)
			   LINE("pid_t old_pid", 16, 4, 1) PRINT },
	{ "fathom",
	  "name: sample\nID: 15\n" COMMON LINE("u64 ns", 8, 8, 0) LINE("int tgid", 16, 4, 1)
		  LINE("u32 kernel", 20, 4, 0) LINE("u64 stack[2]", 24, 16, 0) PRINT },
	{ "s", "name: array\nID: 16\n" COMMON LINE("unsigned long args[3]", 8, 24, 0) PRINT },
	{ "p", "name: f_probe\nID: 17\n" COMMON LINE("unsigned long __probe_ip", 8, 8, 0)
		       LINE("u64 n", 16, 8, 0) PRINT },
	{ "ftrace", "name: kernel_stack\nID: 18\n" COMMON LINE("int size", 8, 4, 1)
			    LINE("unsigned long caller[3]", 16, 24, 0) PRINT },
	{ 0 },
};

#define FIRST  UINT64_C(0xffffffff81000000)
#define SECOND UINT64_C(0xffffffff81000020)
static const char symbols[] = "ffffffff81000000 T first\nffffffff81000020 T second\n"
			      "ffffffff81000040 T third\n";

struct step {
	uint16_t id;
	uint64_t time;
	int32_t pid;
	uint64_t words[4];
};

static int save(const struct step *steps)
{
	struct trace_writer *w = trace_writer_new(
		&(struct trace_config){ .version = 7, .formats = formats, .kallsyms = symbols });
	int r = w ? 0 : -ENOMEM;

	for (; steps->id && r == 0; steps++) {
		struct page_writer *p = trace_writer_cpu(w, 0, 0);
		uint8_t record[40] = { 0 };

		memcpy(record, &steps->id, sizeof(steps->id));
		memcpy(record + 4, &steps->pid, sizeof(steps->pid));
		memcpy(record + 8, steps->words, sizeof(steps->words));
		if (p)
			page_writer_record(p, steps->time, record, sizeof(record));
		else
			r = -ENOMEM;
	}
	if (r == 0)
		r = trace_writer_save(w, temp_path);
	trace_writer_free(w);
	return r;
}

static void show_key(struct strbuf *text, struct count_events *events, const struct count_row *row)
{
	const struct count_columns *columns = count_events_columns(events);
	size_t n;
	const struct count_site *sites = count_events_sites(events, &n);

	for (size_t i = 0; i < columns->n_keys; i++) {
		const struct count_column *column = &columns->keys[i];
		const struct count_stack *stack;
		int64_t number = 0;

		if (column->kind != COUNT_COLUMN_TEXT)
			number = count_row_number(row, column);
		stack = column->kind == COUNT_COLUMN_STACK ? count_events_stack(events, number) :
							     NULL;
		if (column->kind == COUNT_COLUMN_TEXT)
			strbuf_addf(text, "'%s' ", count_row_text(row, column));
		else if (column->kind == COUNT_COLUMN_EVENT)
			strbuf_addf(text, "%s ", sites[number].format->name);
		else if (column->kind == COUNT_COLUMN_ADDRESS)
			strbuf_addf(text, "+%" PRIx64 " ", (uint64_t)number - FIRST);
		else if (stack)
			strbuf_addf(text, "%u/%d/%" PRIx64 " ", stack->n, stack->process,
				    stack->frames[0]);
		else
			strbuf_addf(text, "%" PRId64 " ", number);
	}
}

/* Writes the rows in order of their keys, as "KEYS: COUNT SUM", and then what is missing. */
static void show(struct strbuf *text, struct count_events *events)
{
	struct count_table *table = count_events_table(events);
	const struct count_losses *losses = &table->losses;

	count_table_sort(table, COUNT_NUMBER, COUNT_BY_KEY);
	for (size_t i = 0; i < table->n; i++) {
		show_key(text, events, &table->rows[i]);
		strbuf_addf(text, "%" PRIu64 " %" PRId64 "\n", table->rows[i].sums.count,
			    (int64_t)table->rows[i].sums.sum);
	}
	if (losses->unpaired || losses->open || losses->unread || losses->no_stack)
		strbuf_addf(text,
			    "unpaired %" PRIu64 ", open %" PRIu64 ", unread %" PRIu64
			    ", no stack %" PRIu64 "\n",
			    losses->unpaired, losses->open, losses->unread, losses->no_stack);
}

static int run(const struct count_words *words, const struct fathom_window *window,
	       struct fathom_trace *trace, struct strbuf *text, struct fathom_err *err)
{
	_cleanup_(count_events_free_p) struct count_events *events = NULL;
	_cleanup_(event_table_done) struct event_table table = { 0 };
	_cleanup_(kallsyms_done) struct kallsyms kallsyms = { 0 };
	_cleanup_(arena_done) struct arena arena = { 0 };
	_cleanup_free_ struct count_plan *plan = mem_zalloc(1, sizeof(*plan));
	struct feed feed = { .trace = trace, .window = window, .events = &table };
	int r = plan ? count_plan_parse(words, &arena, plan, err) : -ENOMEM;

	feed.max_early = FEED_EARLY_USUAL;
	if (r == 0)
		r = kallsyms_init(&kallsyms, symbols, strlen(symbols));
	if (r == 0)
		r = event_table_init(&table, trace, err);
	if (r == 0)
		r = count_events_new(&(struct count_events_options){ .plan = plan,
								     .events = &table,
								     .kallsyms = &kallsyms },
				     &events, err);
	if (r == 0)
		r = feed_run(&feed, count_events_take, events, err);
	if (r == 0)
		r = count_events_end(events);
	if (r < 0)
		return r;
	show(text, events);
	return text->err;
}

/* Checks the result of a plan over all steps from the time @from on. */
static void expect_from(const struct step *steps, uint64_t from, const struct count_words *words,
			const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const struct fathom_window window = { .from = from, .to = UINT64_MAX };
	struct fathom_err err = { 0 };
	struct fathom_trace *trace = NULL;
	int r = save(steps);

	if (r == 0)
		r = fathom_trace_open(temp_path, 0, &trace, &err);
	if (r == 0)
		r = run(words, &window, trace, &text, &err);
	if (r == 0)
		assert_string_equal(strbuf_str(&text), wanted);
	else if (r != -ENOMEM || !mem_fault)
		assert_string_equal(fathom_err_text(&err), wanted);
	fathom_trace_free(trace);
}

#define expect(steps, wanted, ...) \
	expect_from(steps, 0, &(const struct count_words){ __VA_ARGS__ }, wanted)

/* first() calls second() and itself. */
static const struct step calls[] = {
	{ ENTRY, 100, 7, { FIRST, 0 } },
	{ ENTRY, 110, 7, { SECOND, 1 } },
	{ EXIT, 120, 7, { SECOND, 1, 111, 119 } },
	{ ENTRY, 130, 7, { FIRST, 1 } },
	{ ENTRY, 135, 8, { FIRST, 0 } },
	{ EXIT, 140, 7, { FIRST, 1, 130, 140 } },
	{ EXIT, 150, 7, { FIRST, 0, 100, 150 } },
	{ EXIT, 160, 9, { SECOND, 0, 60, 160 } },
	{ 0 },
};

static void counts_calls(void **state)
{
	expect(calls, "+0 3 0\n+20 1 0\n", .what = "*", .keys = "func");
	expect(calls, "7 2 0\n8 1 0\n", .what = "first", .keys = "pid");
	expect(calls, "first 3 0\nsecond 1 0\n", .what = "[fs]*", .keys = "event");
	expect(calls, "4 0\n", .what = "first,second");
	expect(calls, "", .what = "third");
	expect(calls, "function 'first' has no argument 'xyz'", .what = "first", .keys = "xyz");
	expect(calls, "function 'first' has no argument 'ret'", .what = "first", .keys = "ret");
}

static void measures_calls(void **state)
{
	expect(calls, "+0 2 60\n+20 1 8\nunpaired 1, open 1, unread 0, no stack 0\n", .what = "*",
	       .keys = "func", .is_latency = true);
	/* The return of a call that does not match ends nothing else. */
	expect(calls, "7 1 50\n", .what = "first", .keys = "pid", .is_latency = true,
	       .filter = "depth == 0 and pid == 7");
	expect(calls, "1 50\nunpaired 0, open 1, unread 0, no stack 0\n", .what = "first",
	       .is_latency = true, .filter = "dur > 20ns");
}

/* The begin is before the window. */
static void windows_know_what_began_before(void **state)
{
	const struct count_words latency = { .what = "first", .keys = "pid", .is_latency = true };
	const struct count_words number = { .what = "first" };

	expect_from(calls, 145, &latency, "7 1 50\nunpaired 0, open 1, unread 0, no stack 0\n");
	expect_from(calls, 125, &number, "2 0\n");
}

static void counts_text(void **state)
{
	static const char dir[8] = "here";
	struct step steps[] = {
		{ OPEN, 100, 7, { 1, 2, 0, (uint32_t)-3 } },
		{ OPEN, 110, 7, { 1, 2, 0, 4 } },
		{ 0 },
	};

	memcpy(&steps[0].words[2], dir, sizeof(dir));
	memcpy(&steps[1].words[2], dir, sizeof(dir));
	expect(steps, "'here' 2 1\n", .what = "s:open", .keys = "dir", .aggregator = COUNT_SUM,
	       .value = "n");
	expect(steps, "'' 2 0\nunpaired 0, open 0, unread 2, no stack 0\n", .what = "s:open",
	       .keys = "path");
}

static void counts_elements(void **state)
{
	static const struct step steps[] = {
		{ ARRAY, 100, 7, { 1, 2, 3 } },
		{ ARRAY, 110, 7, { 1, 5, 7 } },
		{ 0 },
	};

	expect(steps, "1 2 10\n", .what = "s:array", .keys = "args[0]", .aggregator = COUNT_SUM,
	       .value = "args[2]");
	expect(steps, "5 1 0\n", .what = "s:array/args[2] > 3/", .keys = "args[1]");
}

/* Thread 9 of process 7 executes a program and becomes thread 7. */
static void follows_tasks(void **state)
{
	struct step steps[] = {
		{ NEW_TASK, 100, 7, { 9, 0x10000 } },
		{ OPEN, 110, 9 },
		{ EXEC, 120, 7, { 0, 9 } },
		{ ARRAY, 130, 7, { 1 } },
		{ OPEN, 140, 8 },
		{ NEW_TASK, 150, 5, { 8 } },
		{ ARRAY, 160, 8, { 1 } },
		{ 0 },
	};

	memcpy(&steps[2].words[0], "x/prog", 6);
	expect(steps, "'prog' 7 1 20\nunpaired 1, open 1, unread 0, no stack 0\n",
	       .what = "s:open..s:array", .keys = "comm,tgid", .is_latency = true);
	expect(steps, "7 1 0\n9 1 0\n", .what = "s:*", .keys = "pid", .process = 7);
	expect(steps, "7 1 0\n9 1 0\n", .what = "s:*", .keys = "pid", .filter = "tgid == 7");
}

static void counts_samples(void **state)
{
	static const struct step steps[] = {
		{ SAMPLE, 100, 7, { 1, 7 | UINT64_C(1) << 32, FIRST, 0x5000 } },
		{ SAMPLE, 110, 7, { 1, 7 | UINT64_C(1) << 32, FIRST, 0x5000 } },
		{ SAMPLE, 120, 8, { 1, 7, 0x5000, 0x6000 } },
		{ ARRAY, 130, 8 },
		{ 0 },
	};

	expect(steps,
	       "7 1/0/ffffffff81000000 2 0\n8 -1 1 0\n"
	       "unpaired 0, open 0, unread 0, no stack 1\n",
	       .what = "profile:99", .keys = "pid,kstack");
	expect(steps, "7 1/7/5000 2 0\n7 2/7/5000 1 0\n", .what = "profile:99",
	       .keys = "tgid,ustack");
	expect(steps, "-1 1 0\nunpaired 0, open 0, unread 0, no stack 1\n", .what = "s:array",
	       .keys = "kstack");
}

/* An interrupt comes between the first event and its stack. */
static void finds_the_stack_of_an_event(void **state)
{
	static const struct step steps[] = {
		{ ARRAY, 100, 7, { 1 } },
		{ OPEN, 110, 7 },
		{ STACK, 111, 7, { 3, SECOND } },
		{ STACK, 120, 7, { 3, FIRST, SECOND } },
		{ STACK, 130, 7, { 3, SECOND } },
		{ ARRAY, 140, 7, { 4 } },
		{ STACK, 141, 7, { 3, FIRST, SECOND } },
		{ ARRAY, 150, 7, { 8 } },
		{ 0 },
	};

	expect(steps,
	       "-1 1 8\n2/0/ffffffff81000000 2 5\n"
	       "unpaired 0, open 0, unread 0, no stack 1\n",
	       .what = "s:array", .keys = "kstack", .aggregator = COUNT_SUM, .value = "args[0]");
}

/* A function that a tracer recorded is not counted again by a probe. */
static void counts_probes(void **state)
{
	static const struct step steps[] = {
		{ PROBE, 100, 7, { SECOND, 3 } },	  { PROBE, 110, 7, { SECOND, 4 } },
		{ ENTRY, 200, 7, { FIRST, 0 } },	  { PROBE, 205, 7, { FIRST, 5 } },
		{ EXIT, 210, 7, { FIRST, 0, 200, 210 } }, { PROBE, 250, 9, { FIRST, 6 } },
		{ PROBE, 300, 7, { 0x5000, 9 } },	  { 0 },
	};

	expect(steps, "+0 1 5\n+20 2 7\n", .what = "*", .keys = "func", .aggregator = COUNT_SUM,
	       .value = "n");
	expect(steps, "+20 1 0\n", .what = "second/n > 3/", .keys = "func");
}

static void explains_what_is_missing(void **state)
{
	expect(calls, "no event 's:opens' in the recording", .what = "s:opens");
	expect(calls, "no event 'x*:open' in the recording", .what = "x*:open");
	expect(calls, "event 'open' has no field 'm'; did you mean 'n'?", .what = "s:open",
	       .keys = "m");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_calls),
		cmocka_unit_test(measures_calls),
		cmocka_unit_test(windows_know_what_began_before),
		cmocka_unit_test(counts_text),
		cmocka_unit_test(counts_elements),
		cmocka_unit_test(follows_tasks),
		cmocka_unit_test(counts_samples),
		cmocka_unit_test(finds_the_stack_of_an_event),
		cmocka_unit_test(counts_probes),
		cmocka_unit_test(explains_what_is_missing),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
