/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nanoseconds of CPU time per printed event, ours and libtraceevent's:
 *
 *	print-bench FORMATS.zst [SYSTEM:EVENT ...]
 *
 * Each event is printed from eight records with random values, alternating between both,
 * and the median of five rounds is shown. Strings and flags are longer than in most real
 * events.
 */
#include <event-parse.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trace-seq.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "format/print.h"
#include "formats.h"
#include "record.h"

#define TURNS	5
#define RECORDS 8

static const char *const typical[] = {
	"sched:sched_switch",	     "sched:sched_waking", "raw_syscalls:sys_enter",
	"syscalls:sys_enter_openat", "kmem:kmalloc",	   "kmem:mm_page_alloc",
	"ftrace:function",	     "irq:softirq_entry",  "block:block_rq_issue",
	"timer:hrtimer_start",
};

static struct record records[RECORDS];

static const char *symbol(const void *data, uint64_t addr, uint64_t *ret_start)
{
	*ret_start = SYMBOL_BASE;
	return addr >= SYMBOL_BASE && addr < SYMBOL_BASE + SYMBOL_SIZE ? "vfs_read" : NULL;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static size_t print_ours(const struct print_program *program, unsigned n)
{
	static const struct print_env env = { .symbol = symbol };
	char buf[4096];
	size_t bytes = 0;
	struct text text;

	for (unsigned i = 0; i < n; i++) {
		const struct record *r = &records[i % RECORDS];

		text_init(&text, buf, sizeof(buf));
		event_print(program, &env, r->bytes, r->len, &text);
		bytes += text_len(&text);
	}
	return bytes;
}

static size_t print_theirs(struct tep_handle *tep, unsigned n)
{
	struct trace_seq s;
	size_t bytes = 0;

	trace_seq_init(&s);
	for (unsigned i = 0; i < n; i++) {
		struct record *r = &records[i % RECORDS];
		struct tep_record record = { .data = r->bytes, .size = (int)r->len };

		trace_seq_reset(&s);
		tep_print_event(tep, &s, &record, "%s", TEP_PRINT_INFO);
		bytes += s.len;
	}
	trace_seq_destroy(&s);
	return bytes;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void run(const struct event_format *format, const struct print_program *program,
		struct tep_handle *tep)
{
	const unsigned n = 200000, n_theirs = 20000;
	double ours[TURNS], theirs[TURNS];
	size_t bytes = 0;

	for (unsigned i = 0; i < RECORDS; i++)
		record_make(&records[i], format, i + 2);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		double t = now();

		bytes = print_ours(program, n);
		ours[turn] = (now() - t) / n;
		t = now();
		(void)print_theirs(tep, n_theirs);
		theirs[turn] = (now() - t) / n_theirs;
	}
	qsort(ours, TURNS, sizeof(ours[0]), compare);
	qsort(theirs, TURNS, sizeof(theirs[0]), compare);
	printf("%-28s %6.0f ns %6zu bytes %8.0f ns libtraceevent %6.1fx\n", format->name,
	       ours[TURNS / 2], bytes / n, theirs[TURNS / 2], theirs[TURNS / 2] / ours[TURNS / 2]);
}

static bool wanted(const struct format_text *text, const char *name, int argc, char **argv)
{
	char event[160];

	(void)snprintf(event, sizeof(event), "%s:%s", text->system, name);
	for (int i = 2; i < argc; i++)
		if (fnmatch(argv[i], event, 0) == 0)
			return true;
	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(typical); i++)
		if (str_eq(typical[i], event))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	_cleanup_free_ char *all = argc > 1 ? formats_read(argv[1]) : NULL;
	_cleanup_(arena_done) struct arena arena = { 0 };
	struct tep_handle *tep = tep_alloc();
	char name[] = "vfs_read";
	struct format_text text;
	char *p = all;

	if (!all || !tep)
		return 2;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, 8);
	tep_register_function(tep, name, SYMBOL_BASE, NULL);
	while (formats_next(&p, &text)) {
		const struct event_abi abi = { .long_size = 8 };
		const struct print_program *program;
		struct event_format *format;

		if (event_format_parse(text.text, text.len, text.system, abi, &arena, &format,
				       NULL) < 0 ||
		    !wanted(&text, format->name, argc, argv) ||
		    event_print_compile(format, NULL, &arena, &program, NULL) < 0)
			continue;
		tep_parse_event(tep, text.text, text.len, text.system);
		run(format, program, tep);
	}
	tep_free(tep);
	return 0;
}
