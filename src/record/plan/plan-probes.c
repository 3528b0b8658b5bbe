/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The probes of a plan: events that the session creates, in its own group. User-defined expressions
 * must succeed. Built-in probes have alternatives with the same name, and it is not an error if the
 * kernel accepts none.
 */
#include "record/plan/plan-parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernel/features/probe.h"
#include "record/file/kernel-lists.h"
#include "record/probes/probe-events.h"
#include "record/probes/probe-make.h"
#include "record/session/session-env.h"
#include "record/session/session.h"
#include "symbols/probe/probe.h"

#define FUNCTION_SIZE 128

int plan_add_expression(struct plan *plan, const char *text, struct fathom_err *err)
{
	struct plan_buffer *buffer = plan_last(plan);
	const struct probe *probe;
	int r = probe_parse(text, &plan->arena, &probe, err);

	if (r < 0)
		return r;
	if (plan_add_probe(buffer, text, text) < 0)
		return err_nomem(err);
	buffer->events[buffer->n_events - 1].expression = probe;
	return 0;
}

static bool plan_probes_is_alternative(const struct plan_event *event,
				       const struct plan_event *other)
{
	return other->probe && !other->expression && str_eq(other->name, event->name);
}

/* Returns whether the kernel has the function of a built-in probe, or may have it. */
static bool plan_probes_is_known(struct asker *asker, const struct session_env *env,
				 const struct plan_event *event, bool by_types)
{
	char name[FUNCTION_SIZE];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(event->probe, " "), event->probe);
	if (by_types)
		return kernel_types_name(asker, name) > 0;
	if (!asker->symbols.len && kernel_lists_symbols(env, true, &asker->symbols) == -ENOMEM)
		asker->no_memory = true;
	return kernel_names(asker, name) != 0;
}

/*
 * Creates one of the probes with the name of @event, the first of them; the others are disabled.
 * The kernel logs each probe that it rejects in error_log, so functions that it does not have are
 * not tried. BTF is quicker to read than the symbols, but does not have all functions.
 */
static int plan_probes_make(struct plan *plan, struct plan_event *event,
			    const struct plan_event *end, struct session *session,
			    struct asker *asker, struct fathom_err *err)
{
	const struct session_env *env = session_env(session);
	struct fathom_err why = { 0 };
	char group[PLAN_GROUP_SIZE];
	bool made = false, by_types = false;

	plan_probe_group(session, group, sizeof(group));
	for (const struct plan_event *other = event; other < end; other++)
		by_types |= plan_probes_is_alternative(event, other) &&
			    plan_probes_is_known(asker, env, other, true);
	for (struct plan_event *other = event; other < end; other++) {
		_cleanup_free_ char *definition = NULL;

		if (!plan_probes_is_alternative(event, other))
			continue;
		other->off = true;
		if (made || !plan_probes_is_known(asker, env, other, by_types))
			continue;
		definition = mem_printf("p:%s/%s %s", group, other->name, other->probe);
		if (!definition)
			return err_nomem(err);
		made = session_add_event(session, definition, &why) == 0;
		other->off = !made;
	}
	if (asker->no_memory)
		return err_nomem(err);
	if (!made && why.code)
		plan_note(plan, "%s", why.message);
	else if (!made)
		plan_note(plan, "no kernel function '%.*s'", (int)strcspn(event->probe, " "),
			  event->probe);
	return 0;
}

static bool plan_probes_is_first(const struct plan_buffer *buffer, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (buffer->events[k].probe && !buffer->events[k].expression &&
		    str_eq(buffer->events[k].name, buffer->events[i].name))
			return false;
	return true;
}

/* Returns whether a probe in any buffer has this name: they share a group. */
static bool plan_probes_is_taken(const struct plan *plan, const struct plan_event *own,
				 const char *name)
{
	for (size_t i = 0; i < plan->n; i++)
		for (size_t k = 0; k < plan->buffers[i].n_events; k++) {
			const struct plan_event *event = &plan->buffers[i].events[k];

			if (event != own && event->probe && str_eq(event->name, name))
				return true;
		}
	return false;
}

/* What creating events requires. */
struct maker {
	struct plan *plan;
	const struct session_env *env;
	struct session *session; /* NULL: preview only */
	const struct probe_machine *machine;
};

/* The expression whose events are being created. */
struct making {
	struct plan *plan;
	struct plan_buffer *buffer;
	size_t i; /* index of the expression's event; others are appended */
	const struct maker *maker;
};

static bool is_taken_for(void *data, const char *name)
{
	const struct making *making = data;

	return plan_probes_is_taken(making->plan, &making->buffer->events[making->i], name);
}

/* Appends another event for the same expression, with the same filter and triggers. */
static struct plan_event *plan_probes_add_copy(struct plan_buffer *buffer, size_t i)
{
	const struct plan_words *triggers;
	int r = plan_add_probe(buffer, buffer->events[i].name, buffer->events[i].probe);
	struct plan_event *event = r == 0 ? &buffer->events[buffer->n_events - 1] : NULL;

	if (!event)
		return NULL;
	triggers = &buffer->events[i].triggers;
	event->expression = buffer->events[i].expression;
	event->filter = buffer->events[i].filter;
	event->off = buffer->events[i].off;
	for (size_t k = 0; k < triggers->n; k++)
		if (plan_words_add(&event->triggers, triggers->list[k]) < 0)
			return NULL;
	return event;
}

/*
 * A uprobe event can be enabled by ftrace or by perf, but not by both (-EINTR). If stacks are copied at
 * events, perf gets a twin: the same definition in another group, "p:GROUP_stacks/NAME ...".
 */
static bool needs_twin(const struct making *making)
{
	return making->maker->session && making->buffer->unwound &&
	       probe_in_program(making->buffer->events[making->i].expression);
}

static char *twin_of(const char *line)
{
	size_t group = strcspn(line, "/");

	return mem_printf("%.*s" PLAN_STACK_GROUP "%s", (int)group, line, line + group);
}

static int make_twin(const struct making *making, const char *line, struct fathom_err *err)
{
	_cleanup_free_ char *twin = needs_twin(making) ? twin_of(line) : NULL;

	if (!needs_twin(making))
		return 0;
	return twin ? session_add_event(making->maker->session, twin, err) : err_nomem(err);
}

static int plan_probes_make_event(void *data, const char *name, const char *line,
				  struct fathom_err *err)
{
	const struct making *making = data;
	const struct maker *maker = making->maker;
	struct plan_event *event = &making->buffer->events[making->i];
	int r = maker->session ? session_add_event(maker->session, line, err) : 0;

	if (r == -EEXIST && !probe_is_named(event->expression))
		return r;
	/*
	 * Rejections in a set are counted, and explaining one requires the list of all functions.
	 */
	if (r < 0 && r != -ENOMEM && !event->set)
		probe_refused(maker->env->tracefs.fd, maker->env->root, event->expression, line, r,
			      err);
	if (r < 0)
		return r;
	if (event->made)
		event = plan_probes_add_copy(making->buffer, making->i);
	if (event)
		event->name = arena_strdup(&making->plan->arena, name);
	if (!event || !event->name)
		return err_nomem(err);
	event->made = true;
	return make_twin(making, line, err);
}

static int plan_probes_extend_event(void *data, const char *line)
{
	const struct making *making = data;
	_cleanup_free_ char *twin = needs_twin(making) ? twin_of(line) : NULL;
	struct session *session = making->maker->session;
	int r = session ? session_extend_event(session, line) : 0;

	if (r < 0 || !needs_twin(making))
		return r;
	return twin ? session_extend_event(session, twin) : -ENOMEM;
}

/* Without a preview, the kernel rejects the event. */
static int check_function(const struct maker *maker, const struct plan_event *event,
			  struct fathom_err *err)
{
	if (maker->session || event->set || probe_in_program(event->expression) ||
	    !probe_is_unknown(maker->env->tracefs.fd, maker->env->root, event->expression, err))
		return 0;
	return -ENOENT;
}

static int make_expression(const struct maker *maker, struct plan_buffer *buffer, size_t i,
			   struct fathom_err *err)
{
	struct plan *plan = maker->plan;
	struct making making = { plan, buffer, i, maker };
	const struct probe_sink sink = { &making, is_taken_for, plan_probes_make_event,
					 plan_probes_extend_event, &plan->enums };
	const struct session_env *env = maker->env;
	const struct probe *probe = buffer->events[i].expression;
	char group[PLAN_GROUP_SIZE] = PLAN_PROBE_GROUP;
	int r;

	if (maker->session)
		plan_probe_group(maker->session, group, sizeof(group));
	r = probe_check(env->tracefs.fd, probe, err);
	if (r == 0)
		r = check_function(maker, &buffer->events[i], err);
	if (r < 0)
		return r;
	r = probe_events_make(
		&(struct probe_request){
			{ env->root, plan->vmlinux, false }, probe, maker->machine, group },
		&sink, &plan->notes, err);
	return r == -EEXIST ? probe_refused(env->tracefs.fd, env->root, probe, "", r, err) : r;
}

/* Probes of a set that cannot be created are counted. */
static int make_one_of_set(const struct maker *maker, struct plan_buffer *buffer, size_t i,
			   struct fathom_err *err)
{
	struct fathom_err why = { 0 };
	struct plan_set *set = buffer->events[i].set;
	int r = make_expression(maker, buffer, i, &why);

	if (r == -ENOMEM)
		return err_nomem(err);
	buffer->events[i].off = r < 0;
	if (r == 0)
		set->made++;
	else if (!set->refused++)
		snprintf(set->reason, sizeof(set->reason), "%.*s", (int)strcspn(why.message, "\n"),
			 why.message);
	return 0;
}

/* Returns whether an event is still to be made from its expression. */
static bool plan_probes_is_left(const struct plan_event *event)
{
	return event->expression && !event->made && !probe_is_glob(event->expression);
}

static int make_expressions(const struct maker *maker, struct fathom_err *err)
{
	const struct plan *plan = maker->plan;
	size_t done = 0, total = 0;
	int r = 0;

	for (size_t i = 0; i < plan->n; i++)
		for (size_t k = 0; k < plan->buffers[i].n_events; k++)
			total += plan_probes_is_left(&plan->buffers[i].events[k]);

	for (size_t i = 0; i < plan->n; i++) {
		struct plan_buffer *buffer = &plan->buffers[i];

		for (size_t k = 0; k < buffer->n_events && r == 0; k++) {
			const struct plan_event *event = &buffer->events[k];

			if (!plan_probes_is_left(event))
				continue;
			if (maker->session)
				plan_progress(plan, "creating probes", done++, total);
			r = event->set ? make_one_of_set(maker, buffer, k, err) :
					 make_expression(maker, buffer, k, err);
		}
	}
	return r;
}

/* Reading types takes time, so only do it for probes. */
static bool needs_types(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct plan_buffer *buffer = &plan->buffers[i];

		if (buffer->returns.n || buffer->errors.n || buffer->args.n)
			return true;
		for (size_t k = 0; k < buffer->n_events; k++)
			if (buffer->events[k].expression)
				return true;
	}
	return false;
}

static int make_all(struct plan *plan, const struct session_env *env, struct session *session,
		    struct fathom_err *err)
{
	_cleanup_probe_base_ struct probe_base base = PROBE_BASE_NONE;
	_cleanup_free_ char *dir = NULL;
	int r;

	if (!needs_types(plan))
		return 0;
	dir = mem_printf("%s" PROBE_BTF_DIR, env->root);
	r = dir ? probe_base_open(dir, &base, err) : err_nomem(err);
	if (r == 0)
		r = plan_expand_sets(plan, base.machine.types, env, err);
	if (r == 0)
		r = make_expressions(&(struct maker){ plan, env, session, &base.machine }, err);
	return r < 0 ? r : plan_tell_sets(plan, err);
}

int plan_preview_probes(struct plan *plan, const struct session_env *env, struct fathom_err *err)
{
	return make_all(plan, env, NULL, err);
}

int plan_make_probes(struct plan *plan, struct session *session, struct fathom_err *err)
{
	struct asker asker = { .root = session_env(session)->root };
	int r = make_all(plan, session_env(session), session, err);

	for (size_t i = 0; i < plan->n; i++) {
		struct plan_buffer *buffer = &plan->buffers[i];

		for (size_t k = 0; k < buffer->n_events && r == 0; k++)
			if (buffer->events[k].probe && !buffer->events[k].expression &&
			    plan_probes_is_first(buffer, k))
				r = plan_probes_make(plan, &buffer->events[k],
						     buffer->events + buffer->n_events, session,
						     &asker, err);
	}
	kernel_names_done(&asker);
	strbuf_done(&asker.symbols);
	return r;
}
