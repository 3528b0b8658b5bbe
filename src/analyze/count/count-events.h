/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Carries out a plan over a recording, with the result that counting in the kernel would have
 * given. Events are those of the recording; functions are the calls that a function tracer or
 * probes recorded, and the duration of a call is that of the tracer. Samples count for every timer,
 * whatever its frequency.
 *
 * All begins belong to all ends. By thread, the latest begin ends first; by key, a later begin
 * replaces one with the same key. Early events of a window only begin and end: they are not
 * counted. A thread is a process of its own if the recording does not reveal its process. Text
 * outside of events is empty and counted as unread, unless the kernel recorded it along with the
 * pointer. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_COUNT_COUNT_EVENTS_H
#define FATHOM_ANALYZE_COUNT_COUNT_EVENTS_H

#include <fathom/err.h>

#include "analyze/count/count-stacks.h"
#include "analyze/count/count-table.h"
#include "base/cleanup.h"
#include "count/plan.h"
#include "read/event-table.h"
#include "read/filter.h"

struct kallsyms;
struct decoded_event;
struct count_events;

struct count_events_options {
	const struct count_plan *plan;
	struct event_table *events; /* of the recording */
	const struct kallsyms *kallsyms; /* names of functions; may be NULL */
	const struct filter_env *env; /* facts about events, for filters, comm and tgid */
};

/*
 * Resolves the plan in the formats of the recording. Returns 0, or a negative errno with a message:
 * -ENOENT if the recording has no such event or field.
 */
int count_events_new(const struct count_events_options *options, struct count_events **ret_events,
		     struct fathom_err *err);
void count_events_free(struct count_events *events);
DEFINE_CLEANUP(struct count_events, count_events_free);

/* A feed_taker. @data is a struct count_events. */
void count_events_take(void *data, const struct decoded_event *decoded);
/* Ends counting: what is still open is counted as such. Returns 0 or -ENOMEM. */
int count_events_end(struct count_events *events);

/* The result, valid until count_events_free(). */
struct count_table *count_events_table(struct count_events *events);
const struct count_columns *count_events_columns(const struct count_events *events);
const struct count_site *count_events_sites(const struct count_events *events, size_t *ret_n);
/* Returns the stack with the number in a key of COUNT_COLUMN_STACK, or NULL. */
const struct count_stack *count_events_stack(const struct count_events *events, int64_t id);

#endif
