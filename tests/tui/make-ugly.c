/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make-ugly KIND FILE: writes unusual traces, for screens of them. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "trace-sample.h"
#include "trace-writer.h"

/* A single event. */
static const struct sample_event one[] = {
	{ SAMPLE_WAKEUP, 1, 5000000, 42, .a = 43, .b = 120 },
	{ SAMPLE_END },
};

/* Exits without entries, entries without exits, and contradicting switches. */
static const struct sample_event unmatched[] = {
	{ SAMPLE_EXIT, 0, 1000000, 42, .a = SAMPLE_FIRST, .b = 0, .c = 5000 },
	{ SAMPLE_EXIT, 0, 1100000, 42, .a = SAMPLE_SECOND, .b = 3, .c = 50 },
	{ SAMPLE_ENTRY, 1, 1200000, 43, .a = SAMPLE_FIRST, .b = 0 },
	{ SAMPLE_SWITCH, 0, 1300000, 42, .a = 44, .b = 120 },
	{ SAMPLE_SWITCH, 0, 1400000, 42, .a = 45, .b = 120 },
	{ SAMPLE_ENTRY, 1, 1500000, 43, .a = SAMPLE_SECOND, .b = 1 },
	{ SAMPLE_ENTRY, 0, 1600000, 44, .a = SAMPLE_FIRST, .b = 7 },
	{ SAMPLE_UNKNOWN, 1, 1700000, 43 },
	{ SAMPLE_END },
};

/* More events are lost than exist. */
static const struct sample_event lost[] = {
	{ SAMPLE_ENTRY, 0, 1000000, 42, .a = SAMPLE_FIRST, .b = 0 },
	{ SAMPLE_LOST, 0, 0, 0, .a = 1000000 },
	{ SAMPLE_EXIT, 0, 3000000, 42, .a = SAMPLE_FIRST, .b = 0, .c = 2000000 },
	{ SAMPLE_LOST, 1, 0, 0, .a = 7 },
	{ SAMPLE_SWITCH, 1, 4000000, 43, .a = 42, .b = 120 },
	{ SAMPLE_LOST, 1, 0, 0, .a = 7 },
	{ SAMPLE_SWITCH, 1, 5000000, 42, .a = 43, .b = 120 },
	{ SAMPLE_END },
};

/* No events at all. */
static int make_none(const char *path)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	int r = w && trace_writer_cpu(w, 0, 0) ? trace_writer_save(w, path) : -1;

	trace_writer_free(w);
	return r;
}

/* More than is read before the first picture: bursts of events of four tasks, one per CPU. */
static int make_many(const char *path)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	int r = w ? 0 : -1;

	for (unsigned cpu = 0; r == 0 && cpu < 4; cpu++) {
		struct page_writer *p = trace_writer_cpu(w, 0, cpu);
		uint64_t time = 1000000;

		for (unsigned i = 0; p && i < 40000; i++) {
			time += i % 4000 < 3000 ? 100 * (cpu + 1) : 1000;
			page_writer_event(p, time, 1, (int32_t)(100 + cpu), 16);
		}
		r = p ? 0 : -1;
	}
	if (r == 0)
		r = trace_writer_save(w, path);
	trace_writer_free(w);
	return r;
}

#define FAR_CALLS 40000

/*
 * Far more calls than the replay keeps at once, in an order that cannot be merged: of second() and
 * third(), and of first() as number 100, 30000, which is slow, and 38000; a second() fails as
 * number 35000.
 */
static int make_far(const char *path)
{
	static struct sample_event events[FAR_CALLS * 4 + 16];
	uint64_t time = 1000000;
	uint32_t random = 1;
	size_t n = 0;

	for (unsigned i = 0; i < FAR_CALLS; i++, time += 1000) {
		bool is_first = i == 100 || i == 30000 || i == 38000, fails = i == 35000;
		uint64_t took = i == 30000 ? 2000000 : 500, function;
		int32_t pid;

		random = random * 1664525 + 1013904223;
		pid = 42 + (int32_t)(random >> 29);
		function = is_first			       ? SAMPLE_FIRST :
			   fails || random & UINT32_C(1) << 25 ? SAMPLE_SECOND :
								 SAMPLE_THIRD;
		events[n++] = (struct sample_event){ SAMPLE_ENTRY, 0, time, pid, function };
		if (!is_first && random & UINT32_C(1) << 24) {
			events[n++] = (struct sample_event){ SAMPLE_ENTRY, 0, time + 100, pid,
							     SAMPLE_THIRD, 1 };
			events[n++] = (struct sample_event){ SAMPLE_EXIT,  0, time + 200, pid,
							     SAMPLE_THIRD, 1, 100 };
		}
		time += took;
		if (fails)
			events[n++] =
				(struct sample_event){ SAMPLE_RESULT, 0,	time - 1,
						       pid,	      function, (uint64_t)-2 };
		events[n++] = (struct sample_event){ SAMPLE_EXIT, 0, time, pid, function, 0, took };
	}
	return sample_save(events, path);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		const struct sample_event *events;
	} kinds[] = { { "one", one }, { "unmatched", unmatched }, { "lost", lost } };

	if (argc != 3)
		return 2;
	if (str_eq(argv[1], "none"))
		return make_none(argv[2]) != 0;
	if (str_eq(argv[1], "many"))
		return make_many(argv[2]) != 0;
	if (str_eq(argv[1], "far"))
		return make_far(argv[2]) != 0;
	/* 100 GB, nearly all of it holes. */
	if (str_eq(argv[1], "sparse"))
		return trace_writer_sparse(argv[2], 4, 6103515, 64, 16384) != 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (str_eq(argv[1], kinds[i].name))
			return sample_save(kinds[i].events, argv[2]) != 0;
	return 2;
}
