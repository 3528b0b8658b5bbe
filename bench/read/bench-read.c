/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-read FILE...: for each file (uncompressed for the bare walk), the CPU time of iterating
 * over all events with the public API and with the bare walk, alternating, median of 5; the time to
 * open the file and read the first event, and to read a window near the end; and the maximum
 * resident set size.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fathom/fathom.h>

#include "bare-walk.h"

#define ROUNDS 5
#define CPUS   1024

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "bench-read: %s\n", what);
	exit(1);
}

static struct fathom_trace *open_trace(const char *path)
{
	struct fathom_err err = { 0 };
	struct fathom_trace *trace;

	if (fathom_trace_open(path, 0, &trace, &err) < 0)
		die(fathom_err_text(&err));
	return trace;
}

static struct bare_sum walk_api(const char *path, const struct fathom_window *window, uint64_t max)
{
	struct fathom_trace *trace = open_trace(path);
	struct bare_sum sum = { 0 };
	struct fathom_cursor *cursor;
	struct fathom_event event;

	if (fathom_cursor_new(trace, window, &cursor, NULL) < 0)
		die("no cursor");
	while (sum.events < max && fathom_cursor_next(cursor, &event) == 1) {
		sum.events++;
		sum.hash += event.time ^ event.id ^ (uint32_t)event.pid;
	}
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
	return sum;
}

static struct bare_sum walk_bare(const char *path)
{
	static struct bare_cpu cpus[CPUS];
	struct fathom_trace *trace = open_trace(path);
	struct fathom_trace_buffer buffer;
	struct fathom_trace_cpu cpu;
	struct bare_sum sum = { 0 };
	uint8_t *map = MAP_FAILED;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	unsigned n = 0;

	if (fathom_trace_buffer(trace, 0, &buffer) == 0 && !buffer.compressed && fd >= 0 &&
	    fstat(fd, &st) == 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	memset(cpus, 0, sizeof(cpus));
	while (map != MAP_FAILED && n < CPUS && fathom_trace_buffer_cpu(trace, 0, n, &cpu) == 0) {
		cpus[n].page = map + cpu.offset;
		cpus[n++].end = map + cpu.offset + cpu.size;
	}
	if (n)
		sum = bare_walk(cpus, n, buffer.page_size);
	if (map != MAP_FAILED)
		munmap(map, (size_t)st.st_size);
	close(fd);
	fathom_trace_free(trace);
	return sum;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), by_value);
	return values[ROUNDS / 2];
}

static void iterate(const char *path)
{
	double api[ROUNDS], bare[ROUNDS];
	struct bare_sum a = { 0 }, b = { 0 };

	for (int i = 0; i < ROUNDS; i++) {
		double start = now(CLOCK_PROCESS_CPUTIME_ID);

		b = walk_bare(path);
		bare[i] = now(CLOCK_PROCESS_CPUTIME_ID) - start;
		start = now(CLOCK_PROCESS_CPUTIME_ID);
		a = walk_api(path, NULL, UINT64_MAX);
		api[i] = now(CLOCK_PROCESS_CPUTIME_ID) - start;
	}
	if (b.events && (a.events != b.events || a.hash != b.hash))
		die("the two walks do not see the same events");
	printf("%s: %" PRIu64 " events\n", path, a.events);
	printf("  API  %7.1f M events/s CPU\n", (double)a.events / median(api) / 1e6);
	if (b.events)
		printf("  bare %7.1f M events/s CPU, API is %.2f of it\n",
		       (double)b.events / median(bare) / 1e6, median(bare) / median(api));
}

static void seek(const char *path)
{
	struct fathom_window window = FATHOM_WINDOW_ALL;
	double first[ROUNDS], late[ROUNDS];
	struct fathom_trace *trace = open_trace(path);
	struct fathom_cursor *cursor;
	struct fathom_event event;
	struct rusage usage;

	if (fathom_cursor_new(trace, NULL, &cursor, NULL) < 0 ||
	    fathom_cursor_last(cursor, 1000, NULL) < 0 || fathom_cursor_next(cursor, &event) < 1)
		die("no last events");
	window.from = event.time;
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
	for (int i = 0; i < ROUNDS; i++) {
		double start = now(CLOCK_MONOTONIC);

		walk_api(path, NULL, 1);
		first[i] = now(CLOCK_MONOTONIC) - start;
		start = now(CLOCK_MONOTONIC);
		walk_api(path, &window, 1000);
		late[i] = now(CLOCK_MONOTONIC) - start;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("  open and first event %.2f ms, window near the end %.2f ms, at most %ld KB resident\n",
	       median(first) * 1e3, median(late) * 1e3, usage.ru_maxrss);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		/* Before the bare walk, whose pages stay resident. */
		seek(argv[i]);
		iterate(argv[i]);
	}
	return 0;
}
