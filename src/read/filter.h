/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter language of fathom-filter(7). A filter is parsed once, bound to the event
 * formats of a trace (where names get their meaning and are checked), and then asked
 * for each event. Asking allocates nothing and changes nothing, so that threads may
 * share a bound filter.
 *
 * A value that an event does not have, or that does not lie within its record, is
 * unknown: a comparison with it does not match, and neither does its negation.
 */
#ifndef FATHOM_READ_FILTER_H
#define FATHOM_READ_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "format/event/event-format.h"

/* A filter's text may not be longer, nor have more parts, nor be nested deeper. */
#define FILTER_TEXT_MAX	 ((size_t)64 << 10)
#define FILTER_NODES_MAX 16384
#define FILTER_TESTS_MAX 2000
#define FILTER_DEPTH_MAX 100

struct filter;

/* One event, as the reader hands it out. */
struct filter_event {
	uint64_t time; /* ns */
	int32_t cpu;
	int32_t pid;
	const char *buffer; /* its name; NULL or empty: the top one */
	const struct event_format *format; /* NULL: not known, then it has no fields */
	const void *data;
	size_t size;
	const void *owner; /* for the callbacks of struct filter_env */
};

/* Addresses from @start up to but not including @end. */
struct filter_range {
	uint64_t start;
	uint64_t end;
};

/* What else a filter can ask about a trace. Each callback may be NULL: then nothing is known. */
struct filter_env {
	void *arg;
	/*
	 * Stores up to @max places of the function @name and returns how many there are
	 * (several functions can have one name).
	 */
	size_t (*function_ranges)(void *arg, const char *name, struct filter_range *ranges,
				  size_t max);
	/* The function that @address belongs to, or NULL; valid until the next call. */
	const char *(*function_name)(void *arg, uint64_t address);
	/* Calls @fn for each known function until it returns true; only used for messages. */
	void (*function_each)(void *arg, bool (*fn)(void *fn_arg, const char *name), void *fn_arg);
	/* The name of the task that was running, or NULL. */
	const char *(*comm)(void *arg, const struct filter_event *event);
	bool (*tgid)(void *arg, const struct filter_event *event, int32_t *ret_tgid);
	/* How long what the event stands for took, where its own fields do not tell. */
	bool (*duration)(void *arg, const struct filter_event *event, uint64_t *ret_ns);
};

/*
 * Reads a filter. It and all that belongs to it live in @arena. 0 or a negative errno;
 * @err says at which byte of @text.
 */
int filter_parse(const char *text, struct arena *arena, struct filter **ret_filter,
		 struct fathom_err *err);

/*
 * Looks up the names of a filter in @formats, and compiles it for each of them; @env may
 * be NULL. The formats, @env's callbacks and the arena have to live as long as the
 * filter is used. May be called again with other formats. 0, -ENOENT for a name that
 * nothing has, or another negative errno; @err says at which byte of the text.
 */
int filter_bind(struct filter *filter, const struct event_format *const *formats, size_t n_formats,
		const struct filter_env *env, struct fathom_err *err);

/* Does the event match? Only for a bound filter. */
bool filter_match(const struct filter *filter, const struct filter_event *event);

/* Can an event of this format match at all? */
bool filter_wants(const struct filter *filter, const struct event_format *format);

/*
 * Something about a bound filter that is no error but may not be what was meant, or
 * NULL: trace-cmd takes a field that no event has as never matching.
 */
const char *filter_note(const struct filter *filter, uint64_t *ret_offset);

/*
 * Several filters, as trace-cmd has them with -F and -v: an event is shown when any of
 * the filters matches or there is none, unless one of the hiding ones does. A stack
 * trace is shown with the event before it on its CPU.
 */
struct filter_list {
	struct filter_list_entry *entries;
	size_t n;
	size_t cap;
	size_t n_show;
	bool *shown; /* per CPU: the event before was */
	size_t n_cpus;
	size_t failed; /* the filter that filter_list_bind() failed for */
};

int filter_list_add(struct filter_list *list, struct filter *filter, bool hide);
/* Binds all; to be called before the first match. CPUs are numbered below @n_cpus. */
int filter_list_bind(struct filter_list *list, const struct event_format *const *formats,
		     size_t n_formats, const struct filter_env *env, size_t n_cpus,
		     struct fathom_err *err);
/* Is the event shown? To be asked for all events of a CPU in their order. */
bool filter_list_match(struct filter_list *list, const struct filter_event *event);
/* The same for a single event in any order: a stack trace is as any other event. */
bool filter_list_match_alone(const struct filter_list *list, const struct filter_event *event);
void filter_list_done(struct filter_list *list);

#endif
