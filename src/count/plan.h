/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What to count: the typed form of a `fathom count` command, independent of how it is carried out.
 * The same plan is evaluated in the kernel (count/live.h) and over a recording
 * (analyze/count/count-events.h), with the same result.
 *
 * A plan is immutable once parsed. It lives, with all its strings and filters, in the arena given
 * to count_plan_parse().
 */
#ifndef FATHOM_COUNT_PLAN_H
#define FATHOM_COUNT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"

#define COUNT_KEYS_MAX	  8
#define COUNT_SOURCES_MAX 64

enum count_source_kind {
	COUNT_EVENT, /* tracepoints: SYSTEM:NAME, globs in both */
	COUNT_FUNCTION, /* kernel functions: NAME, a glob */
	COUNT_PROFILE, /* a timer on each CPU: profile:HZ */
};

struct filter;

/* One term of WHAT: "SYSTEM:NAME[PAIR]/FILTER/". */
struct count_source {
	enum count_source_kind kind;
	const char *text; /* as written, for messages */
	const char *system; /* of an event */
	const char *name; /* of an event or function */
	/* The field by whose value begins and ends belong together; NULL: the thread. */
	const char *pair;
	struct filter *filter; /* counts only events that match; NULL: all */
	const char *filter_text;
	unsigned hz;
	/*
	 * Of a function among the sources: its return, whose begin is the same element of the
	 * begins. Its filter is about the return, that of the begin about the arguments.
	 */
	bool is_return;
};

enum count_what {
	COUNT_NUMBER, /* the number of events */
	COUNT_SUM,
	COUNT_MIN,
	COUNT_MAX,
	COUNT_AVG,
	COUNT_STATS, /* number, sum, average, minimum and maximum */
	COUNT_HIST, /* a distribution */
};

struct count_plan {
	/* The events to count. With @begins, they are the ends of what is counted. */
	struct count_source sources[COUNT_SOURCES_MAX];
	size_t n_sources;
	/*
	 * The begins. A plan with the latency or the results of functions has the same functions in
	 * both lists: their entries begin, their returns end.
	 */
	struct count_source begins[COUNT_SOURCES_MAX];
	size_t n_begins;
	bool is_latency; /* the value is the time from begin to end, in ns */
	enum count_what what;
	const char *value; /* the field or argument; NULL: none, or the latency */
	const char *keys[COUNT_KEYS_MAX];
	size_t n_keys;
	struct filter *filter; /* of all sources, not of the begins; NULL: none */
	const char *filter_text;
	int32_t process; /* only this process, or 0 */
};

/* The words of a command; NULL or 0 where not given. */
struct count_words {
	const char *what; /* "vfs_read", "sched:sched_wakeup[pid]..sched:sched_switch[next_pid]" */
	const char *keys; /* "comm, cpu" */
	const char *pair; /* "pid=next_pid": of all begins and of all ends */
	const char *filter;
	enum count_what aggregator;
	const char *value;
	bool is_latency;
	int32_t process;
};

/*
 * Parses @words into @plan. Names are checked only when the plan is carried out. Returns 0, -EINVAL
 * with a message, or -ENOMEM.
 */
int count_plan_parse(const struct count_words *words, struct arena *arena, struct count_plan *plan,
		     struct fathom_err *err);

#endif
