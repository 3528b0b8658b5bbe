/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies a plan, in the right order: probes first, so that instances created later have their events. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "record/file/stored-enums.h"
#include "record/plan/plan-parts.h"
#include "record/rings/cpu-stats.h"
#include "record/session/session-env.h"
#include "record/session/session.h"

#define DEFAULT_KB_MIN	     1408 /* the default of the kernel */
#define DEFAULT_KB_MAX	     16384
#define DEFAULT_MEMORY_SHARE 32 /* at most this fraction of all memory, for all CPUs together */
#define CMDLINES_ENOUGH	     "8192"

unsigned long plan_default_size(const char *root, size_t n_cpus)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/meminfo", root);
	char line[128];
	unsigned long total = 0, size;

	if (path && file_read_line(AT_FDCWD, path, line, sizeof(line)) > 0 &&
	    str_after(line, "MemTotal:"))
		total = strtoul(str_after(line, "MemTotal:"), NULL, 10);
	size = total / DEFAULT_MEMORY_SHARE / (n_cpus ?: 1);
	if (size > DEFAULT_KB_MAX)
		return DEFAULT_KB_MAX;
	return size < DEFAULT_KB_MIN ? DEFAULT_KB_MIN : size;
}

/*
 * Kernels whose function tracer lacks the option func-no-repeats silently ignore func_stack_trace in
 * instances: both came with the same change.
 */
bool plan_needs_top(const struct plan_buffer *buffer, const struct session_env *env)
{
	return buffer->func_stack && buffer->tracer && str_eq(buffer->tracer, "function") &&
	       !plan_has_file(env->tracefs.fd, "options/func-no-repeats");
}

static int plan_find_place(struct plan *plan, struct plan_buffer *buffer, struct session *session,
			   struct fathom_err *err)
{
	const char *note = NULL;
	int r = plan_check_tracer(buffer, session_env(session), err);

	if (r < 0 || (plan->changes && buffer->place))
		return r;
	if (!*buffer->name && plan_needs_top(buffer, session_env(session))) {
		plan_note(plan,
			  "--func-stack needs the top-level buffer in this kernel: nobody else "
			  "can use it until this ends and its settings are restored");
		r = session_place_top(session, plan->force, &buffer->place, err);
	} else if (*buffer->name)
		r = session_place_instance(session, buffer->name, &buffer->place, err);
	else
		r = session_place_for(session, buffer->tracer, plan->force, &buffer->place, &note,
				      err);
	if (note)
		plan_note(plan, "%s", note);
	return r < 0 ? r : session_add_buffer(session, buffer->name, buffer->place, err);
}

/* The top level, or an existing instance, may have settings and events of other users. */
static int clear_place(struct plan_buffer *buffer, struct session *session, struct fathom_err *err)
{
	static const char *const lists[] = { "set_ftrace_filter",  "set_ftrace_notrace",
					     "set_ftrace_pid",	   "set_ftrace_notrace_pid",
					     "set_event_pid",	   "set_event_notrace_pid",
					     "set_graph_function", "set_graph_notrace" };
	struct session_place *place = buffer->place;
	int r = plan_set(session, place, "tracing_on", KNOB_SET, "0", err);

	if (r < 0 || place->owned)
		return r;
	r = plan_set(session, place, "current_tracer", KNOB_SET, "nop", err);
	if (r == 0)
		r = plan_set(session, place, "events/enable", KNOB_SET, "0", err);
	for (size_t i = 0; i < ARRAY_SIZE(lists) && r == 0; i++)
		if (plan_has_file(place->fd, lists[i]))
			r = plan_set(session, place, lists[i], KNOB_SET, "", err);
	if (r == 0 && plan_has_file(place->fd, "max_graph_depth"))
		r = plan_set(session, place, "max_graph_depth", KNOB_SET, "0", err);
	/* Old events in the buffer would become part of the recording. */
	if (r == 0 && file_write(place->fd, "trace", O_TRUNC, "\n") < 0)
		r = 0;
	return r;
}

int plan_no_subbufs(struct fathom_err *err)
{
	return err_set(err, -EOPNOTSUPP,
		       "unsupported: this kernel cannot change the sub-buffer "
		       "size");
}

unsigned long plan_buffer_size(const struct plan *plan, const struct session_env *env,
			       size_t n_cpus)
{
	return plan->total_kb / (n_cpus ?: 1) ?: plan_default_size(env->root, n_cpus);
}

static int set_sizes(struct plan *plan, struct plan_buffer *buffer, struct session *session,
		     struct fathom_err *err)
{
	struct session_place *place = buffer->place;
	_cleanup_free_ uint32_t *cpus = NULL;
	size_t n_cpus = 1;
	char text[32];
	int r = 0;

	if (buffer->subbuf_kb) {
		if (!plan_has_file(place->fd, "buffer_subbuf_size_kb"))
			return plan_no_subbufs(err);
		snprintf(text, sizeof(text), "%lu", buffer->subbuf_kb);
		r = plan_set(session, place, "buffer_subbuf_size_kb", KNOB_SET, text, err);
	}
	if (r < 0)
		return r;
	if (!buffer->size_kb) {
		cpu_list_read(place->fd, &cpus, &n_cpus);
		buffer->size_kb = plan_buffer_size(plan, session_env(session), n_cpus);
	}
	snprintf(text, sizeof(text), "%lu", buffer->size_kb);
	r = plan_set(session, place, "buffer_size_kb", KNOB_SET, text, err);
	return r == -ENOMEM ? err_set(err, r,
				      "not enough memory for %lu KB of buffer per CPU: use a "
				      "smaller -b",
				      buffer->size_kb) :
			      r;
}

static int set_pids(struct plan *plan, struct plan_buffer *buffer, struct session *session,
		    struct fathom_err *err)
{
	struct session_place *place = buffer->place;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = 0;

	if (buffer->of_all)
		return 0;
	for (size_t i = 0; i < plan->n_pids; i++)
		strbuf_addf(&text, "%s%d", i ? " " : "", (int)plan->pids[i]);
	if (text.err)
		return err_nomem(err);
	if (plan->n_pids && buffer->n_events)
		r = plan_set(session, place, "set_event_pid", KNOB_SET, text.s, err);
	if (r == 0 && plan->n_pids && buffer->tracer && plan_has_file(place->fd, "set_ftrace_pid"))
		r = plan_set(session, place, "set_ftrace_pid", KNOB_SET, text.s, err);
	if (r < 0 || !plan->children || !plan->n_pids)
		return r;
	/*
	 * Events must not be inherited earlier than functions: if a child that starts in between
	 * had events only, `why` would report system calls that fail for no reason.
	 */
	if (plan_has_file(place->fd, "options/function-fork"))
		r = plan_set(session, place, "options/function-fork", KNOB_SET, "1", err);
	return r < 0 ? r : plan_set(session, place, "options/event-fork", KNOB_SET, "1", err);
}

static int apply_buffer(struct plan *plan, struct plan_buffer *buffer, struct session *session,
			struct fathom_err *err)
{
	int r = plan_find_place(plan, buffer, session, err);

	if (r == 0 && !plan->changes)
		r = clear_place(buffer, session, err);
	if (r == 0 && (!plan->changes || buffer->size_kb || buffer->subbuf_kb))
		r = set_sizes(plan, buffer, session, err);
	if (r == 0 && buffer->clock) {
		r = plan_set(session, buffer->place, "trace_clock", KNOB_SET, buffer->clock, err);
		if (r == -EINVAL)
			r = err_set(err, r, "no clock '%s' in this kernel; see 'fathom list -C'",
				    buffer->clock);
	}
	if (r == 0)
		r = set_pids(plan, buffer, session, err);
	if (r == 0)
		r = plan_apply_functions(plan, buffer, session, err);
	if (r == 0)
		r = plan_apply_tracer(plan, buffer, session, err);
	if (r == 0)
		r = plan_apply_options(plan, buffer, session, err);
	if (r == 0)
		r = plan_apply_events(plan, buffer, session, err);
	if (r == 0)
		r = plan_apply_users(plan, buffer, session, err);
	if (r < 0 && *buffer->name)
		err_prefix(err, "buffer '%s'", buffer->name);
	return r;
}

/* Changes settings of the whole machine. */
static int apply_global(struct plan *plan, struct session *session, struct fathom_err *err)
{
	const struct session_env *env = session_env(session);
	char text[32];
	int r = 0;

	if (file_read_line(env->tracefs.fd, "saved_cmdlines_size", text, sizeof(text)) > 0 &&
	    (plan->cmdlines || strtoul(text, NULL, 10) < strtoul(CMDLINES_ENOUGH, NULL, 10))) {
		snprintf(text, sizeof(text), "%lu", plan->cmdlines);
		r = session_set_global(session, "saved_cmdlines_size", KNOB_SET,
				       plan->cmdlines ? text : CMDLINES_ENOUGH, true, err);
	}
	if (r == 0 && plan->has_depth) {
		snprintf(text, sizeof(text), "%lu", plan->depth);
		r = plan_set_somewhere(plan, session, plan->buffers[0].place, "max_graph_depth",
				       KNOB_SET, text, err);
	}
	if (r == 0 && (plan->no_ftrace || plan->no_function_trace)) {
		struct session_place *place = plan->buffers[0].place;

		if (plan_has_file(place->fd, "options/function-trace"))
			r = plan_set(session, place, "options/function-trace", KNOB_SET, "0", err);
		else if (!plan->no_ftrace)
			r = session_set_sysctl(session, "kernel/ftrace_enabled", "0", err);
	}
	if (r == 0 && plan->no_ftrace)
		r = session_set_sysctl(session, "kernel/ftrace_enabled", "0", err);
	return r;
}

int plan_apply(struct plan *plan, struct session *session, struct fathom_err *err)
{
	int r = plan_make_probes(plan, session, err);

	if (r == 0)
		r = plan_make_users(plan, session, err);
	for (size_t i = 0; i < plan->n && r == 0; i++)
		r = apply_buffer(plan, &plan->buffers[i], session, err);
	if (r == 0)
		r = apply_global(plan, session, err);
	if (r == 0)
		r = plan_price_sets(plan, session, err);
	if (r == 0 &&
	    (stored_enums_read(session_env(session), &plan->enums) < 0 || plan->notes.err))
		r = err_nomem(err);
	return r;
}
