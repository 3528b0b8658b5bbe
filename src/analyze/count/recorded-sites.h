/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sites of a plan in a recording: which events are counted, which begin what is counted, and by
 * which filters.
 *
 * Events are found by their formats. Functions have no formats; the first site of each of their
 * sources is for all of them, with the arguments that probes recorded. When a function is called
 * for the first time, it gets sites of its own. So the list of sites grows. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_COUNT_RECORDED_SITES_H
#define FATHOM_ANALYZE_COUNT_RECORDED_SITES_H

#include <fathom/err.h>

#include "base/arena.h"
#include "base/u64-map.h"
#include "count/columns.h"
#include "count/plan.h"
#include "read/event-table.h"
#include "read/filter.h"
#include "symbols/kernel/kallsyms.h"

#define RECORDED_NO_SITE UINT32_MAX

/* What an event of a format says about a function. */
enum recorded_kind {
	RECORDED_UNKNOWN, /* not determined yet */
	RECORDED_NONE,
	RECORDED_ENTRY, /* of a tracer */
	RECORDED_RETURN,
	RECORDED_PROBE, /* a probe at its entry */
	RECORDED_PROBE_RETURN,
};

struct recorded_role {
	enum recorded_kind kind;
	const struct event_field *func; /* of probes */
	const struct event_field *result; /* of a probe at the return; NULL: none */
};

/* A function that was called. */
struct recorded_function {
	uint64_t address;
	uint32_t first; /* index of its first site, or RECORDED_NO_SITE */
	bool is_known; /* the sites were looked up */
	bool is_traced; /* its calls are in events of a tracer */
};

/* Zero-initialized: empty. */
struct recorded_sites {
	const struct count_plan *plan;
	struct event_table *events;
	const struct kallsyms *kallsyms; /* may be NULL */
	const struct filter_env *env;
	struct count_site *list;
	uint32_t *next; /* of each site: the next one with the same event or function */
	size_t n, cap, cap_next;
	uint32_t *by_id; /* first site of each event + 1; EVENT_TABLE_IDS */
	struct recorded_role *roles; /* of each event; EVENT_TABLE_IDS */
	const struct pattern **patterns; /* of each site of a source of functions, or NULL */
	size_t n_first; /* number of sites without those of single functions */
	struct count_columns columns;
	bool plan_filter_at_begin; /* no counted event has the fields of the plan's filter */
	struct u64_map addresses;
	struct kallsyms_cache *cache;
	struct recorded_function *functions;
	size_t n_functions, cap_functions;
	struct arena arena;
};

/*
 * Finds the sites of @plan and resolves its names. All arguments must outlive the sites. Returns 0,
 * or a negative errno with a message: -ENOENT if the recording lacks an event or field.
 */
int recorded_sites_init(struct recorded_sites *sites, const struct count_plan *plan,
			struct event_table *events, const struct kallsyms *kallsyms,
			const struct filter_env *env, struct fathom_err *err);
void recorded_sites_done(struct recorded_sites *sites);

/* Returns the first site of the event, or RECORDED_NO_SITE. */
static inline uint32_t recorded_sites_of_event(const struct recorded_sites *sites, uint16_t id)
{
	return sites->by_id[id] - 1U;
}

/* Returns what the event says about functions. */
const struct recorded_role *recorded_sites_role(struct recorded_sites *sites, uint16_t id);
/* Returns the function at this address, valid until the next call, or NULL without memory. */
struct recorded_function *recorded_sites_function(struct recorded_sites *sites, uint64_t address);

#endif
