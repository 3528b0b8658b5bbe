/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of counting over a recording, and the event at hand. */
#ifndef FATHOM_ANALYZE_COUNT_COUNT_EVENTS_PARTS_H
#define FATHOM_ANALYZE_COUNT_COUNT_EVENTS_PARTS_H

#include "analyze/count/count-events.h"
#include "analyze/count/count-opens.h"
#include "analyze/count/count-tasks.h"
#include "analyze/count/count-waiting.h"
#include "analyze/count/recorded-sites.h"

struct count_events {
	const struct count_plan *plan;
	struct count_events_options options;
	struct filter_env env; /* of the options, and what is known here */
	struct recorded_sites sites;
	struct count_table table;
	struct count_tasks tasks;
	struct count_opens opens;
	struct count_stacks stacks;
	struct count_waiting waiting;
	struct count_losses losses;
	bool follows_calls; /* the ends are returns of functions */
	bool has_buffer;
	uint16_t buffer; /* of the tracer's calls */
	bool nomem;
	uint64_t key[COUNT_KEY_WORDS];
};

/* The event that is being counted. */
struct count_now {
	struct count_events *events;
	const struct decoded_event *decoded;
	const struct fathom_event *event;
	const struct event_format *format;
	/* Of a call: the event with its arguments, or NULL. */
	const struct fathom_event *more;
	const struct event_format *more_format;
	uint32_t function; /* index in the sites */
	uint64_t func; /* its address */
	bool has_result, has_duration;
	int64_t result;
	uint64_t duration;
	bool is_outside; /* before the window */
};

/* Returns the process of the current task. */
int32_t count_now_tgid(const struct count_now *now);
/* Counts something that is missing, unless the event is outside the window. */
void count_now_lose(const struct count_now *now, uint64_t *loss);
/* Returns whether the filters of the site accept the event. */
bool count_now_is_chosen(const struct count_now *now, const struct count_site *site);
/* Reads a value; 0, counted as unread, if the event does not have it. */
uint64_t count_now_number(const struct count_now *now, const struct count_site *site,
			  const struct count_from *from);
/* Stores the columns that the site has in the key. */
void count_now_columns(const struct count_now *now, const struct count_site *site, void *key);
/* Adds facts that filters can ask for, about events owned by a struct count_now. */
void count_now_complete_env(struct filter_env *env);

#endif
