/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of a plan: resolves names to kernel events, and enables these. */
#include "record/plan/plan-parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/pattern/match.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernel/events/event-filter.h"
#include "kernel/events/events.h"
#include "record/session/session-env.h"
#include "record/session/session.h"

/* Matches the events that a name given by a user means. */
struct event_match {
	struct match system, event;
	bool split; /* SYSTEM:EVENT; otherwise @event matches systems and events */
};

static void event_match_done(struct event_match *m)
{
	if (m->split)
		match_done(&m->system);
	match_done(&m->event);
}

static int event_match_init(struct event_match *m, const char *name, struct fathom_err *err)
{
	const char *colon = strpbrk(name, ":/");
	char system[128];
	int r;

	*m = (struct event_match){ .split = colon != NULL };
	if (!colon)
		return match_init(&m->event, str_eq(name, "all") ? "*" : name, MATCH_WHOLE, err);
	if ((size_t)(colon - name) >= sizeof(system))
		return err_set(err, -EINVAL, "system name too long in '%s'", name);
	memcpy(system, name, (size_t)(colon - name));
	system[colon - name] = '\0';
	r = match_init(&m->system, system, MATCH_WHOLE, err);
	if (r < 0)
		return r;
	r = match_init(&m->event, colon[1] ? colon + 1 : "*", MATCH_WHOLE, err);
	if (r < 0)
		match_done(&m->system);
	return r;
}

static bool plan_events_fits(const struct event_match *m, const struct event *event)
{
	if (m->split)
		return match_test(&m->system, event->system) && match_test(&m->event, event->name);
	return match_test(&m->event, event->system) || match_test(&m->event, event->name);
}

static int unknown_event(const struct events *events, const char *name, struct fathom_err *err)
{
	const char *event = strpbrk(name, ":/");
	struct nearest nearest = { .wanted = event ? event + 1 : name };

	for (size_t i = 0; i < events->n; i++) {
		nearest_offer(&nearest, events->list[i].name);
		if (!event)
			nearest_offer(&nearest, events->list[i].system);
	}
	if (nearest_pick(&nearest))
		return err_set(err, -ENOENT, "no event '%s' in this kernel; did you mean '%s'?",
			       name, nearest_pick(&nearest));
	return err_set(err, -ENOENT, "no event '%s' in this kernel; see 'fathom list -e'", name);
}

struct apply {
	struct plan *plan;
	struct session *session;
	struct session_place *place;
	const struct events *events;
	struct fathom_err *err;
};

static int set_event_file(const struct apply *a, const struct event *event, const char *file,
			  enum knob_mode mode, const char *value)
{
	char path[PLAN_PATH_SIZE];
	int r;

	snprintf(path, sizeof(path), "events/%s/%s/%s", event->system, event->name, file);
	r = plan_set(a->session, a->place, path, mode, value, a->err);
	return r < 0 ? err_prefix(a->err, "event '%s:%s'", event->system, event->name), r : 0;
}

/*
 * Applies filter, triggers and state to one event. Filters that it rejects are counted in
 * *@refused.
 */
static int apply_to_one(const struct apply *a, const struct plan_event *want,
			const struct event *event, size_t *refused)
{
	int r = 0;

	if (want->filter) {
		r = set_event_file(a, event, "filter", KNOB_SET, want->filter);
		if (r < 0) {
			(*refused)++;
			return 0;
		}
	}
	for (size_t i = 0; i < want->triggers.n && r == 0; i++)
		r = set_event_file(a, event, "trigger", KNOB_ADD, want->triggers.list[i]);
	if (r == 0)
		r = set_event_file(a, event, "enable", KNOB_SET, want->off ? "0" : "1");
	return r;
}

/* Enables a whole system, or all events, with one write. */
static int apply_group(const struct apply *a, const struct plan_event *want, const char *system)
{
	char path[PLAN_PATH_SIZE];

	if (system)
		snprintf(path, sizeof(path), "events/%s/enable", system);
	else
		snprintf(path, sizeof(path), "events/enable");
	return plan_set(a->session, a->place, path, KNOB_SET, want->off ? "0" : "1", a->err);
}

/* Returns the end of the run of events of one system that starts at @i. */
static size_t system_end(const struct events *events, size_t i)
{
	size_t end = i;

	while (end < events->n && str_eq(events->list[end].system, events->list[i].system))
		end++;
	return end;
}

static int apply_system(const struct apply *a, const struct plan_event *want,
			const struct event_match *m, size_t from, size_t end, size_t *found,
			size_t *refused)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = from; i < end; i++)
		n += plan_events_fits(m, &a->events->list[i]);
	*found += n;
	if (n == end - from && n > 1 && !want->filter && !want->triggers.n)
		return apply_group(a, want, a->events->list[from].system);
	for (size_t i = from; i < end && n && r == 0; i++)
		if (plan_events_fits(m, &a->events->list[i]))
			r = apply_to_one(a, want, &a->events->list[i], refused);
	return r;
}

/*
 * A filter may fail for some events of a group, which lack its fields. If it fails for all, it is
 * wrong.
 */
static int check_found(struct plan *plan, const struct events *events,
		       const struct plan_event *want, size_t found, size_t refused,
		       struct fathom_err *err)
{
	if (refused && refused == found)
		return err->code ?: -EINVAL;
	if (refused)
		plan_note(plan,
			  "filter '%s' does not apply to %zu of the %zu events of '%s', which "
			  "are excluded",
			  want->filter, refused, found, want->name);
	if (found)
		return 0;
	if (!plan->ignore_missing)
		return unknown_event(events, want->name, err);
	plan_note(plan, "no event '%s' in this kernel", want->name);
	return 0;
}

static int apply_event(const struct apply *a, const struct plan_event *want)
{
	struct event_match m;
	size_t found = 0, refused = 0;
	int r;

	if (str_eq(want->name, "all") && !want->filter && !want->triggers.n)
		return apply_group(a, want, NULL);
	r = event_match_init(&m, want->name, a->err);
	for (size_t i = 0, end; r == 0 && i < a->events->n; i = end) {
		end = system_end(a->events, i);
		r = apply_system(a, want, &m, i, end, &found, &refused);
	}
	event_match_done(&m);
	return r < 0 ? r : check_found(a->plan, a->events, want, found, refused, a->err);
}

static int enable_probe(const struct apply *a, const struct plan_event *want)
{
	char group[PLAN_GROUP_SIZE];
	const struct event event = { .system = group, .name = want->name };
	size_t refused = 0;
	int r;

	if (want->off)
		return 0;
	plan_probe_group(a->session, group, sizeof(group));
	r = apply_to_one(a, want, &event, &refused);
	return r == 0 && refused ? a->err->code ?: -EINVAL : r;
}

/* Returns whether the group of all probes can be enabled at once. One by one takes long. */
static bool are_alike(const struct plan *plan, const struct plan_buffer *buffer)
{
	size_t n = 0;

	for (size_t i = 0; i < buffer->n_events; i++) {
		const struct plan_event *event = &buffer->events[i];

		if (event->probe &&
		    (event->filter || event->triggers.n || (event->off && event->made)))
			return false;
		n += event->probe && !event->off;
	}
	return plan->n == 1 && n > 1;
}

static int enable_probes(const struct apply *a, const struct plan_buffer *buffer)
{
	char group[PLAN_GROUP_SIZE];
	int r = 0;

	if (are_alike(a->plan, buffer)) {
		plan_probe_group(a->session, group, sizeof(group));
		return apply_group(a, &(struct plan_event){ 0 }, group);
	}
	for (size_t i = 0; i < buffer->n_events && r == 0; i++) {
		if (!buffer->events[i].probe)
			continue;
		plan_progress(a->plan, "enabling probes", i, buffer->n_events);
		r = enable_probe(a, &buffer->events[i]);
	}
	return r;
}

static int check_triggers(const struct plan_buffer *buffer)
{
	for (size_t i = 0; i < buffer->n_events; i++)
		for (size_t k = 0; k < buffer->events[i].triggers.n; k++)
			if (strstr(buffer->events[i].triggers.list[k], "stacktrace"))
				return 1;
	return 0;
}

int plan_apply_events(struct plan *plan, struct plan_buffer *buffer, struct session *session,
		      struct fathom_err *err)
{
	struct fathom_err own = { 0 };
	struct events events = { 0 };
	struct apply apply = { plan, session, buffer->place, &events, err ?: &own };
	int r;

	if (!buffer->n_events)
		return 0;
	r = events_read(session_env(session)->tracefs.fd, &events, err);
	for (size_t i = 0; i < buffer->n_events && r == 0; i++)
		if (!buffer->events[i].probe)
			r = apply_event(&apply, &buffer->events[i]);
	if (r == 0)
		r = enable_probes(&apply, buffer);
	if (check_triggers(buffer))
		plan->wants_symbols = true;
	events_done(&events);
	return r;
}

/*
 * Returns whether the event has the fields of the filter. Other errors are only found by the
 * kernel.
 */
static bool takes_filter(int tracefs, const struct event *event, const char *filter,
			 struct fathom_err *err)
{
	struct event_layout layout;
	int r = event_layout_read(tracefs, event->system, event->name, &layout, NULL);

	if (r < 0)
		return true;
	r = event_filter_check(filter, &layout, err);
	event_layout_done(&layout);
	if (r < 0)
		err_prefix(err, "event '%s:%s'", event->system, event->name);
	return r == 0;
}

/* Does what apply_event() would do, and sets @on for each event that would be enabled. */
static int preview_event(struct plan *plan, const struct session_env *env,
			 const struct events *events, struct plan_event *want, bool *on,
			 struct fathom_err *err)
{
	struct event_match m;
	size_t found = 0, refused = 0;
	int r = event_match_init(&m, want->name, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < events->n; i++) {
		const struct event *event = &events->list[i];

		if (!plan_events_fits(&m, event))
			continue;
		found++;
		if (want->filter && !takes_filter(env->tracefs.fd, event, want->filter, err))
			refused++;
		else
			on[i] = !want->off;
	}
	event_match_done(&m);
	want->found = found - refused;
	return check_found(plan, events, want, found, refused, err);
}

int plan_preview_events(struct plan *plan, struct plan_buffer *buffer,
			const struct session_env *env, struct fathom_err *err)
{
	struct fathom_err own = { 0 };
	_cleanup_(events_done) struct events events = { 0 };
	_cleanup_free_ bool *on = NULL;
	int r;

	if (!buffer->n_events)
		return 0;
	r = events_read(env->tracefs.fd, &events, err);
	if (r < 0)
		return r;
	on = mem_zalloc(events.n ?: 1, sizeof(*on));
	if (!on)
		return err_nomem(err);
	for (size_t i = 0; i < buffer->n_events && r == 0; i++)
		if (!buffer->events[i].probe)
			r = preview_event(plan, env, &events, &buffer->events[i], on, err ?: &own);
	for (size_t i = 0; i < events.n; i++)
		buffer->preview.events += on[i];
	return r;
}
