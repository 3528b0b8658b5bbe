/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter language of fathom-filter(7). A filter is parsed once, bound to the event formats of a
 * trace (which resolves and checks names), and then matched against each event. Matching allocates
 * nothing and, except for idempotent updates of a cache, changes nothing, so threads can share a
 * bound filter if the callbacks of its filter_env allow it. Times are in nanoseconds.
 *
 * A value that an event does not have, or that is not within its record, is unknown: neither a
 * comparison with it nor the negation of one matches.
 */
#ifndef FATHOM_READ_FILTER_H
#define FATHOM_READ_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "format/event/event-format.h"

/* Limits on a filter: length of the text, number of parts, nesting. */
#define FILTER_TEXT_MAX	 ((size_t)64 << 10)
#define FILTER_NODES_MAX 16384
#define FILTER_TESTS_MAX 2000
#define FILTER_DEPTH_MAX 100

struct filter;

/* An event as delivered by the reader. */
struct filter_event {
	uint64_t time; /* nanoseconds */
	int32_t cpu;
	int32_t pid;
	const char *buffer; /* its name; NULL or empty: the top-level buffer */
	const struct event_format *format; /* NULL: unknown; the event then has no fields */
	const void *data;
	size_t size;
	const void *owner; /* for the callbacks of struct filter_env */
};

/* Addresses from @start to @end, exclusive. */
struct filter_range {
	uint64_t start;
	uint64_t end;
};

/* Further facts about the trace. Each callback may be NULL: the fact is unknown. */
struct filter_env {
	void *arg;
	/*
	 * Stores up to @max places of the function @name and returns their number, which may be
	 * larger (several functions can have the same name).
	 */
	size_t (*function_ranges)(void *arg, const char *name, struct filter_range *ranges,
				  size_t max);
	/* Returns the function that contains @address, or NULL. Valid until the next call. */
	const char *(*function_name)(void *arg, uint64_t address);
	/* Calls @fn for each known function until it returns true. Only used for messages. */
	void (*function_each)(void *arg, bool (*fn)(void *fn_arg, const char *name), void *fn_arg);
	/* Returns the name of the task that was running, or NULL. */
	const char *(*comm)(void *arg, const struct filter_event *event);
	bool (*tgid)(void *arg, const struct filter_event *event, int32_t *ret_tgid);
	/* Returns the duration that the event represents, if its fields don't contain it. */
	bool (*duration)(void *arg, const struct filter_event *event, uint64_t *ret_ns);
};

/*
 * Parses a filter, which lives in @arena and does not refer to @text afterwards. Returns 0 or a
 * negative errno; @err has the byte offset in @text.
 */
int filter_parse(const char *text, struct arena *arena, struct filter **ret_filter,
		 struct fathom_err *err);

/*
 * Resolves the names of a filter in @formats and compiles it for each of them. @env may be NULL.
 * The formats, the data of @env's callbacks and the arena must outlive the filter. Can be called
 * again with other formats. Returns 0, -ENOENT for an unknown name, or another negative errno; @err
 * has the byte offset in the text.
 */
int filter_bind(struct filter *filter, const struct event_format *const *formats, size_t n_formats,
		const struct filter_env *env, struct fathom_err *err);

/* Returns whether the event matches. The filter must be bound. */
bool filter_match(const struct filter *filter, const struct filter_event *event);

/* Returns whether an event of this format can match at all. */
bool filter_wants(const struct filter *filter, const struct event_format *format);

/*
 * Returns a remark on a bound filter that is valid but possibly not as intended, or NULL: trace-cmd
 * accepts a field that no event has, and never matches it.
 */
const char *filter_note(const struct filter *filter, uint64_t *ret_offset);

/* What a filter becomes part of, for filter_bpf_emit(). */
struct bpf_code;
struct bpf_jumps;
#define FILTER_BPF_SCRATCH 128
struct filter_bpf {
	struct bpf_code *code;
	/* Jumps that are taken by events that do not match. */
	struct bpf_jumps *reject;
	/* Offset of FILTER_BPF_SCRATCH bytes in the stack frame. */
	int scratch;
	/* Fields are at their offsets from register 6, which is the context of the program. */
	bool is_event; /* the context of a tracepoint, whose common fields cannot be read */
};

/*
 * Appends BPF instructions that test an event of @format, to which the filter must be bound.
 * Execution continues after them if the event matches. Registers 0 to 5 are changed. Returns 0, or
 * -ENOTSUP with the reason if a test cannot be done in the kernel.
 */
int filter_bpf_emit(const struct filter *filter, const struct event_format *format,
		    const struct filter_bpf *bpf, struct fathom_err *err);

/*
 * Several filters, as with trace-cmd's -F and -v: an event is shown if any of the filters matches
 * or there are none, unless one of the inverted ones matches. A stack trace is shown if the
 * preceding event on its CPU is. Not thread-safe.
 */
struct filter_list {
	struct filter_list_entry *entries;
	size_t n;
	size_t cap;
	size_t n_show;
	bool *shown; /* per CPU: the previous event was shown */
	size_t n_cpus;
	size_t failed; /* the filter for which filter_list_bind() failed */
};

int filter_list_add(struct filter_list *list, struct filter *filter, bool hide);
/*
 * Binds all filters; must be called before the first match. @n_cpus is the number of CPUs, numbered
 * from 0. Returns 0 or a negative errno.
 */
int filter_list_bind(struct filter_list *list, const struct event_format *const *formats,
		     size_t n_formats, const struct filter_env *env, size_t n_cpus,
		     struct fathom_err *err);
/* Returns whether the event is shown. Must be called for all events of a CPU in their order. */
bool filter_list_match(struct filter_list *list, const struct filter_event *event);
/* The same for single events in any order: a stack trace is treated like any other event. */
bool filter_list_match_alone(const struct filter_list *list, const struct filter_event *event);
void filter_list_done(struct filter_list *list);

#endif
