/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "expect-text.h"
#include "step.h"
#include "test.h"

#include <time.h>
#include <unistd.h>

#include "analyze/calls/phases.h"
#include "analyze/replay/replay-tree.h"
#include "analyze/replay/replay.h"
#include "analyze/sums/slowest.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "format/file/trace-file.h"
#include "symbols/kernel/kallsyms.h"
#include "temp-file.h"
#include "trace-writer.h"

static const char symbols[] = "1000 t outer\n"
			      "2000 t inner\n"
			      "3000 t leaf\n"
			      "4000 t __x64_sys_read\n"
			      "5000 t lock\n"
			      "6000 t trace_enter\n"
			      "7000 t end\n";

static const char rules[] = "[noise: locks] short waits\nlock\n";

enum {
	OUTER = 0x1000,
	INNER = 0x2000,
	LEAF = 0x3000,
	SYS_READ = 0x4000,
	LOCK = 0x5000,
	TRACE_ENTER = 0x6000,
	READ = 0,
	EXECVE = 59,
};

#define IRQ	DECODED_IRQ_ENTRY
#define IRQ_END DECODED_IRQ_EXIT
#define FUNC	DECODED_FUNCTION
#define OTHER	DECODED_OTHER
#define SIGNAL	DECODED_SIGNAL
#define EXEC	DECODED_EXEC

static void feed(struct replay *replay, const struct step *step, uint64_t later)
{
	static const char data[16] = "";
	struct event_format format = { .name = "sys_enter_read", .system = "syscalls" };
	struct event_entry entry = { .format = &format };
	struct decoded_event decoded;
	struct fathom_event event;

	step_decode(step, &event, &decoded);
	decoded.entry = &entry;
	event.time += later;
	event.data = data;
	event.size = sizeof(data);
	event.id = step->kind == OTHER ? (uint16_t)step->what : 1;
	replay_feed(replay, &decoded);
}

static void put_node(const struct replay *replay, uint32_t at, int level, struct strbuf *text)
{
	static const char *const kinds[] = { "call",	"noise", "function", "syscall", "irq",
					     "softirq", "away",	 "event",    "lost",	"group" };
	const struct replay_tree *tree = replay_tree(replay);
	const struct replay_node *node = &tree->nodes[at];
	const bool is_call = node->kind == REPLAY_CALL || node->kind == REPLAY_FUNCTION;
	const struct func *func = is_call ? replay_func(replay, node->what) : NULL;

	strbuf_addf(text, "%*s%s %s", level, "", kinds[node->kind], func ? func->name : "");
	if (!func)
		strbuf_addf(text, "%d", (int)node->what);
	strbuf_addf(text, " at %llu", (unsigned long long)node->start);
	if (!(node->flags & REPLAY_NO_END))
		strbuf_addf(text, " took %llu", (unsigned long long)node->times.total);
	if (node->count > 1)
		strbuf_addf(text, " x%llu", (unsigned long long)node->count);
	if (node->times.asleep)
		strbuf_addf(text, " asleep %llu", (unsigned long long)node->times.asleep);
	if (node->hidden)
		strbuf_addf(text, " hides %llu", (unsigned long long)node->hidden);
	if (node->flags & REPLAY_NO_START)
		strbuf_adds(text, " began before");
	if (node->flags & REPLAY_NO_END)
		strbuf_adds(text, " goes on");
	if (node->flags & REPLAY_HAS_RESULT)
		strbuf_addf(text, " = %d", (int)node->result);
	else if (node->fate != SYSCALL_RETURNED)
		strbuf_addf(text, " fate %d", node->fate);
	if (node->kind == REPLAY_SYSCALL && node->len)
		strbuf_addf(text, " %.*s", (int)node->len, replay_tree_bytes(tree, node));
	strbuf_addc(text, '\n');
	for (uint32_t child = node->first; child != REPLAY_NONE; child = tree->nodes[child].next)
		put_node(replay, child, level + 1, text);
}

static void take(void *data, const struct replay *replay, int32_t pid, uint32_t node)
{
	struct strbuf *text = data;

	strbuf_addf(text, "%d: ", pid);
	put_node(replay, node, 0, text);
}

/* The options, and the steps, repeated @times times at intervals of @apart. */
struct trial {
	const struct step *steps;
	struct replay_options options;
	unsigned times;
	uint64_t apart;
	size_t nodes; /* maximum number of nodes */
};

static int run(struct trial *trial, const struct kallsyms *kallsyms, const struct phases *phases,
	       struct strbuf *text)
{
	struct replay_options options = trial->options;
	struct replay *replay;
	int r;

	options.kallsyms = kallsyms;
	options.phases = phases;
	options.depth = options.depth ?: 10;
	options.take = take;
	options.take_data = text;
	r = replay_new(&options, &replay);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < (trial->times ?: 1); i++) {
		for (const struct step *step = trial->steps; step->time; step++)
			feed(replay, step, i * trial->apart);
		if (replay_tree(replay)->n_used > trial->nodes)
			trial->nodes = replay_tree(replay)->n_used;
	}
	r = replay_finish(replay);
	replay_free(replay);
	return r ?: text->err;
}

static int print(struct trial *trial, struct strbuf *text)
{
	struct fathom_err err = { 0 };
	struct kallsyms kallsyms;
	struct phases *phases;
	int r = kallsyms_init(&kallsyms, symbols, strlen(symbols));

	if (r < 0)
		return r;
	r = phases_parse(rules, strlen(rules), &phases, &err);
	if (r == 0) {
		r = run(trial, &kallsyms, phases, text);
		phases_free(phases);
	}
	kallsyms_done(&kallsyms);
	return r;
}

static void expect_of(struct trial *trial, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = print(trial, &text);

	expect_text(r, &text, wanted);
}

static void expect(const struct step *steps, const char *wanted)
{
	expect_of(&(struct trial){ .steps = steps }, wanted);
}

/* A system call with functions, a wait and an event. */
static const struct step usual[] = {
	{ CALL, 90, 7, TRACE_ENTER, 0 },
	{ ENTRY, 100, 7, READ },
	{ RETURN, 105, 7, TRACE_ENTER, 0, 15 },
	{ CALL, 110, 7, SYS_READ, 0 },
	{ CALL, 120, 7, OUTER, 1 },
	{ CALL, 122, 7, LOCK, 2 },
	{ CALL, 123, 7, LEAF, 3 },
	{ RETURN, 124, 7, LEAF, 3, 1 },
	{ RETURN, 125, 7, LOCK, 2, 3 },
	{ SWITCH, 130, 7, 8, TASK_STATE_SLEEPING },
	{ WAKING, 150, 8, 7 },
	{ SWITCH, 160, 8, 7, TASK_STATE_SLEEPING },
	{ OTHER, 165, 7, 42 },
	{ RETURN, 170, 7, OUTER, 1, 50 },
	{ RETURN, 180, 7, SYS_READ, 0, 70 },
	{ EXIT, 200, 7, READ, -2 },
	{ 0 },
};

static void shows_a_system_call(void **state)
{
	expect(usual, "7: call trace_enter at 90 took 15\n"
		      "8: event 1 at 150 took 0\n"
		      "7: syscall 0 at 100 took 100 asleep 30 = -2\n"
		      " call outer at 120 took 50 asleep 30\n"
		      "  away 3 at 130 took 20\n"
		      "  away 2 at 150 took 10\n"
		      "  event 42 at 165 took 0\n"
		      "8: away 3 at 160 goes on\n");
}

/* The waits of tasks that were not recorded are unknown. */
static void states_of_unrecorded_tasks_are_unknown(void **state)
{
	static const char note[] = "pids: 7\n";
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	struct fathom_trace *trace = NULL;

	assert_non_null(w);
	trace_writer_option(w, TRACE_ID_FATHOM_INFO, note, sizeof(note));
	assert_int_equal(trace_writer_save(w, temp_path), 0);
	trace_writer_free(w);
	assert_int_equal(fathom_trace_open(temp_path, 0, &trace, NULL), 0);
	expect_of(&(struct trial){ .steps = usual, .options.trace = trace },
		  "7: call trace_enter at 90 took 15\n"
		  "8: event 1 at 150 took 0\n"
		  "7: syscall 0 at 100 took 100 asleep 30 = -2\n"
		  " call outer at 120 took 50 asleep 30\n"
		  "  away 3 at 130 took 20\n"
		  "  away 2 at 150 took 10\n"
		  "  event 42 at 165 took 0\n");
	fathom_trace_free(trace);
}

static void put_call(void *data, int32_t pid, struct strbuf *buf)
{
	strbuf_addf(buf, "(%s, %d)", (const char *)data, pid);
}

/* The arguments of an interrupted call become known when it is resolved. */
static bool knows_call;

static void put_late(void *data, int32_t pid, struct strbuf *buf)
{
	if (knows_call)
		put_call(data, pid, buf);
	knows_call = !knows_call;
}

static void arguments_may_become_known_late(void **state)
{
	static const struct step steps[] = { { ENTRY, 100, 7, READ },
					     { EXIT, 110, 7, READ, -512 },
					     { SIGNAL, 125, 7, 0, 10 },
					     { 0 } };
	char data[] = "buf";

	knows_call = false;
	expect_of(&(struct trial){ .steps = steps,
				   .options = { .put_call = put_late, .put_call_data = data } },
		  "7: syscall 0 at 100 took 10 = -4 (buf, 7)\n"
		  "7: event 1 at 125 took 0\n");
}

static void shows_arguments(void **state)
{
	static const struct step steps[] = { { ENTRY, 100, 7, READ }, { EXIT, 110, 7, READ, 4 },
					     { ENTRY, 120, 7, READ }, { EXIT, 125, 7, READ, 4 },
					     { ENTRY, 130, 7, READ }, { EXIT, 135, 7, READ, 5 },
					     { ENTRY, 140, 7, READ }, { 0 } };
	char data[] = "buf";

	expect_of(&(struct trial){ .steps = steps,
				   .options = { .put_call = put_call, .put_call_data = data } },
		  "7: syscall 0 at 100 took 15 x2 = 4 (buf, 7)\n"
		  "7: syscall 0 at 130 took 5 = 5 (buf, 7)\n"
		  "7: syscall 0 at 140 goes on (buf, 7)\n");
}

/* 8, a thread of 7, executes a program: it has the pid 7 afterwards. */
static void follows_exec_by_a_thread(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ }, { ENTRY, 110, 8, EXECVE }, { EXIT, 120, 7, READ, -512 },
		{ EXEC, 130, 7, 8 },	 { OTHER, 135, 7, 42 },	    { EXIT, 140, 7, EXECVE, 0 },
		{ ENTRY, 150, 8, READ }, { EXIT, 155, 8, READ, 2 }, { 0 },
	};
	char data[] = "buf";

	expect_of(&(struct trial){ .steps = steps,
				   .options = { .put_call = put_call, .put_call_data = data } },
		  "7: syscall 0 at 100 took 20 fate 1 (buf, 7)\n"
		  "7: syscall 59 at 110 took 30 = 0 (buf, 7)\n"
		  " event 1 at 130 took 0\n"
		  " event 42 at 135 took 0\n"
		  "8: syscall 0 at 150 took 5 = 2 (buf, 8)\n");
}

/* The exit of the call reveals it, and with it what became of the call that 7 was in. */
static void detects_exec_by_the_exit_of_the_call(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ },	{ ENTRY, 110, 8, EXECVE },
		{ EXIT, 120, 7, READ, -512 },	{ OTHER, 135, 7, 42 },
		{ EXIT, 140, 7, EXECVE, 0, 8 }, { ENTRY, 150, 7, READ },
		{ EXIT, 155, 7, READ, 2 },	{ 0 },
	};
	char data[] = "buf";

	expect_of(&(struct trial){ .steps = steps,
				   .options = { .put_call = put_call, .put_call_data = data } },
		  "7: syscall 0 at 100 took 20 fate 1 (buf, 7)\n"
		  "7: event 42 at 135 took 0\n"
		  "7: syscall 59 at 110 took 30 = 0 (buf, 8)\n"
		  "7: syscall 0 at 150 took 5 = 2 (buf, 7)\n");
}

/* Its functions reveal it before the event. */
static void detects_exec_by_functions(void **state)
{
	static const struct step steps[] = {
		{ CALL, 90, 7, OUTER, 0 },	  { ENTRY, 100, 8, EXECVE },
		{ CALL, 110, 8, INNER, 0 },	  { CALL, 120, 8, LEAF, 1 },
		{ RETURN, 130, 7, LEAF, 1, 10 },  { EXEC, 140, 7, 8 },
		{ RETURN, 145, 8, OUTER, 0, 55 }, { RETURN, 150, 7, INNER, 0, 40 },
		{ EXIT, 160, 7, EXECVE, 0 },	  { 0 },
	};

	expect(steps, "8: call outer at 90 took 55\n"
		      "7: syscall 59 at 100 took 60 = 0\n"
		      " call inner at 110 took 40\n"
		      "  call leaf at 120 took 10\n"
		      "  event 1 at 140 took 0\n");
}

/* It ends inside a function, which continues for a while. */
static void waits_for_the_last_function(void **state)
{
	static const struct step steps[] = { { ENTRY, 100, 7, READ },
					     { CALL, 110, 7, OUTER, 0 },
					     { EXIT, 120, 7, READ, 4 },
					     { CALL, 121, 7, LEAF, 1 },
					     { RETURN, 122, 7, LEAF, 1, 1 },
					     { RETURN, 130, 7, OUTER, 0, 20 },
					     { 0 } };

	expect_of(&(struct trial){ .steps = steps, .times = 3, .apart = 100 },
		  "7: syscall 0 at 100 took 60 x3 = 4\n"
		  " call outer at 110 took 60 x3\n"
		  "  call leaf at 121 took 3 x3\n");
}

/* Interrupted calls show the result that the program got, never the kernel's internal error. */
static void shows_what_interrupted_calls_return(void **state)
{
	static const struct step fails[] = {
		{ ENTRY, 100, 7, READ }, { EXIT, 120, 7, READ, -512 }, { SIGNAL, 125, 7, 0, 10 },
		{ ENTRY, 150, 7, READ }, { EXIT, 160, 7, READ, 4 },    { 0 }
	};
	static const struct step restarted[] = {
		{ ENTRY, 100, 7, READ },	  { CALL, 110, 7, OUTER, 0 },
		{ EXIT, 120, 7, READ, -512 },	  { SIGNAL, 125, 7, 0x10000000, 10 },
		{ RETURN, 130, 7, OUTER, 0, 20 }, { ENTRY, 150, 7, READ },
		{ EXIT, 160, 7, READ, 4 },	  { 0 }
	};
	static const struct step unknown[] = { { ENTRY, 100, 7, READ },
					       { EXIT, 120, 7, READ, -512 },
					       { OTHER, 130, 8, 42 },
					       { OTHER, 140, 7, 42 },
					       { 0 } };
	static const struct step killed[] = { { ENTRY, 100, 7, READ },
					      { EXIT, 120, 7, READ, -512 },
					      { SWITCH, 130, 7, 8, TASK_STATE_DEAD },
					      { 0 } };

	expect(fails, "7: syscall 0 at 100 took 20 = -4\n"
		      "7: event 1 at 125 took 0\n"
		      "7: syscall 0 at 150 took 10 = 4\n");
	expect(restarted, "7: syscall 0 at 100 took 20 fate 4\n"
			  " call outer at 110 took 20\n"
			  "  event 1 at 125 took 0\n"
			  "7: syscall 0 at 150 took 10 = 4\n");
	expect(unknown, "8: event 42 at 130 took 0\n"
			"7: syscall 0 at 100 took 20 fate 5\n"
			"7: event 42 at 140 took 0\n");
	expect(killed, "7: syscall 0 at 100 took 20 fate 1\n");
	/* Equal calls are not merged with those that returned. */
	expect_of(&(struct trial){ .steps = fails, .times = 2, .apart = 100 },
		  "7: group 3 at 100 took 60 x2\n"
		  " syscall 0 at 100 took 40 x2 = -4\n"
		  " event 1 at 125 took 0 x2\n"
		  " syscall 0 at 150 took 20 x2 = 4\n");
}

/* A call is not ended by the exit of another one. */
static void ignores_exits_of_other_calls(void **state)
{
	static const struct step lost[] = { { ENTRY, 100, 7, READ },
					    { EXIT, 120, 7, 1, 5 },
					    { ENTRY, 150, 7, READ },
					    { EXIT, 160, 7, READ, 4 },
					    { 0 } };
	static const struct step ends[] = { { ENTRY, 100, 7, READ },
					    { SWITCH, 130, 7, 8, TASK_STATE_DEAD },
					    { 0 } };

	expect(lost, "7: syscall 0 at 100 goes on\n"
		     "7: syscall 0 at 150 took 10 = 4\n");
	expect(ends, "7: syscall 0 at 100 goes on fate 1\n");
}

/* Each iteration: inner() twice, then leaf(); the second time inner() only once. */
static const struct step loop[] = {
	{ CALL, 110, 7, INNER, 1 },
	{ RETURN, 112, 7, INNER, 1, 2 },
	{ CALL, 120, 7, INNER, 1 },
	{ RETURN, 121, 7, INNER, 1, 1 },
	{ CALL, 130, 7, LEAF, 1 },
	{ RETURN, 133, 7, LEAF, 1, 3 },
	{ CALL, 140, 7, INNER, 1 },
	{ RETURN, 141, 7, INNER, 1, 1 },
	{ CALL, 150, 7, LEAF, 1 },
	{ RETURN, 151, 7, LEAF, 1, 1 },
	{ 0 },
};

static void folds_repetitions(void **state)
{
	struct trial trial = { .steps = loop, .times = 1000, .apart = 100 };

	expect_of(&trial, "7: call -1 at 110 began before goes on\n"
			  " group 2 at 110 took 8000 x2000\n"
			  "  call inner at 110 took 4000 x3000\n"
			  "  call leaf at 130 took 4000 x2000\n");
	assert_true(trial.nodes < 12);
}

static void can_show_all_repetitions(void **state)
{
	static const struct step steps[] = { { CALL, 110, 7, LEAF, 0 },
					     { RETURN, 112, 7, LEAF, 0, 2 },
					     { 0 } };

	expect_of(
		&(struct trial){
			.steps = steps, .times = 2, .apart = 100, .options.no_collapse = true },
		"7: call leaf at 110 took 2\n"
		"7: call leaf at 210 took 2\n");
}

static const struct step nested[] = {
	{ CALL, 100, 7, OUTER, 0 },	{ CALL, 110, 7, INNER, 1 },	  { CALL, 120, 7, LEAF, 2 },
	{ RETURN, 125, 7, LEAF, 2, 5 }, { RETURN, 130, 7, INNER, 1, 20 }, { CALL, 140, 7, LEAF, 1 },
	{ RETURN, 141, 7, LEAF, 1, 1 }, { RETURN, 150, 7, OUTER, 0, 50 }, { 0 },
};

static bool is_inner(const void *data, const char *name, bool is_syscall)
{
	return str_eq(name, data) && !is_syscall;
}

static bool is_task(const void *data, int32_t pid, const char *name)
{
	return pid == *(const int32_t *)data;
}

static void shows_a_window(void **state)
{
	const struct instance only = { .start = 140, .duration = 1, .pid = 7 };
	const int32_t seven = 7, eight = 8;

	expect_of(&(struct trial){ .steps = nested, .options.depth = 2 },
		  "7: call outer at 100 took 50\n"
		  " call inner at 110 took 20 hides 1\n"
		  " call leaf at 140 took 1\n");
	expect_of(&(struct trial){ .steps = nested, .options.min = 6 },
		  "7: call outer at 100 took 50 hides 1\n"
		  " call inner at 110 took 20 hides 1\n");
	expect_of(&(struct trial){ .steps = nested,
				   .options = { .begins = is_inner, .begins_data = "inner" } },
		  "7: call inner at 110 took 20\n"
		  " call leaf at 120 took 5\n");
	expect_of(&(struct trial){ .steps = nested, .options.only = &only },
		  "7: call leaf at 140 took 1\n");
	expect_of(&(struct trial){ .steps = nested,
				   .options = { .has_task = is_task, .has_task_data = &eight } },
		  "");
	expect_of(&(struct trial){ .steps = nested,
				   .options = { .has_task = is_task,
						.has_task_data = &seven,
						.depth = 1 } },
		  "7: call outer at 100 took 50 hides 3\n");
}

static void marks_missing_parts(void **state)
{
	static const struct step steps[] = {
		{ RETURN, 100, 7, INNER, 1, 30 }, /* began before */
		{ CALL, 110, 7, LEAF, 1 },
		{ RETURN, 111, 7, LEAF, 1, 1 },
		{ RETURN, 120, 7, OUTER, 0, 60 },
		{ CALL, 200, 7, OUTER, 0 },
		{ CALL, 210, 7, INNER, 1 },
		{ CALL, 300, 7, LEAF, 0, 0, 5 }, /* after lost events */
		{ RETURN, 301, 7, LEAF, 0, 1 },
		{ CALL, 310, 7, INNER, 0 },
		{ 0 },
	};

	expect(steps, "7: call outer at 60 took 60 began before\n"
		      " call inner at 70 took 30 began before\n"
		      " call leaf at 110 took 1\n"
		      "7: call outer at 200 goes on\n"
		      " call inner at 210 goes on\n"
		      "  lost 0 at 300 took 0\n"
		      "7: call leaf at 300 took 1\n"
		      "7: call inner at 310 goes on\n");
}

static void shows_interrupts(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, OUTER, 0 },
		{ IRQ, 110, 7, 5 },
		{ CALL, 112, 7, LEAF, 1 },
		{ RETURN, 113, 7, LEAF, 1, 1 },
		{ IRQ_END, 120, 7, 5 },
		{ RETURN, 130, 7, OUTER, 0, 30 },
		{ IRQ_END, 140, 7, 5 },
		{ IRQ, 150, 7, 5 },
		{ IRQ, 160, 7, 5 },
		{ IRQ, 170, 7, 5 },
		{ CALL, 200, 7, LEAF, 0 },
		{ RETURN, 201, 7, LEAF, 0, 1 },
		{ 0 },
	};

	expect(steps, "7: call outer at 100 took 30\n"
		      " irq 5 at 110 took 10\n"
		      "  call leaf at 112 took 1\n"
		      "7: irq 5 at 150 goes on\n"
		      "7: event 1 at 160 took 0 x2\n"
		      "7: call leaf at 200 took 1\n");
}

/* The function tracer records only entries. */
static void shows_functions_without_an_end(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ },
		{ FUNC, 110, 7, OUTER },
		{ FUNC, 120, 7, LEAF },
		{ EXIT, 200, 7, READ, 0 },
		{ 0 },
	};

	expect(steps, "7: syscall 0 at 100 took 100 = 0\n"
		      " function outer at 110 took 0\n"
		      " function leaf at 120 took 0\n");
}

/* Trees of two tasks appear in the order in which they end. */
static void shows_tasks_in_order_of_completion(void **state)
{
	static const struct step steps[] = { { CALL, 100, 7, OUTER, 0 },
					     { CALL, 110, 8, LEAF, 0 },
					     { RETURN, 111, 8, LEAF, 0, 1 },
					     { RETURN, 120, 7, OUTER, 0, 20 },
					     { CALL, 130, 8, LEAF, 0 },
					     { RETURN, 131, 8, LEAF, 0, 1 },
					     { CALL, 140, 0, LEAF, 0 },
					     { RETURN, 141, 0, LEAF, 0, 1 },
					     { 0 } };

	expect(steps, "8: call leaf at 110 took 1\n"
		      "7: call outer at 100 took 20\n"
		      "8: call leaf at 130 took 1\n");
	expect_of(&(struct trial){ .steps = steps, .options.idle = true },
		  "8: call leaf at 110 took 1\n"
		  "7: call outer at 100 took 20\n"
		  "8: call leaf at 130 took 1\n"
		  "0: call leaf at 140 took 1\n");
}

static int print_once(void *arg)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct trial trial = { .steps = arg };

	return print(&trial, &text);
}

static void survives_failing_allocations(void **state)
{
	oom_check(print_once, (void *)usual);
	oom_check(print_once, (void *)loop);
}

/*
 * Items that overlap with the window are shown completely, without nested items that are outside
 * it.
 */
static void shows_items_that_overlap_the_window(void **state)
{
	static const struct step repeated[] = {
		{ ENTRY, 100, 7, READ },   { EXIT, 110, 7, READ, 4 }, { ENTRY, 120, 7, READ },
		{ EXIT, 125, 7, READ, 4 }, { ENTRY, 130, 7, READ },   { EXIT, 135, 7, READ, 4 },
		{ ENTRY, 140, 7, READ },   { EXIT, 145, 7, READ, 4 }, { 0 }
	};

	expect_of(&(struct trial){ .steps = usual, .options.clip = { 140, 145 } },
		  "7: syscall 0 at 100 took 100 asleep 30 = -2\n"
		  " call outer at 120 took 50 asleep 30\n"
		  "  away 3 at 130 took 20\n");
	expect_of(&(struct trial){ .steps = usual, .options.clip = { 151, 0 } },
		  "7: syscall 0 at 100 took 100 asleep 30 = -2\n"
		  " call outer at 120 took 50 asleep 30\n"
		  "  away 2 at 150 took 10\n"
		  "  event 42 at 165 took 0\n"
		  "8: away 3 at 160 goes on\n");
	/* Both ends are inside. */
	expect_of(&(struct trial){ .steps = repeated, .options.clip = { 125, 130 } },
		  "7: syscall 0 at 120 took 10 x2 = 4\n");
	expect_of(&(struct trial){ .steps = repeated, .options.clip = { 126, 129 } }, "");
}

/* An item without an end lasts as long as its task. */
static void shows_open_items_in_a_window(void **state)
{
	static const struct step reads[] = { { ENTRY, 100, 7, READ },
					     { OTHER, 300, 8, 42 },
					     { 0 } };
	static const struct step ends[] = { { ENTRY, 100, 7, READ },
					    { SWITCH, 150, 7, 8, TASK_STATE_DEAD },
					    { OTHER, 300, 8, 42 },
					    { 0 } };
	/* Without switches, that is unknown: it was last seen before. */
	static const struct step calls[] = { { CALL, 100, 7, OUTER, 0 },
					     { OTHER, 300, 8, 42 },
					     { 0 } };

	expect_of(&(struct trial){ .steps = reads, .options.clip = { 200, 250 } },
		  "7: syscall 0 at 100 goes on\n");
	expect_of(&(struct trial){ .steps = ends, .options.clip = { 200, 250 } }, "");
	expect_of(&(struct trial){ .steps = ends, .options.clip = { 140, 250 } },
		  "7: syscall 0 at 100 goes on fate 1\n");
	expect_of(&(struct trial){ .steps = calls, .options.clip = { 200, 250 } }, "");
}

/* A system call that ended before the window, except for a function, contains nothing. */
static void omits_an_empty_call_with_an_open_function(void **state)
{
	static const struct step steps[] = { { ENTRY, 100, 7, READ },
					     { CALL, 110, 7, OUTER, 0 },
					     { CALL, 112, 7, INNER, 1 },
					     { EXIT, 120, 7, READ, 4 },
					     { ENTRY, 130, 7, READ },
					     { RETURN, 140, 7, INNER, 1, 28 },
					     { RETURN, 142, 7, OUTER, 0, 32 },
					     { EXIT, 150, 7, READ, 4 },
					     { ENTRY, 200, 7, READ },
					     { CALL, 202, 7, OUTER, 0 },
					     { CALL, 204, 7, INNER, 1 },
					     { RETURN, 206, 7, INNER, 1, 2 },
					     { RETURN, 208, 7, OUTER, 0, 6 },
					     { EXIT, 210, 7, READ, 4 },
					     { 0 } };

	expect_of(&(struct trial){ .steps = steps, .options.clip = { 190, 0 } },
		  "7: syscall 0 at 200 took 10 = 4\n"
		  " call outer at 202 took 6\n"
		  "  call inner at 204 took 2\n");
}

/* With many tasks, few of them active, not every event may visit all of them. */
static void compacts_rarely(void **state)
{
	enum {
		TASKS = 30000,
		EVENTS = 30000
	};
	struct replay_tree tree = { 0 };
	static const char bytes[40] = "bytes";
	clock_t begin = clock();

	for (unsigned i = 0; i < TASKS; i++)
		replay_tree_add(&tree, REPLAY_NONE, REPLAY_GROUP, 0, 0);
	for (unsigned i = 0; i < EVENTS && !tree.nomem; i++) {
		uint32_t node = replay_tree_add(&tree, 0, REPLAY_EVENT, i, i);

		assert_int_not_equal(node, REPLAY_NONE);
		replay_tree_set_bytes(&tree, node, bytes, sizeof(bytes));
		replay_tree_remove(&tree, node);
	}
	assert_true(tree.cap_bytes < EVENTS * sizeof(bytes));
	assert_true(clock() - begin < CLOCKS_PER_SEC);
	replay_tree_done(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_a_system_call),
		cmocka_unit_test(states_of_unrecorded_tasks_are_unknown),
		cmocka_unit_test(shows_arguments),
		cmocka_unit_test(follows_exec_by_a_thread),
		cmocka_unit_test(detects_exec_by_the_exit_of_the_call),
		cmocka_unit_test(detects_exec_by_functions),
		cmocka_unit_test(arguments_may_become_known_late),
		cmocka_unit_test(waits_for_the_last_function),
		cmocka_unit_test(shows_what_interrupted_calls_return),
		cmocka_unit_test(ignores_exits_of_other_calls),
		cmocka_unit_test(folds_repetitions),
		cmocka_unit_test(can_show_all_repetitions),
		cmocka_unit_test(shows_a_window),
		cmocka_unit_test(marks_missing_parts),
		cmocka_unit_test(shows_interrupts),
		cmocka_unit_test(shows_tasks_in_order_of_completion),
		cmocka_unit_test(shows_items_that_overlap_the_window),
		cmocka_unit_test(shows_open_items_in_a_window),
		cmocka_unit_test(omits_an_empty_call_with_an_open_function),
		cmocka_unit_test(compacts_rarely),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(shows_functions_without_an_end),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
