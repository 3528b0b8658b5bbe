/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line and its pace; tests/cli/reading has signals and whole commands. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "actions/input/reading-parts.h"
#include "actions/input/trace-input.h"
#include "base/err.h"
#include "base/files/plain-file.h"
#include "read/trace.h"
#include "temp-file.h"
#include "trace-writer.h"

#define SECOND UINT64_C(1000000000)
#define PAGE   4096
#define CHECK  (128 * 1024)

static uint64_t time_now, looks;
static volatile sig_atomic_t interrupted;

static uint64_t test_clock(void)
{
	looks++;
	return time_now;
}

struct fixture {
	char *text;
	size_t len;
	FILE *messages;
	struct action action;
	struct fathom_trace *trace;
	struct reading_file *file;
};

/* Writes a recording of the seconds from 100 to 200. */
static int write_recording(void)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	struct page_writer *p = w ? trace_writer_cpu(w, 0, 0) : NULL;
	int r = -ENOMEM;

	for (unsigned i = 0; p && i <= 100; i++)
		page_writer_event(p, (100 + i) * SECOND, 1, 1, 16);
	if (p)
		r = trace_writer_save(w, temp_path);
	trace_writer_free(w);
	return r;
}

static void fixture_free(struct fixture *f)
{
	reading_end();
	fathom_trace_free(f->trace);
	if (f->messages)
		fclose(f->messages);
}

static bool fixture_open(struct fixture *f)
{
	int fd = plain_file_open(temp_path, NULL);

	if (!succeeds(fd >= 0) || !succeeds(trace_input_read(fd, "x.dat", 0, &f->trace, NULL) == 0))
		return false;
	f->file = f->trace->watch.data;
	return succeeds(f->file);
}

/* Returns false if memory is exhausted. */
static bool fixture_init(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	if (!succeeds(write_recording() == 0))
		return false;
	f->messages = open_memstream(&f->text, &f->len);
	if (!succeeds(f->messages))
		return false;
	f->action = (struct action){ .name = "sched", .messages = f->messages };
	reading_begin(&f->action, 0);
	if (!fixture_open(f)) {
		fixture_free(f);
		free(f->text);
		return false;
	}
	/* As on a terminal. */
	f->file->of->line = (struct progress){ .stream = f->messages,
					       .terminal = true,
					       .columns = 80,
					       .interval = SECOND / 4,
					       .next = SECOND,
					       .now = test_clock };
	f->file->of->last_shown = time_now = 0;
	f->file->of->interrupted = &interrupted;
	interrupted = 0;
	looks = 0;
	return true;
}

static void fixture_done(struct fixture *f, const char *expected)
{
	fixture_free(f);
	/* Times are not measured without memory. */
	if (!mem_fault)
		assert_string_equal(f->text, expected);
	free(f->text);
}

/* Reads @bytes; the last event is at @seconds. */
static void read_bytes(struct fixture *f, uint64_t bytes, uint64_t seconds)
{
	for (; bytes; bytes -= PAGE)
		assert_false(reading_page(f->file, seconds * SECOND, PAGE));
}

static void shows_how_far_it_is(void **state)
{
	struct fixture f;

	require(fixture_init(&f));
	time_now = SECOND - 1;
	read_bytes(&f, 50 * CHECK, 110);
	time_now = SECOND;
	read_bytes(&f, CHECK, 125);
	time_now = SECOND * 5 / 4;
	read_bytes(&f, 2 * CHECK, 150);
	time_now = SECOND * 3 / 2;
	read_bytes(&f, CHECK, 300);
	reading_finish();
	read_bytes(&f, CHECK, 300);
	fixture_done(&f, "\r\033[Kreading: 25 %, 7 MB/s, 'x.dat'"
			 "\r\033[Kreading: 50 %, 1 MB/s, 'x.dat'"
			 "\r\033[Kreading: 100 %, 1 MB/s, 'x.dat'\r\033[K");
}

static void measures_the_time_range(void **state)
{
	struct fathom_window window = FATHOM_WINDOW_ALL;
	struct fixture f;

	require(fixture_init(&f));
	window.from = 150 * SECOND;
	window.to = 160 * SECOND;
	reading_limit(f.trace, &window);
	time_now = SECOND;
	/* Before the time range, states are read. */
	read_bytes(&f, CHECK, 140);
	time_now = 2 * SECOND;
	read_bytes(&f, CHECK, 155);
	fixture_done(&f, "\r\033[Kreading: 0 %, 0 MB/s, 'x.dat'"
			 "\r\033[Kreading: 50 %, 0 MB/s, 'x.dat'\r\033[K");
}

static void names_the_file_with_symbols(void **state)
{
	struct fixture f;

	require(fixture_init(&f));
	reading_loads("libearly.so");
	time_now = SECOND;
	reading_loads("lib\ta.so");
	time_now += SECOND / 4 - 1;
	reading_loads("libsoon.so");
	reading_finish();
	time_now += SECOND;
	reading_loads("liblate.so");
	fixture_done(&f, "\r\033[Kloading symbols: 'lib\\ta.so'\r\033[K");
	reading_loads("no reading");
}

static void looks_at_the_clock_now_and_then(void **state)
{
	struct fixture f;

	require(fixture_init(&f));
	read_bytes(&f, CHECK - PAGE, 110);
	assert_int_equal(looks, 0);
	read_bytes(&f, PAGE, 110);
	assert_int_equal(looks, 1);
	read_bytes(&f, 10 * CHECK, 110);
	assert_int_equal(looks, 11);
	fixture_done(&f, "");
}

static void says_what_was_read(void **state)
{
	struct fathom_err err = { 0 };
	struct fixture f;

	require(fixture_init(&f));
	assert_int_equal(reading_report(&f.action, f.trace, false), EXIT_OK);
	interrupted = SIGTERM;
	assert_true(reading_page(f.file, 142 * SECOND, PAGE));
	/* The cursor does this. */
	f.trace->is_cut = true;
	f.trace->cut = 142 * SECOND;
	assert_int_equal(reading_report(&f.action, f.trace, true), 143);
	assert_int_equal(reading_report(&f.action, f.trace, false), 143);
	err_set(&err, -ENODATA, "no switches");
	assert_int_equal(reading_failed(&f.action, &err), 143);
	fixture_done(
		&f,
		"fathom sched: interrupted: the result covers 42 % of 'x.dat', up to 142.000000\n"
		"fathom sched: interrupted before the end of the recording: no switches\n");
}

static int reading_open(void *arg)
{
	struct fathom_trace *trace;
	int fd = plain_file_open(temp_path, NULL);
	int r = fd < 0 ? fd : trace_input_read(fd, "x.dat", 0, &trace, NULL);

	if (r == 0)
		fathom_trace_free(trace);
	return r;
}

static void survives_failing_allocations(void **state)
{
	struct fixture f;

	require(fixture_init(&f));
	oom_check(reading_open, NULL);
	fixture_done(&f, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_how_far_it_is),
		cmocka_unit_test(measures_the_time_range),
		cmocka_unit_test(names_the_file_with_symbols),
		cmocka_unit_test(looks_at_the_clock_now_and_then),
		cmocka_unit_test(says_what_was_read),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
