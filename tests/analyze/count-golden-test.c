/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts over real recordings, compared with the other analyses of them: events with the counts of
 * `fathom stats`, calls with the call tree, system calls with `fathom syscalls`.
 */
#include "test.h"

#include <inttypes.h>

#include "analyze/calls/calls.h"
#include "analyze/calls/counts.h"
#include "analyze/calls/event-stacks.h"
#include "analyze/count/count-events.h"
#include "analyze/stream/feed.h"
#include "analyze/syscalls/syscalls.h"
#include "base/cleanup.h"
#include "read/context/tasks.h"

/* A recording that is read by several analyses. */
struct recording {
	const char *name;
	struct fathom_trace *trace;
	struct event_table table;
	struct kallsyms kallsyms;
};

static void recording_open(struct recording *recording, const char *name)
{
	const char *bytes;
	char path[500];
	size_t size;

	recording->name = name;
	snprintf(path, sizeof(path), GOLDEN_DIR "/%s", name);
	assert_int_equal(fathom_trace_open(path, 0, &recording->trace, NULL), 0);
	assert_int_equal(event_table_init(&recording->table, recording->trace, NULL), 0);
	assert_int_equal(fathom_trace_section(recording->trace, FATHOM_SECTION_KALLSYMS, &bytes,
					      &size, NULL),
			 0);
	assert_int_equal(kallsyms_init(&recording->kallsyms, bytes, size), 0);
}

static void recording_close(struct recording *recording)
{
	kallsyms_done(&recording->kallsyms);
	event_table_done(&recording->table);
	fathom_trace_free(recording->trace);
}

static void recording_feed(struct recording *recording, feed_taker *take, void *data)
{
	struct feed feed = { .trace = recording->trace, .events = &recording->table };

	assert_int_equal(feed_run(&feed, take, data, NULL), 0);
}

/* Carries out a plan. The result is released by count_events_free(). */
static struct count_events *count(struct recording *recording, const struct count_words *words,
				  struct arena *arena)
{
	struct count_plan *plan = arena_zalloc(arena, 1, sizeof(*plan));
	struct count_events_options options = { .plan = plan,
						.events = &recording->table,
						.kallsyms = &recording->kallsyms };
	struct fathom_err err = { 0 };
	struct count_events *events = NULL;

	assert_non_null(plan);
	if (count_plan_parse(words, arena, plan, &err) < 0 ||
	    count_events_new(&options, &events, &err) < 0)
		fail_msg("%s: %s", recording->name, fathom_err_text(&err));
	recording_feed(recording, count_events_take, events);
	assert_int_equal(count_events_end(events), 0);
	return events;
}

static void take_count(void *data, const struct decoded_event *decoded)
{
	if (decoded->kind != DECODED_CALL || !decoded->call.is_user)
		counts_feed(data, decoded);
}

static void compare_events(struct recording *recording)
{
	struct arena arena = { 0 };
	struct count_events *events =
		count(recording, &(struct count_words){ .what = "*:*", .keys = "event" }, &arena);
	struct counts counts = { .by = COUNTS_BY_EVENT };
	struct feed feed = { .trace = recording->trace,
			     .events = &recording->table,
			     .plain = true };
	const struct count_table *table = count_events_table(events);
	uint64_t total = 0;
	struct count_sums sums;
	size_t n;
	const struct count_site *sites = count_events_sites(events, &n);

	assert_int_equal(feed_run(&feed, take_count, &counts, NULL), 0);
	for (size_t i = 0; i < table->n; i++) {
		int64_t site = count_row_number(&table->rows[i], &table->columns->keys[0]);
		const struct count *wanted = NULL;

		assert_in_range(site, 0, n - 1);
		for (size_t k = 0; k < counts.n; k++)
			if (counts.list[k].key == (uint64_t)sites[site].format->id)
				wanted = &counts.list[k];
		assert_non_null(wanted);
		assert_int_equal(table->rows[i].sums.count, wanted->n);
	}
	for (size_t k = 0; k < counts.n; k++)
		if (counts.list[k].entry && counts.list[k].entry->format &&
		    strcmp(counts.list[k].entry->format->system, "ftrace") != 0)
			total += counts.list[k].n;
	count_table_total(table, &sums);
	assert_int_equal(sums.count, total);
	assert_true(total > 0);
	counts_done(&counts);
	count_events_free(events);
	arena_done(&arena);
}

static void counts_events_as_stats_does(void **state)
{
	static const char *const files[] = {
		"5.10-events-v7zstd.dat", "6.1-4cpu-events-v6.dat", "6.1-rt-events-v7zstd.dat",
		"6.12-events-v7zstd.dat", "7.2-block-v7zstd.dat",   "6.1-4cpu-kprobe-v7zstd.dat",
		"6.12-stacks-v7zstd.dat",
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct recording recording;

		recording_open(&recording, files[i]);
		compare_events(&recording);
		recording_close(&recording);
	}
}

static void take_call(void *data, const struct decoded_event *decoded)
{
	calls_feed(data, decoded);
}

/* Adds up the complete calls of a function below @at. */
static void tree_sum(const struct call_tree *tree, uint32_t at, uint64_t address,
		     struct count_sums *sums)
{
	for (at = tree->nodes[at].child; at != CALL_NONE; at = tree->nodes[at].sibling) {
		const struct call_node *node = &tree->nodes[at];

		if (node->count && tree->funcs.list[node->func].address == address) {
			sums->count += node->count;
			sums->sum += node->times.total;
		}
		tree_sum(tree, at, address, sums);
	}
}

static void compare_calls(struct recording *recording)
{
	struct arena arena = { 0 };
	struct count_events *events = count(
		recording, &(struct count_words){ .what = "*", .keys = "func", .is_latency = true },
		&arena);
	const struct count_table *table = count_events_table(events);
	const struct call_tree *tree;
	struct count_sums total, all = { 0 };
	struct calls *calls;

	assert_int_equal(
		calls_new(&(struct calls_options){ .kallsyms = &recording->kallsyms }, &calls), 0);
	recording_feed(recording, take_call, calls);
	assert_int_equal(calls_finish(calls, &tree), 0);
	assert_true(table->n > 10);
	for (size_t i = 0; i < table->n; i++) {
		uint64_t address =
			(uint64_t)count_row_number(&table->rows[i], &table->columns->keys[0]);
		struct count_sums wanted = { 0 };

		tree_sum(tree, CALL_ROOT, address, &wanted);
		if (table->rows[i].sums.count != wanted.count ||
		    table->rows[i].sums.sum != wanted.sum)
			fail_msg("%s: %" PRIx64 ": %" PRIu64 " calls, %" PRIu64
				 " ns, should be %" PRIu64 ", %" PRIu64,
				 recording->name, address, table->rows[i].sums.count,
				 table->rows[i].sums.sum, wanted.count, wanted.sum);
		assert_int_equal(spread_total(&table->rows[i].spread), wanted.count);
		all.count += wanted.count;
	}
	count_table_total(table, &total);
	assert_int_equal(total.count, all.count);
	calls_free(calls);
	count_events_free(events);
	arena_done(&arena);
}

static void measures_calls_as_the_call_tree_does(void **state)
{
	static const char *const files[] = {
		"5.10-fgraph-v7zstd.dat",	  "6.1-4cpu-fgraph-syscalls-v7zstd.dat",
		"6.1-rt-fgraph-v7zstd.dat",	  "6.12-fgraph-v7zstd.dat",
		"7.2-fgraph-syscalls-v7zstd.dat",
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct recording recording;

		recording_open(&recording, files[i]);
		compare_calls(&recording);
		recording_close(&recording);
	}
}

static void take_syscall(void *data, const struct decoded_event *decoded)
{
	syscalls_feed(data, decoded);
}

/* Not all system calls return. */
static void compare_syscalls(struct recording *recording)
{
	struct arena arena = { 0 };
	struct count_events *events =
		count(recording,
		      &(struct count_words){ .what = "syscalls:sys_enter_*..syscalls:sys_exit_*",
					     .keys = "__syscall_nr",
					     .is_latency = true },
		      &arena);
	const struct count_table *table = count_events_table(events);
	struct syscalls syscalls = { 0 };
	size_t n = 0;

	recording_feed(recording, take_syscall, &syscalls);
	assert_int_equal(syscalls_finish(&syscalls), 0);
	for (size_t i = 0; i < syscalls.n; i++) {
		const struct syscall_sums *wanted = &syscalls.list[i];
		const struct count_row *row = count_table_find(table, &wanted->number);

		if (!wanted->count)
			continue;
		assert_non_null(row);
		assert_int_equal(row->sums.count, wanted->count);
		assert_int_equal(row->sums.sum, wanted->total);
		assert_int_equal(row->sums.min, wanted->min);
		assert_int_equal(row->sums.max, wanted->max);
		assert_int_equal(row->spread.n, wanted->spread.n);
		assert_memory_equal(row->spread.counts, wanted->spread.counts,
				    row->spread.n * sizeof(*row->spread.counts));
		n++;
	}
	assert_true(n > 5);
	assert_int_equal(table->n, n);
	syscalls_done(&syscalls);
	count_events_free(events);
	arena_done(&arena);
}

static void measures_system_calls(void **state)
{
	static const char *const files[] = { "6.1-4cpu-fgraph-syscalls-v7zstd.dat",
					     "7.2-fgraph-syscalls-v7zstd.dat" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct recording recording;

		recording_open(&recording, files[i]);
		compare_syscalls(&recording);
		recording_close(&recording);
	}
}

static void take_stack(void *data, const struct decoded_event *decoded)
{
	event_stacks_feed(data, decoded->event, decoded->unwanted);
}

/* Adds up the stacks of a tree that end with the function at @address. */
static uint64_t stacks_of(const struct call_tree *tree, uint32_t at, uint64_t address)
{
	uint64_t n = 0;

	for (at = tree->nodes[at].child; at != CALL_NONE; at = tree->nodes[at].sibling) {
		const struct call_node *node = &tree->nodes[at];

		if (tree->funcs.list[node->func].address == address)
			n += node->times.own;
		n += stacks_of(tree, at, address);
	}
	return n;
}

static void compare_stacks(struct recording *recording)
{
	struct arena arena = { 0 };
	struct count_events *fast = count(
		recording, &(struct count_words){ .what = "sched:sched_wakeup", .keys = "kstack" },
		&arena);
	const struct count_table *table = count_events_table(fast);
	struct event_stacks stacks = { 0 };
	struct sample_tree tree;
	struct feed feed = { .trace = recording->trace,
			     .events = &recording->table,
			     .plain = true };
	struct count_sums total;

	assert_int_equal(sample_tree_init(&tree, &recording->kallsyms, NULL, NULL), 0);
	assert_int_equal(event_stacks_init(&stacks, &tree, &recording->table, "sched:sched_wakeup",
					   NULL),
			 0);
	assert_int_equal(feed_run(&feed, take_stack, &stacks, NULL), 0);
	assert_int_equal(event_stacks_finish(&stacks), 0);
	count_table_total(table, &total);
	assert_true(total.count > 10);
	assert_int_equal(total.count, stacks.count);
	assert_int_equal(table->losses.no_stack, stacks.bare);
	for (size_t i = 0; i < table->n; i++) {
		int64_t id = count_row_number(&table->rows[i], &table->columns->keys[0]);
		const struct count_stack *stack = count_events_stack(fast, id);
		const struct kallsyms_symbol *first;
		uint64_t n = 0;

		if (id == COUNT_STACK_NONE)
			continue;
		assert_non_null(stack);
		assert_true(stack->n > 2);
		/* All stacks with the same innermost function. */
		first = kallsyms_function(&recording->kallsyms, NULL, stack->frames[0]);
		assert_non_null(first);
		for (size_t k = 0; k < table->n; k++) {
			const struct count_stack *other = count_events_stack(
				fast, count_row_number(&table->rows[k], &table->columns->keys[0]));

			if (other && kallsyms_function(&recording->kallsyms, NULL,
						       other->frames[0]) == first)
				n += table->rows[k].sums.count;
		}
		assert_int_equal(n, stacks_of(&tree.tree, CALL_ROOT, first->address));
	}
	event_stacks_done(&stacks);
	sample_tree_done(&tree);
	count_events_free(fast);
	arena_done(&arena);
}

static void finds_stacks_as_flame_graphs_do(void **state)
{
	static const char *const files[] = { "6.12-stacks-v7zstd.dat", "5.10-stacks-v7zstd.dat",
					     "6.1-rt-stacks-v7zstd.dat" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct recording recording;

		recording_open(&recording, files[i]);
		compare_stacks(&recording);
		recording_close(&recording);
	}
}

/* An open() that probes recorded at its entry and its return. */
struct opened {
	char name[COUNT_TEXT_SIZE];
	uint64_t count, time;
	int64_t results;
};

struct opens {
	struct opened rows[200];
	size_t n;
	struct {
		uint64_t time;
		char name[COUNT_TEXT_SIZE];
	} begun[4000]; /* by pid */
};

static struct opened *opens_row(struct opens *opens, const char *name)
{
	for (size_t i = 0; i < opens->n; i++)
		if (strcmp(opens->rows[i].name, name) == 0)
			return &opens->rows[i];
	assert_true(opens->n < ARRAY_SIZE(opens->rows));
	memcpy(opens->rows[opens->n].name, name, strlen(name));
	return &opens->rows[opens->n++];
}

static void take_open(void *data, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	const struct event_format *format = decoded->entry ? decoded->entry->format : NULL;
	struct opens *opens = data;
	struct opened *row;
	const char *text;
	int64_t result;
	size_t len;

	if (!format ||
	    (strcmp(format->name, "kp_open") != 0 && strcmp(format->name, "kr_open") != 0))
		return;
	assert_in_range(event->pid, 1, ARRAY_SIZE(opens->begun) - 1);
	if (strcmp(format->name, "kp_open") == 0) {
		assert_true(event_field_string(format, event_field_find(format, "name"),
					       event->data, event->size, &text, &len));
		snprintf(opens->begun[event->pid].name, COUNT_TEXT_SIZE, "%.*s", (int)len, text);
		opens->begun[event->pid].time = event->time;
	} else if (opens->begun[event->pid].time) {
		assert_true(event_field_s64(format, event_field_find(format, "ret"), event->data,
					    event->size, &result));
		row = opens_row(opens, opens->begun[event->pid].name);
		row->count++;
		row->results += result;
		row->time += event->time - opens->begun[event->pid].time;
		opens->begun[event->pid].time = 0;
	}
}

static void compare_probes(struct recording *recording)
{
	static struct opens opens;
	struct arena arena = { 0 };
	struct count_events *results = count(recording,
					     &(struct count_words){ .what = "do_sys_openat2",
								    .keys = "name",
								    .aggregator = COUNT_SUM,
								    .value = "ret" },
					     &arena);
	struct count_events *times = count(recording,
					   &(struct count_words){ .what = "do_sys_open*",
								  .keys = "name",
								  .aggregator = COUNT_STATS,
								  .is_latency = true },
					   &arena);
	const struct count_table *table = count_events_table(results);

	memset(&opens, 0, sizeof(opens));
	recording_feed(recording, take_open, &opens);
	assert_true(opens.n > 5);
	assert_int_equal(table->n, opens.n);
	assert_int_equal(count_events_table(times)->n, opens.n);
	assert_int_equal(table->losses.unread, 0);
	for (size_t i = 0; i < opens.n; i++) {
		const struct opened *wanted = &opens.rows[i];
		char key[COUNT_TEXT_SIZE] = "";
		const struct count_row *row, *timed;

		memcpy(key, wanted->name, strlen(wanted->name));
		row = count_table_find(table, key);
		timed = count_table_find(count_events_table(times), key);
		assert_non_null(row);
		assert_non_null(timed);
		assert_int_equal(row->sums.count, wanted->count);
		assert_int_equal(row->sums.sum, wanted->results);
		assert_int_equal(timed->sums.sum, wanted->time);
	}
	count_events_free(results);
	count_events_free(times);
	arena_done(&arena);
}

static void takes_arguments_and_results_of_probes(void **state)
{
	static const char *const files[] = { "6.1-4cpu-kprobe-v7zstd.dat" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct recording recording;

		recording_open(&recording, files[i]);
		compare_probes(&recording);
		recording_close(&recording);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_events_as_stats_does),
		cmocka_unit_test(measures_calls_as_the_call_tree_does),
		cmocka_unit_test(measures_system_calls),
		cmocka_unit_test(finds_stacks_as_flame_graphs_do),
		cmocka_unit_test(takes_arguments_and_results_of_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
