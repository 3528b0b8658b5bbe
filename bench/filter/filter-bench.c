/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many events per second a filter evaluates, in CPU time. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "filter/formats.h"
#include "read/filter.h"

#define ROUNDS	20000000
#define RECORDS 256

static const char *name_of(void *arg, uint64_t address)
{
	return "vfs_read";
}

static const char *comm_of(void *arg, const struct filter_event *event)
{
	return "bash";
}

static const struct filter_env env = { .function_name = name_of, .comm = comm_of };

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int run(struct event_format **formats, const char *text)
{
	static unsigned char records[RECORDS][FILTER_RECORD_SIZE];
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	struct filter *filter;
	unsigned long matched = 0;
	double start;

	if (filter_parse(text, &arena, &filter, &err) < 0 ||
	    filter_bind(filter, (const struct event_format *const *)formats, FILTER_FORMATS, &env,
			&err) < 0) {
		printf("%s: %s\n", text, fathom_err_text(&err));
		return 1;
	}
	for (int i = 0; i < RECORDS; i++) {
		memset(records[i], i, FILTER_RECORD_SIZE);
		memcpy(records[i] + 8, i % 2 ? "bash" : "init", 5);
	}
	start = cpu_seconds();
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct filter_event event = { .pid = (int)i,
					      .format = formats[i % FILTER_FORMATS],
					      .data = records[i % RECORDS],
					      .size = FILTER_RECORD_SIZE };

		matched += filter_match(filter, &event);
	}
	printf("%6.1f million/s  %4.1f %% match  %s\n", ROUNDS / 1e6 / (cpu_seconds() - start),
	       100.0 * (double)matched / ROUNDS, text);
	arena_done(&arena);
	return 0;
}

int main(void)
{
	static const char *const filters[] = {
		"common_pid > 5",
		"pid == 7",
		"sched_switch and prev_pid == 1",
		"sched_switch: prev_pid == 1 && flags & 3 || large > 7",
		"pid in (1, 2, 3, 5, 8, 13, 21, 34)",
		"prev_comm == bash",
		"prev_comm ~ \"b*\"",
		"prev_comm =~ \"^ba\"",
		"comm == bash",
		"vfs_*",
	};
	const struct event_abi abi = { .long_size = 8 };
	struct event_format *formats[FILTER_FORMATS];
	struct arena arena = { 0 };
	int failed = 0;

	for (int i = 0; i < FILTER_FORMATS; i++)
		if (event_format_parse(filter_formats[i].text, strlen(filter_formats[i].text),
				       filter_formats[i].system, abi, &arena, &formats[i],
				       NULL) < 0)
			return 1;
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		failed |= run(formats, filters[i]);
	arena_done(&arena);
	return failed;
}
