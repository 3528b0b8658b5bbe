/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares fathom's regular expressions with regexec() of the C library, in CPU time per match
 * against a function name. The last rows are patterns on which some implementations take forever.
 * Both must agree.
 */
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/pattern/pattern.h"

#define NAMES	20000
#define SECONDS 1.0

static const char *const patterns[] = {
	"^vfs_",       "read$",	   "^vfs_.*read$",	  "lock",
	"^(do|ksys)_", "[0-9]+",   "(read|write|open)v?", "^.{8,12}$",
	"(a*)*b",      "(x+x+)+y", "(.*)(.*)(.*)z",
};

static char names[NAMES][40];

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Names like those of a kernel; every tenth makes patterns backtrack. */
static void make_names(void)
{
	static const char *const words[] = { "vfs",  "read",  "do",   "ksys", "lock", "mutex",
					     "page", "write", "open", "iter", "file", "xfs" };
	unsigned long x = 1;

	for (size_t i = 0; i < NAMES; i++) {
		unsigned long a, b, c;

		x = x * 6364136223846793005UL + 1442695040888963407UL;
		a = x >> 33, b = x >> 40, c = x >> 47;
		if (i % 10 == 0)
			snprintf(names[i], sizeof(names[i]), "%.*s", (int)(20 + a % 18),
				 i % 20 ? "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" :
					  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
		else
			snprintf(names[i], sizeof(names[i]), "%s_%s_%s", words[a % 12],
				 words[b % 12], words[c % 12]);
	}
}

/* Returns nanoseconds per match; *@ret_fits is the number of names per pass that match. */
static double measure(const struct pattern *pattern, const regex_t *regex, size_t *ret_fits)
{
	double begin = cpu_seconds(), spent = 0;
	size_t n = 0, fits = 0;

	while (n < NAMES || spent < SECONDS) {
		for (size_t i = 0; i < NAMES; i++)
			fits += pattern ? pattern_match(pattern, names[i], strlen(names[i])) :
					  regexec(regex, names[i], 0, NULL, 0) == 0;
		n += NAMES;
		spent = cpu_seconds() - begin;
	}
	*ret_fits = fits / (n / NAMES);
	return spent * 1e9 / (double)n;
}

int main(void)
{
	int bad = 0;

	make_names();
	printf("%-24s %8s %12s %12s\n", "pattern", "fit", "ours, ns", "regexec, ns");
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct arena arena = { 0 };
		struct fathom_err err = { 0 };
		const struct pattern *pattern;
		double own, other;
		size_t fits, others;
		regex_t regex;

		if (pattern_compile(&arena, PATTERN_EXTENDED, 0, patterns[i], strlen(patterns[i]),
				    &pattern, &err) < 0 ||
		    regcomp(&regex, patterns[i], REG_EXTENDED | REG_NOSUB) != 0)
			return 2;
		own = measure(pattern, NULL, &fits);
		other = measure(NULL, &regex, &others);
		printf("%-24s %8zu %12.0f %12.0f\n", patterns[i], fits, own, other);
		bad |= fits != others;
		regfree(&regex);
		arena_done(&arena);
	}
	return bad;
}
