/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random files are split in random ways. The concatenated parts equal the selected window of the
 * whole, including losses.
 */
#include <fcntl.h>
#include <unistd.h>

#include "random-trace.h"
#include "read/trace.h"
#include "write/trace-split.h"

#define CPUS	8
#define BUFFERS 3

static char in[] = "/tmp/fathom-split-in-XXXXXX", out[] = "/tmp/fathom-split-out-XXXXXX";

/* Writes the next part like a process that only knows where the previous one ended. */
static bool next_piece(const struct trace_split_options *options, struct stream_mark **marks,
		       size_t *n_marks, bool *ret_more)
{
	struct trace_dat_options dat = { .as_it_is = true, .threads = 1 };
	struct fathom_trace *trace = open_or_fail(in, 0);
	const struct trace_dat_plan *plan;
	struct trace_dat_writer *writer;
	const struct stream_mark *place;
	struct trace_split *split;
	int r, fd = open(out, O_RDWR | O_TRUNC | O_CLOEXEC);

	assert_int_equal(trace_dat_writer_new(&dat, 0, &writer, NULL), 0);
	assert_int_equal(trace_split_new(trace, options, &split, NULL), 0);
	if (*marks)
		assert_true(trace_split_resume(split, *marks, *n_marks));
	r = trace_split_next(split, &plan, NULL);
	assert_true(r >= 0);
	assert_int_equal(trace_dat_write(writer, plan, fd, NULL), 0);
	place = trace_split_place(split, n_marks);
	*marks = reallocarray(*marks, *n_marks + 1, sizeof(**marks));
	assert_non_null(*marks);
	memcpy(*marks, place, *n_marks * sizeof(**marks));
	*ret_more = trace_split_has_more(split);
	trace_split_free(split);
	trace_dat_writer_free(writer);
	fathom_trace_free(trace);
	close(fd);
	return r == 1;
}

static void append(struct events *all, const struct events *part)
{
	for (size_t i = 0; i < part->n; i++) {
		struct fathom_event event = part->list[i];

		event.data = "";
		event.size = 0;
		events_add(all, &event);
		all->list[all->n - 1].size = part->list[i].size;
		all->sums[all->n - 1] = part->sums[i];
	}
}

/* Checks that the part has the requested size. */
static void check_size(const struct trace_split_options *options, const struct events *part,
		       bool first)
{
	size_t per_stream[BUFFERS][CPUS] = { { 0 } }, most = 0;

	for (size_t i = 0; i < part->n; i++) {
		size_t *n = &per_stream[part->list[i].buffer][part->list[i].cpu];

		most = ++*n > most ? *n : most;
	}
	if (options->unit == TRACE_SPLIT_EVENTS)
		assert_true((options->per_cpu ? most : part->n) <= options->count);
	if (options->unit == TRACE_SPLIT_TIME && !options->per_cpu && part->n)
		assert_true(part->list[part->n - 1].time - part->list[0].time <= options->count);
	assert_true(first || part->n > 0);
}

/* Ordered by stream, and within each as in the file. */
static const struct events *sorted;

static int by_stream(const void *a, const void *b)
{
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const struct fathom_event *x = &sorted->list[i], *y = &sorted->list[k];

	if (x->buffer != y->buffer)
		return x->buffer - y->buffer;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (i > k) - (i < k);
}

static size_t *order_of(const struct events *events, bool per_stream)
{
	size_t *order = calloc(events->n + 1, sizeof(*order));

	assert_non_null(order);
	for (size_t i = 0; i < events->n; i++)
		order[i] = i;
	sorted = events;
	if (per_stream)
		qsort(order, events->n, sizeof(*order), by_stream);
	return order;
}

static void same(const struct events *want, const struct events *got, bool per_stream)
{
	_cleanup_free_ size_t *a = order_of(want, per_stream), *b = order_of(got, per_stream);

	assert_int_equal(want->n, got->n);
	for (size_t i = 0; i < want->n; i++) {
		same_event(want, a[i], got, b[i]);
		if (want->list[a[i]].missed != got->list[b[i]].missed)
			fail_msg("event %zu: %llu were lost, not %llu", i,
				 (unsigned long long)want->list[a[i]].missed,
				 (unsigned long long)got->list[b[i]].missed);
	}
}

static void read_window(const struct trace_split_options *options, struct events *ret_events)
{
	struct fathom_window window = { .from = options->from, .to = options->to };
	struct fathom_trace *trace = open_or_fail(in, 0);
	struct fathom_cursor *cursor;

	if (options->has_cpu) {
		window.cpus = &options->cpu;
		window.n_cpus = 1;
	}
	*ret_events = (struct events){ 0 };
	cursor = cursor_or_fail(trace, &window);
	events_read(ret_events, cursor);
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
}

/* Compares all parts with the window of the whole. Returns the number of parts. */
static unsigned split_all(const struct trace_split_options *options)
{
	_cleanup_free_ struct stream_mark *marks = NULL;
	struct events want, got = { 0 };
	unsigned pieces = 0;
	size_t n_marks = 0;
	bool more;

	read_window(options, &want);
	do {
		struct events part;
		bool has_events = next_piece(options, &marks, &n_marks, &more);

		assert_true(read_events(out, &part) == 0);
		assert_true(has_events == (part.n > 0));
		check_size(options, &part, !pieces);
		append(&got, &part);
		events_done(&part);
		assert_true(++pieces < 20000);
	} while (more);
	same(&want, &got,
	     options->per_cpu || options->has_cpu || options->unit == TRACE_SPLIT_PAGES);
	events_done(&want);
	events_done(&got);
	return pieces;
}

/* A random time between the first and the last event, or slightly outside. */
static uint64_t some_time(const struct events *all, uint64_t *seed)
{
	uint64_t pick = rnd(seed) % (all->n + 2);

	if (pick >= all->n)
		return pick == all->n ? 0 : all->list[all->n - 1].time + 1000;
	return all->list[pick].time + rnd(seed) % 3 - 1;
}

static struct trace_split_options some_options(const struct events *all, uint64_t *seed)
{
	struct trace_split_options options = { .to = UINT64_MAX };

	if (rnd(seed) % 2)
		options.from = some_time(all, seed);
	if (rnd(seed) % 2)
		options.to = some_time(all, seed);
	if (options.to < options.from)
		options.to = options.from + 5000000;
	options.unit = (enum trace_split_unit)(rnd(seed) % 4);
	options.per_cpu = rnd(seed) % 2;
	if (rnd(seed) % 4 == 0) {
		options.has_cpu = true;
		options.cpu = (uint32_t)(rnd(seed) % 4) * 2;
	}
	switch (options.unit) {
	case TRACE_SPLIT_TIME:
		options.count = 100000 + rnd(seed) % (1ULL << (20 + rnd(seed) % 20));
		break;
	case TRACE_SPLIT_EVENTS:
		options.count = 1 + rnd(seed) % 700;
		if (options.count < 50)
			options.to = options.to < all->list[300].time ? options.to :
									all->list[300].time;
		if (options.to < options.from)
			options.from = 0;
		break;
	default:
		options.count = 1 + rnd(seed) % 5;
	}
	return options;
}

static void pieces_add_up_to_the_whole(void **state)
{
	uint64_t seed = 20260;
	unsigned pieces = 0, splits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(random_configs); i++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		struct events all;

		random_trace(&random_configs[i], 77 + i, 3000, &bytes);
		save(in, bytes.s, bytes.len);
		read_events(in, &all);
		for (unsigned n = 0; n < 40; n++, splits++) {
			struct trace_split_options options = some_options(&all, &seed);

			pieces += split_all(&options);
		}
		events_done(&all);
	}
	print_message("%u splits, %u pieces\n", splits, pieces);
	assert_true(pieces > 1000);
}

/* Damaged files, and those whose clock goes backwards, terminate and lose no events. */
static void splits_damaged_files(void **state)
{
	uint64_t seed = 31;
	unsigned tried = 0;

	for (unsigned n = 0; n < 150; n++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		struct trace_split_options options = { .to = UINT64_MAX };
		struct fathom_trace *trace;
		struct events want, got = { 0 };
		_cleanup_free_ struct stream_mark *marks = NULL;
		size_t n_marks = 0;
		bool more = true;

		random_trace(&random_configs[n % ARRAY_SIZE(random_configs)], 7 + n, 300, &bytes);
		for (unsigned k = 0; k < 3; k++)
			bytes.s[bytes.len / 2 + rnd(&seed) % (bytes.len / 2)] = (char)rnd(&seed);
		save(in, bytes.s, bytes.len);
		if (fathom_trace_open(in, 0, &trace, NULL) < 0)
			continue;
		fathom_trace_free(trace);
		options.unit = n % 2 ? TRACE_SPLIT_TIME : TRACE_SPLIT_EVENTS;
		options.count = n % 2 ? 1000000 : 40;
		read_window(&options, &want);
		for (unsigned pieces = 0; more; pieces++) {
			struct events part;

			next_piece(&options, &marks, &n_marks, &more);
			read_events(out, &part);
			append(&got, &part);
			events_done(&part);
			assert_true(pieces < 1000);
		}
		assert_int_equal(got.n, want.n);
		events_done(&want);
		events_done(&got);
		tried++;
	}
	assert_true(tried > 100);
}

static int make_files(void **state)
{
	int a = mkstemp(in), b = mkstemp(out);

	if (a < 0 || b < 0)
		return -1;
	close(a);
	return close(b);
}

static int remove_files(void **state)
{
	return unlink(in) | unlink(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_add_up_to_the_whole),
		cmocka_unit_test(splits_damaged_files),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
