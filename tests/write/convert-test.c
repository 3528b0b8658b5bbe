/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random files, intact, truncated and modified, are converted to every kind. The new file contains
 * the events that can be read in the old one, and is itself valid; where pages are missing, a loss
 * is reported.
 */
#include <fcntl.h>
#include <unistd.h>

#include "random-trace.h"
#include "write/trace-dat.h"

static char in[] = "/tmp/fathom-convert-in-XXXXXX", out[] = "/tmp/fathom-convert-out-XXXXXX";

static const struct trace_dat_options kinds[] = {
	{ .version = 6 },
	{ .version = 7, .compression = COMPRESSION_NONE },
	{ .version = 7, .compression = COMPRESSION_ZLIB, .level = 1 },
	{ .version = 7, .compression = COMPRESSION_ZSTD, .level = 1, .threads = 1 },
};

static int convert(const struct trace_dat_options *kind)
{
	struct fathom_err err = { 0 };
	int r = trace_dat_convert(in, out, kind, &err);

	if (r < 0 && r != -ENOTSUP && r != -EINVAL && r != -EBADMSG)
		fail_msg("%s", fathom_err_text(&err));
	return r;
}

static void converts_whole_files(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(random_configs); i++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		struct events want, got;

		random_trace(&random_configs[i], 17 + i, 4000, &bytes);
		save(in, bytes.s, bytes.len);
		assert_true(read_events(in, &want) == 0);
		assert_int_equal(want.n, 4000);
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			assert_int_equal(convert(&kinds[k]), 0);
			assert_true(read_events(out, &got) == 0);
			assert_int_equal(got.n, want.n);
			for (size_t n = 0; n < want.n; n++) {
				same_event(&want, n, &got, n);
				assert_true(want.list[n].missed == got.list[n].missed);
			}
			events_done(&got);
		}
		events_done(&want);
	}
}

/*
 * Checks that the new file contains the readable part of a damaged one. Returns true if the new
 * file is valid.
 */
static bool same_as_damaged(const struct events *want)
{
	struct events got;
	bool sound = read_events(out, &got) == 0;

	assert_int_equal(got.n, want->n);
	for (size_t n = 0; n < want->n; n++) {
		same_event(want, n, &got, n);
		/*
		 * A loss may be reported where there was none, because a part could not be read.
		 */
		assert_true(want->list[n].missed == got.list[n].missed ||
			    got.list[n].missed == FATHOM_MISSED_UNKNOWN);
	}
	events_done(&got);
	return sound;
}

static bool opens(const char *path)
{
	struct fathom_trace *trace;

	if (fathom_trace_open(path, 0, &trace, NULL) < 0)
		return false;
	fathom_trace_free(trace);
	return true;
}

static void truncated_anywhere(void **state)
{
	uint64_t seed = 4711;
	unsigned tried = 0, with_events = 0;

	for (size_t i = 0; i < ARRAY_SIZE(random_configs); i++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };

		random_trace(&random_configs[i], 99 + i, 600, &bytes);
		for (unsigned n = 0; n < 150; n++) {
			size_t size = (size_t)(rnd(&seed) % bytes.len);
			const struct trace_dat_options *kind = &kinds[n % ARRAY_SIZE(kinds)];
			struct events want;

			save(in, bytes.s, size);
			if (!opens(in))
				continue;
			assert_int_equal(convert(kind), 1);
			read_events(in, &want);
			if (!same_as_damaged(&want))
				/* Without a page header there is nothing to repair. */
				assert_true(size < 2000 || want.n == 0);
			tried++;
			with_events += want.n > 0;
			events_done(&want);
		}
	}
	print_message("%u files, %u with events\n", tried, with_events);
	assert_true(tried > 500 && with_events > 100);
}

static void changed_anywhere(void **state)
{
	uint64_t seed = 815;
	unsigned tried = 0, refused = 0;

	for (size_t i = 0; i < ARRAY_SIZE(random_configs); i++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		size_t meta;

		random_trace(&random_configs[i], 5 + i, 400, &bytes);
		meta = bytes.len < 4000 ? bytes.len : 4000;
		for (unsigned n = 0; n < 400; n++) {
			const struct trace_dat_options *kind = &kinds[n % ARRAY_SIZE(kinds)];
			_cleanup_free_ char *copy = malloc(bytes.len);
			struct events want;
			int r;

			assert_non_null(copy);
			memcpy(copy, bytes.s, bytes.len);
			/* Mostly in relevant places. */
			for (uint64_t k = 1 + rnd(&seed) % 3; k; k--)
				copy[rnd(&seed) % (n % 4 ? meta : bytes.len)] = (char)rnd(&seed);
			save(in, copy, bytes.len);
			if (!opens(in))
				continue;
			r = convert(kind);
			refused += r < 0;
			tried++;
			if (r < 0)
				continue;
			read_events(in, &want);
			same_as_damaged(&want);
			events_done(&want);
		}
	}
	print_message("%u files, %u refused\n", tried, refused);
	assert_true(tried > 1000 && refused < tried / 4);
}

/* Enough for several jobs per thread; chunks are written in order. */
static void compresses_in_threads(void **state)
{
	struct trace_dat_options options = { .compression = COMPRESSION_ZSTD,
					     .level = 1,
					     .threads = 4 };
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 6 });
	struct events want, got;

	for (unsigned i = 0; i < 100000; i++)
		page_writer_event(trace_writer_cpu(w, 0, i % 2), i, 1, (int32_t)(i * 2654435761u),
				  200);
	assert_int_equal(trace_writer_save(w, in), 0);
	trace_writer_free(w);
	read_events(in, &want);
	for (unsigned n = 0; n < 3; n++) {
		assert_int_equal(convert(&options), 0);
		assert_true(read_events(out, &got) == 0);
		assert_int_equal(got.n, 100000);
		for (size_t i = 0; i < want.n; i++)
			same_event(&want, i, &got, i);
		events_done(&got);
		options.compression = COMPRESSION_ZLIB;
	}
	events_done(&want);
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
		cmocka_unit_test(converts_whole_files),
		cmocka_unit_test(compresses_in_threads),
		cmocka_unit_test(truncated_anywhere),
		cmocka_unit_test(changed_anywhere),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
