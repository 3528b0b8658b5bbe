/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-tui FILE: measures, without a terminal, how long the viewer takes until it shows something:
 * the first screen, screens at other places of the file, and the timeline of the whole file. Works
 * in slices, as the program does; the response to a key takes at most the longest slice.
 *
 * bench-tui --sparse FILE: the same for a file of 100 GB, nearly all of it holes, which is created
 * first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "trace-writer.h"
#include "tui/app/app.h"

#define SLICE_NS 20000000
#define ROWS	 50
#define COLS	 160

#define SPARSE_CPUS  4
#define SPARSE_PAGES ((uint64_t)25 * 1000 * 1000 * 1000 / 4096)
/* The timeline of a real file of this size is not read completely here. */
#define EXACT_MAX_NS 30000000000

static struct app app;
static struct cells cells;
static struct strbuf screen;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bench-tui: %s\n", what);
	exit(1);
}

/* Elapsed time and CPU time. */
struct stamp {
	uint64_t elapsed, cpu;
};

static struct stamp now(void)
{
	return (struct stamp){ clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID) };
}

static struct stamp since(struct stamp from)
{
	struct stamp to = now();

	return (struct stamp){ to.elapsed - from.elapsed, to.cpu - from.cpu };
}

/* The larger of both. */
static void keep(struct stamp *most, struct stamp took)
{
	most->elapsed = took.elapsed > most->elapsed ? took.elapsed : most->elapsed;
	most->cpu = took.cpu > most->cpu ? took.cpu : most->cpu;
}

static struct stamp longest; /* turn */

/* One iteration of the program's main loop: some work, and a redraw. */
static bool turn(void)
{
	struct stamp before = now();

	app_work(&app, before.elapsed + SLICE_NS);
	app_draw(&app, &cells);
	keep(&longest, since(before));
	return app.works;
}

static bool has(const char *text)
{
	strbuf_clear(&screen);
	cells_dump(&cells, false, &screen);
	return strstr(strbuf_str(&screen), text) != NULL;
}

static void press(const char *keys)
{
	while (*keys)
		app_key(&app, tui_key_parse(&keys));
}

/* Reports whether CPU time or memory exceeds a goal; other work on the machine does not count. */
static bool missed;

static void row(const char *what, struct stamp took, int goal)
{
	missed |= goal && took.cpu > (uint64_t)goal * 1000000;
	printf("| %s | %.1f ms | %.1f ms |", what, (double)took.cpu / 1e6,
	       (double)took.elapsed / 1e6);
	if (goal)
		printf(" <= %d ms", goal);
	printf(" |\n");
}

/* Jumps around in the file; the longest time counts. */
static void jump(const char *view, const char *what)
{
	struct stamp most = { 0 };
	char keys[64];

	press(view);
	while (turn())
		;
	for (unsigned i = 0; i <= 40; i++) {
		struct stamp before = now();

		snprintf(keys, sizeof(keys), ":%u%%<Enter>", i * 37 % 101);
		press(keys);
		while (turn())
			;
		keep(&most, since(before));
	}
	row(what, most, 50);
}

/* Time from the key to a picture, and to an exact one. */
static void timeline(void)
{
	struct stamp before = now();
	bool is_first = true;

	longest = (struct stamp){ 0 };
	press("3");
	for (bool more = true; more || is_first;) {
		more = turn();
		if (is_first && has("CPU 0")) {
			row("timeline of the whole file, first picture", since(before), 300);
			is_first = false;
		}
		if (!more && is_first)
			die("there is no timeline");
		if (more && since(before).elapsed > EXACT_MAX_NS)
			break;
	}
	row(app.works ? "not exact after" : "exact after", since(before), 0);
	row("longest time between checks for keys", longest, 50);
}

/* Zooms in, step by step, in the middle of the file. */
static void zoom(void)
{
	struct stamp most = { 0 };

	press(":50%<Enter>");
	for (unsigned i = 0; i < 30; i++) {
		struct stamp before = now();

		press("w");
		while (turn() && !has("CPU 0"))
			;
		keep(&most, since(before));
	}
	row("zooming to the middle, longest step", most, 300);
}

int main(int argc, char **argv)
{
	bool sparse = argc == 3 && str_eq(argv[1], "--sparse");
	static const struct report_options plain;
	struct fathom_trace *trace = NULL;
	struct report *report = NULL;
	struct fathom_err err = { 0 };
	struct rusage usage;
	struct stamp start;

	if (argc != 2 && !sparse)
		die("usage: bench-tui [--sparse] FILE");
	if (sparse && trace_writer_sparse(argv[2], SPARSE_CPUS, SPARSE_PAGES, 64, 16384) != 0)
		die("cannot make the file");
	start = now();
	if (fathom_trace_open(argv[argc - 1], 0, &trace, &err) < 0 ||
	    report_new(trace, &plain, NULL, &report, &err) < 0 ||
	    app_init(&app, trace, report, "file", &err) < 0 || cells_resize(&cells, ROWS, COLS) < 0)
		die(err.message);
	turn();
	printf("| %.1f GB | CPU | elapsed | goal |\n|---|---|---|---|\n",
	       (double)fathom_trace_info(trace)->file_size / 1e9);
	row("first screen", since(start), 100);
	press("<Esc>");
	jump("7", "jump in the events view");
	jump("2", "jump in the replay view");
	timeline();
	press("<Esc>");
	zoom();
	getrusage(RUSAGE_SELF, &usage);
	printf("| maximum resident | %ld MB | | < 256 MB |\n", usage.ru_maxrss / 1024);
	missed |= usage.ru_maxrss / 1024 >= 256;
	app_done(&app);
	cells_done(&cells);
	strbuf_done(&screen);
	report_free(report);
	fathom_trace_free(trace);
	return missed;
}
