/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the call tree with one computed in the simplest way, with all events in memory and a
 * full search for each call, on real recordings.
 */
#include "test.h"

#include "analyze/calls/call-view.h"
#include "analyze/calls/calls.h"
#include "analyze/stream/feed.h"
#include "base/mem.h"

#define FUNCS_MAX 4096

struct record {
	struct decoded_event decoded;
	struct fathom_event event;
};

struct sums {
	uint64_t address, count, total, own, asleep;
};

static struct record *records;
static size_t n_records, cap_records;

/* Returns the start of the call that ends with record @end, or none. */
static const struct record *find_beginning(size_t end)
{
	const struct record *last = &records[end];

	for (size_t i = end; i-- > 0;) {
		const struct record *r = &records[i];

		if (r->event.pid != last->event.pid ||
		    (!r->event.pid && r->event.cpu != last->event.cpu) ||
		    (r->decoded.kind != DECODED_CALL && r->decoded.kind != DECODED_RETURN))
			continue;
		if (r->decoded.call.depth < last->decoded.call.depth)
			return NULL;
		if (r->decoded.call.depth == last->decoded.call.depth)
			return r->decoded.kind == DECODED_CALL &&
					       r->decoded.call.func == last->decoded.call.func ?
				       r :
				       NULL;
	}
	return NULL;
}

/*
 * Returns how long the task was off the CPU between two records: in total, and while the call was
 * the innermost.
 */
static void find_sleep(const struct record *first, const struct record *last, uint64_t *ret_all,
		       uint64_t *ret_own)
{
	int32_t pid = first->event.pid;
	int depth = first->decoded.call.depth;
	uint64_t gone = 0;

	*ret_all = *ret_own = 0;
	for (const struct record *r = first; r < last; r++) {
		if (r->decoded.kind == DECODED_SWITCH) {
			if (pid && r->decoded.sched.prev_pid == pid)
				gone = r->event.time;
			if (pid && r->decoded.sched.next_pid == pid && gone) {
				*ret_all += r->event.time - gone;
				if (depth == first->decoded.call.depth)
					*ret_own += r->event.time - gone;
			}
		} else if (r->event.pid == pid && r->decoded.kind == DECODED_CALL) {
			depth = r->decoded.call.depth;
		} else if (r->event.pid == pid && r->decoded.kind == DECODED_RETURN) {
			depth = r->decoded.call.depth - 1;
		}
	}
}

static uint64_t find_children(const struct record *first, const struct record *last)
{
	uint64_t sum = 0;

	for (const struct record *r = first; r < last; r++)
		if (r->event.pid == last->event.pid &&
		    (r->event.pid || r->event.cpu == last->event.cpu) &&
		    r->decoded.kind == DECODED_RETURN &&
		    r->decoded.call.depth == last->decoded.call.depth + 1)
			sum += r->decoded.call.duration;
	return sum;
}

static struct sums *sums_of(struct sums *sums, size_t *n, uint64_t address)
{
	for (size_t i = 0; i < *n; i++)
		if (sums[i].address == address)
			return &sums[i];
	assert_true(*n < FUNCS_MAX);
	sums[*n].address = address;
	return &sums[(*n)++];
}

static size_t count_slowly(const struct kallsyms *kallsyms, struct sums *sums)
{
	size_t n = 0;

	for (size_t i = 0; i < n_records; i++) {
		const struct record *last = &records[i], *first;
		const struct kallsyms_symbol *symbol;
		uint64_t asleep, own_sleep, elsewhere;
		struct sums *s;

		if (last->decoded.kind != DECODED_RETURN)
			continue;
		first = find_beginning(i);
		if (!first)
			continue;
		symbol = kallsyms_find(kallsyms, NULL, last->decoded.call.func);
		s = sums_of(sums, &n, symbol ? symbol->address : last->decoded.call.func);
		find_sleep(first, last, &asleep, &own_sleep);
		elsewhere = find_children(first, last) + own_sleep;
		s->count++;
		s->total += last->decoded.call.duration;
		s->asleep += asleep;
		if (elsewhere < last->decoded.call.duration)
			s->own += last->decoded.call.duration - elsewhere;
	}
	return n;
}

static uint64_t read_records(struct fathom_trace *trace, struct event_table *table,
			     struct event_decoder *reader)
{
	struct fathom_cursor *cursor;
	struct fathom_event event;
	uint64_t lost = 0;

	n_records = 0;
	assert_int_equal(fathom_cursor_new(trace, NULL, &cursor, NULL), 0);
	while (fathom_cursor_next(cursor, &event) == 1) {
		struct decoded_event decoded;

		lost += event.missed;
		event_decoder_read(reader, &event, &decoded);
		if (decoded.kind != DECODED_CALL && decoded.kind != DECODED_RETURN &&
		    decoded.kind != DECODED_SWITCH)
			continue;
		assert_int_equal(
			mem_reserve(&records, &cap_records, n_records + 1, sizeof(*records)), 0);
		records[n_records++] = (struct record){ decoded, event };
	}
	fathom_cursor_free(cursor);
	return lost;
}

/* All paths of a function combined. */
static void add_up(const struct call_tree *tree, uint32_t at, struct sums *sums, size_t *n)
{
	for (at = tree->nodes[at].child; at != CALL_NONE; at = tree->nodes[at].sibling) {
		const struct call_node *node = &tree->nodes[at];
		struct sums *s;

		if (node->count) {
			s = sums_of(sums, n, tree->funcs.list[node->func].address);
			s->count += node->count;
			s->total += node->times.total;
			s->own += node->times.own;
			s->asleep += node->times.asleep;
		}
		add_up(tree, at, sums, n);
	}
}

static void take(void *data, const struct decoded_event *decoded)
{
	calls_feed(data, decoded);
}

static void compare_file(const char *name)
{
	static struct sums slow[FUNCS_MAX], fast[FUNCS_MAX];
	size_t n_slow, n_fast = 0, size;
	char path[500];
	struct fathom_trace *trace;
	struct event_table table;
	struct event_decoder reader = { .table = &table };
	struct kallsyms kallsyms;
	struct feed feed = { 0 };
	const struct call_tree *tree;
	struct calls *calls;
	const char *bytes;
	uint64_t lost;

	memset(slow, 0, sizeof(slow));
	memset(fast, 0, sizeof(fast));
	snprintf(path, sizeof(path), GOLDEN_DIR "/%s", name);
	assert_int_equal(fathom_trace_open(path, 0, &trace, NULL), 0);
	assert_int_equal(event_table_init(&table, trace, NULL), 0);
	assert_int_equal(fathom_trace_section(trace, FATHOM_SECTION_KALLSYMS, &bytes, &size, NULL),
			 0);
	assert_int_equal(kallsyms_init(&kallsyms, bytes, size), 0);
	lost = read_records(trace, &table, &reader);
	assert_int_equal(lost, 0);
	n_slow = count_slowly(&kallsyms, slow);
	feed = (struct feed){ .trace = trace, .events = &table };
	assert_int_equal(calls_new(&(struct calls_options){ .kallsyms = &kallsyms }, &calls), 0);
	assert_int_equal(feed_run(&feed, take, calls, NULL), 0);
	assert_int_equal(calls_finish(calls, &tree), 0);
	add_up(tree, CALL_ROOT, fast, &n_fast);
	assert_true(n_slow > 10);
	assert_int_equal(n_fast, n_slow);
	for (size_t i = 0; i < n_slow; i++) {
		const struct sums *f = sums_of(fast, &n_fast, slow[i].address);

		assert_int_equal(f->count, slow[i].count);
		assert_int_equal(f->total, slow[i].total);
		assert_int_equal(f->asleep, slow[i].asleep);
		if (f->own != slow[i].own)
			fail_msg("%s: own time of %lx: %lu, should be %lu", name,
				 (unsigned long)slow[i].address, (unsigned long)f->own,
				 (unsigned long)slow[i].own);
	}
	calls_free(calls);
	kallsyms_done(&kallsyms);
	event_decoder_done(&reader);
	event_table_done(&table);
	fathom_trace_free(trace);
}

static void equals_the_reference(void **state)
{
	static const char *const files[] = {
		"5.10-fgraph-v7zstd.dat",	  "6.1-4cpu-fgraph-syscalls-v7zstd.dat",
		"6.1-rt-fgraph-v7zstd.dat",	  "6.12-fgraph-v7zstd.dat",
		"7.2-fgraph-syscalls-v7zstd.dat",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		compare_file(files[i]);
	free(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
