/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/list: CPU time to list and filter 60,000 functions, in a list that it creates: reading and
 * sorting, selecting by several patterns, locating 600 functions with ambiguous names among 500,000
 * lines of kallsyms, and, if this machine's kernel has BTF, finding a prototype for each. Fails if
 * a limit is exceeded.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/pattern/match.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "kernel/events/functions.h"
#include "symbols/btf/btf.h"

#define FUNCTIONS   60000
#define SYMBOLS	    500000
#define LIMIT_LIST  0.3
#define LIMIT_WHOLE 1.0

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Prints the time since @since under @what, and returns the current time. */
static double lap(const char *what, double since)
{
	double now = cpu_seconds();

	printf("%-44s %7.1f ms\n", what, (now - since) * 1000);
	return now;
}

/* Names as long as the kernel's, in order of addresses, which is not alphabetical. */
static void make_lists(struct strbuf *list, struct strbuf *symbols)
{
	static const char *const words[] = { "vfs",   "read",  "sched", "netif", "alloc", "page",
					     "inode", "queue", "ext4",	"wait",	 "irq" };
	unsigned functions = 0;

	for (unsigned i = 0; i < SYMBOLS; i++) {
		bool traced = i % (SYMBOLS / FUNCTIONS) == 0 && functions < FUNCTIONS;
		unsigned hash = i * 2654435761U;
		char name[80];

		if (traced && functions % 100 == 0)
			snprintf(name, sizeof(name), "shared_%u", functions % 20000);
		else
			snprintf(name, sizeof(name), "%s_%s_%x", words[hash % 11],
				 words[hash / 11 % 11], hash);
		strbuf_addf(symbols, "%016lx t %s\n", 0xffffffff81000000UL + 64UL * i, name);
		if (!traced)
			continue;
		strbuf_addf(list, "%s%s\n", name, functions % 3 ? "" : " [module]");
		functions++;
	}
}

static size_t count(const struct functions *functions, const char *pattern)
{
	struct match match;
	size_t n = 0;

	if (match_init(&match, pattern, 0, NULL) < 0)
		return 0;
	for (size_t i = 0; i < functions->n; i++)
		n += match_test(&match, functions->list[i].name);
	match_done(&match);
	return n;
}

static void find_prototypes(const struct functions *functions)
{
	_cleanup_close_ int dir = open("/sys/kernel/btf", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(prototypes_free_p) struct prototypes *prototypes = NULL;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	double since = cpu_seconds();

	if (prototypes_new(dir, &prototypes, NULL) < 0) {
		printf("no BTF here: prototypes not measured\n");
		return;
	}
	since = lap("load BTF and index it", since);
	for (size_t i = 0; i < functions->n; i++) {
		strbuf_clear(&text);
		prototypes_print(prototypes, NULL, i % 2 ? "vfs_read" : "seq_printf", &text);
	}
	lap("print 60,000 prototypes", since);
}

int main(void)
{
	_cleanup_strbuf_ struct strbuf list = { 0 }, symbols = { 0 };
	_cleanup_(functions_done) struct functions functions = { 0 };
	double start, since, listed;
	char *text;
	size_t n;

	make_lists(&list, &symbols);
	text = strbuf_take(&list);
	start = since = cpu_seconds();
	if (!text || symbols.err || functions_parse(text, false, &functions, NULL) < 0)
		return 1;
	since = lap("read and sort 60,000 functions", since);
	n = count(&functions, "vfs_*");
	since = lap("pick 'vfs_*'", since);
	n += count(&functions, "read");
	since = lap("pick 'read'", since);
	n += count(&functions, "*fs_*r*d_?[0-9]*");
	since = lap("pick '*fs_*r*d_?[0-9]*'", since);
	n += count(&functions, "/^(vfs|ext4)_.*[0-9]$/");
	since = lap("pick '/^(vfs|ext4)_.*[0-9]$/'", since);
	listed = since - start;
	if (functions_locate(&functions, symbols.s) < 0)
		return 1;
	lap("tell shared names apart, 500,000 symbols", since);
	find_prototypes(&functions);
	printf("%zu functions, %zu picked: list and filter %.3f s, all %.3f s of CPU\n",
	       functions.n, n, listed, cpu_seconds() - start);
	if (listed > LIMIT_LIST || cpu_seconds() - start > LIMIT_WHOLE) {
		printf("too slow: the limits are %.1f s and %.1f s\n", LIMIT_LIST, LIMIT_WHOLE);
		return 1;
	}
	return 0;
}
